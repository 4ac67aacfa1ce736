/* SPDX-License-Identifier: MIT */
/*
 * The words by which work-groups of one launch meet: those of them that have started are its members.
 *
 * Path:    flow.h, cl/device/members.cl.h, lib/self_test/meet.c include this.
 * Source:  Sorensen et al., Portable Inter-workgroup Barrier Synchronisation for GPUs, OOPSLA 2016.
 */
#ifndef GRAVELP_MEMBERS_H
#define GRAVELP_MEMBERS_H

#include "base.h"

#define GRAVELP_MEMBERS_CLOSED 0x80000000u

/* Atomic; 0 before the launch, and only the device writes them while it runs. */
struct gravelp_members {
    gravelp_u32 enrolled; /* groups that came so far, and GRAVELP_MEMBERS_CLOSED */
    gravelp_u32 n;        /* how many of them are members; 0: not yet known (K7) */
    gravelp_u32 out;      /* members that have ended their part of the round (K5) */
    gravelp_u32 phase;    /* rounds that all members have ended (K6) */
    gravelp_u32 padding[12];
};

GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_members) == GRAVELP_CACHELINE, "a line");

#endif
