/* SPDX-License-Identifier: MIT */
/*
 * Prefix sums of a work-group: how much all work-items before each one have.
 *
 * Path:    workgroup.cl.h -> scan.cl.h -> channel.cl.h.
 * Threads: every work-item of the group.
 * Memory:  through local memory between barriers of the group (G1).
 * Source:  Orr 2016, figure 4-3 (one reservation for a wavefront) and A.2.3 (prefix sum).
 */
#ifndef GRAVELP_SCAN_CL_H
#define GRAVELP_SCAN_CL_H

#include "workgroup.cl.h"

/*
 * Every work-item of the group: sums over the work-items before each.
 *
 * Leaves each work-item's sum in scratch->lanes and the group's in scratch->n_active. The leader knows both when it
 * returns; the other work-items do after the group's next barrier.
 */
GRAVELP_INLINE void gravelp_scan(global struct gravelp_arena *arena,
                                 local struct gravelp_scratch *scratch, uint value)
{
#if defined(GRAVELP_SERIAL_GROUP)
    gravelp_place_set(scratch, value);
    gravelp_group_meet_apart(arena); /* G1: the values are set */
    if (gravelp_is_leader()) {
        uint n_lanes = gravelp_group_fits(arena) ? gravelp_n_lanes() : 0, sum = 0;
        for (uint i = 0; i < n_lanes; i++) {
            uint own = scratch->lanes[i];
            scratch->lanes[i] = sum;
            sum += own;
        }
        scratch->n_active = sum;
    }
#elif defined(GRAVELP_COLLECTIVES)
    uint before = work_group_scan_exclusive_add(value);
    gravelp_place_set(scratch, before);
    if (gravelp_lane_id() == gravelp_n_lanes() - 1)
        scratch->n_active = gravelp_group_fits(arena) ? before + value : 0;
    gravelp_group_meet(arena); /* G1: the sums are known */
#elif defined(GRAVELP_SUBGROUPS)
    uint before = sub_group_scan_exclusive_add(value), sum = 0;
    uint n_subgroups = gravelp_subgroups_share(scratch, before + value);
    for (uint i = 0; i < n_subgroups; i++) {
        before += i < get_sub_group_id() ? scratch->lanes[i] : 0;
        sum += scratch->lanes[i];
    }
    gravelp_group_meet(arena); /* G1: all have added */
    gravelp_place_set(scratch, before);
    if (gravelp_is_leader())
        scratch->n_active = gravelp_group_fits(arena) ? sum : 0;
#else
    size_t lane = gravelp_place();
    uint n_lanes = gravelp_n_lanes(), sum = value;
    gravelp_place_set(scratch, sum);
    gravelp_group_meet(arena); /* G1: the values are set */
    for (uint step = 1; step < n_lanes; step *= 2) {
        uint left = lane >= step ? scratch->lanes[lane - step] : 0;
        gravelp_group_meet(arena); /* G1: all have read */
        sum += left;
        gravelp_place_set(scratch, sum);
        gravelp_group_meet(arena); /* G1: all have added */
    }
    gravelp_place_set(scratch, sum - value);
    if (gravelp_lane_id() == n_lanes - 1)
        scratch->n_active = gravelp_group_fits(arena) ? sum : 0;
    gravelp_group_meet(arena); /* G1: the sums are known */
#endif
}

#endif
