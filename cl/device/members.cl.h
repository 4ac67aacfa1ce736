/* SPDX-License-Identifier: MIT */
/*
 * Members of a launch: the work-groups that have started by the time the first of them closes the list. No group waits
 * for one that may not have started, so whatever number of groups a device runs at once, a launch ends; and a launch of
 * one group never waits. Members meet between rounds: the last one out does what is to be done before the next round,
 * and the other members wait for that. How long they wait is up to the caller.
 *
 * Path:    round.cl.h, meeting.cl.h, cl/kernels/self_test.cl -> this -> layout/flow.h.
 * Threads: leaders of groups.
 * Memory:  K5, K6, K7.
 * Source:  Sorensen et al., Portable Inter-workgroup Barrier Synchronisation for GPUs, OOPSLA 2016.
 */
#ifndef GRAVELP_MEMBERS_CL_H
#define GRAVELP_MEMBERS_CL_H

#include "layout/flow.h"
#include "portable.cl.h"

/*
 * Leader: enrols; the first group closes the list once no other comes. All other members then wait for members->n (K7).
 *
 * @param n_groups  of the launch.
 * @param n_polls   without a newcomer, before the list is closed.
 * @return          the group's number among the members; GRAVELP_MEMBERS_CLOSED or above if the list was closed.
 */
GRAVELP_INLINE uint gravelp_members_enrol(global struct gravelp_members *members, uint n_groups,
                                          uint n_polls)
{
    uint me = gravelp_device_fetch_add_relaxed(&members->enrolled, 1), seen = 1;
    if (me != 0)
        return me;
    for (uint polls = 0; polls < n_polls && seen < n_groups; polls++) {
        uint now = gravelp_device_load_relaxed(&members->enrolled);
        polls = now == seen ? polls : 0;
        seen = now;
        gravelp_pause(polls, false);
    }
    uint n = gravelp_device_fetch_add_relaxed(&members->enrolled, GRAVELP_MEMBERS_CLOSED);
    gravelp_device_store_release(&members->n, n); /* K7 */
    return me;
}

/* Leader: this group's part of the round is done. @return whether it is the last of n. */
GRAVELP_INLINE bool gravelp_members_leave(global struct gravelp_members *members, uint n)
{
    return gravelp_device_fetch_add_acq_rel(&members->out, 1) + 1 ==
           n; /* K5, pairs with itself in the other members */
}

/* The last one out: the next round may begin. @param phase  rounds that have ended. */
GRAVELP_INLINE void gravelp_members_advance(global struct gravelp_members *members, uint phase)
{
    gravelp_device_store_relaxed(&members->out, 0);
    gravelp_device_store_release(&members->phase, phase); /* K6 */
}

#endif
