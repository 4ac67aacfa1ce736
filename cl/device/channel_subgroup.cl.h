/* SPDX-License-Identifier: MIT */
/*
 * Channels by sub-groups (wavefronts, warps): one reservation for what all its work-items make.
 *
 * Path:    the _sg calls of flow.cl.h -> this -> channel.cl.h, held.cl.h, wavefront.cl.h.
 * Threads: every work-item of the sub-group.
 * Memory:  as by a leader of the group (K2, K8).
 * Source:  Orr 2016, section 4.1 and figure 4-3 (a wavefront reserves by prefix sum, one lane and broadcast).
 */
#ifndef GRAVELP_CHANNEL_SUBGROUP_CL_H
#define GRAVELP_CHANNEL_SUBGROUP_CL_H

#include "held.cl.h"
#include "wavefront.cl.h"

#if defined(GRAVELP_FLOW_SIGN) && defined(GRAVEL_HAS_SUBGROUPS)

/* Reserve n CEs for each, which lie one work-item's after another's. @return the work-item's first. */
GRAVELP_INLINE gravel_ce gravelp_reserve_sg(struct gravel_flow_group f, uint into, uint n)
{
    struct gravelp_sg_count mine = gravelp_sg_sums(gravelp_asked(f, into, n));
    gravel_ce first = 0;
    if (gravelp_sg_lane() == 0)
        first = gravelp_reserve(f, into, mine.n);
    return gravelp_given(n, gravelp_sg_first(first) + mine.position);
}

/* Enqueue those held CEs that are ready. */
GRAVELP_INLINE void gravelp_held_enqueue_sg(struct gravel_flow_group f, uint channel, gravel_ce ce,
                                            uint is_ready)
{
    struct gravelp_sg_count mine = gravelp_sg_count(is_ready);
    uint first = 0;
    if (gravelp_sg_lane() == 0)
        first = gravelp_held_places(f, channel, mine.n);
    first = gravelp_sg_first(first);
    if (is_ready)
        gravelp_held_enqueue(f, channel, ce, first + mine.position);
}

#endif

#endif
