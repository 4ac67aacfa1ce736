/* SPDX-License-Identifier: MIT */
/*
 * What a work-group does together: elect a leader, compact active work-items, agree on a maximum.
 *
 * Path:    portable.cl.h -> workgroup.cl.h -> queue.cl.h.
 * Memory:  all through local memory between barriers of the group (edge G1 in docs/memory-order.md).
 * Source:  Orr 2016, section 5.2.1 (leader), 5.3.1 (software predication), A.2.3 (prefix sum).
 */
#ifndef GRAVEL_WORKGROUP_CL_H
#define GRAVEL_WORKGROUP_CL_H

#include "portable.cl.h"

/* Largest work-group a program may use; raise it with -DGRAVEL_MAX_GROUP=n before the include. */
#ifndef GRAVEL_MAX_GROUP
#define GRAVEL_MAX_GROUP 1024
#endif

/* Local memory of one work-group; GRAVEL_OPEN declares it. */
struct gravel_scratch {
    /* Where the package is written, NULL if its messages are dropped. A pointer, so that no payload store
     * can alias it and compilers keep it in a register. */
    global uchar *slot;
    uint ticket;
    uint n_active;
    uint lanes[GRAVEL_MAX_GROUP]; /* per work-item: active flag, then position among the active */
};

/* This work-item's number in its group, all dimensions in one. size_t, or compilers do not vectorize rows. */
GRAVEL_INLINE size_t gravel_lane_id(void)
{
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) +
           get_local_id(0);
}

/* Work-items in this group. */
GRAVEL_INLINE uint gravel_n_lanes(void)
{
    return (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
}

/* This group's number in the launch, all dimensions in one. */
GRAVEL_INLINE uint gravel_group_number(void)
{
    return (uint)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) +
                  get_group_id(0));
}

#if defined(GRAVEL_SERIAL_GROUP) || !defined(__OPENCL_C_VERSION__)

/* Leader, between two barriers: turn flags into positions; returns how many are set. */
GRAVEL_INLINE uint gravel_scan_serial(local struct gravel_scratch *scratch, uint n_lanes)
{
    uint sum = 0;
    for (uint i = 0; i < n_lanes; i++) {
        uint flag = scratch->lanes[i];
        scratch->lanes[i] = sum;
        sum += flag;
    }
    return sum;
}

#endif

/*
 * Every work-item of the group: number the active ones from 0.
 *
 * @return  this work-item's position among the active; how many there are is in scratch->n_active.
 * Ends with a barrier.
 */
GRAVEL_INLINE uint gravel_compact(local struct gravel_scratch *scratch, uint active)
{
    size_t lane = gravel_lane_id();
    uint n_lanes = gravel_n_lanes();
#if defined(GRAVEL_SERIAL_GROUP) || !defined(__OPENCL_C_VERSION__)
    scratch->lanes[lane] = active != 0;
    gravel_barrier_group(); /* G1 */
    if (lane == 0)
        scratch->n_active = gravel_scan_serial(scratch, n_lanes);
    gravel_barrier_group(); /* G1 */
    return scratch->lanes[lane];
#elif defined(GRAVEL_COLLECTIVES)
    uint position = work_group_scan_exclusive_add((uint)(active != 0));
    if (lane == n_lanes - 1)
        scratch->n_active = position + (active != 0);
    gravel_barrier_group(); /* G1 */
    return position;
#else
    uint sum = active != 0;
    scratch->lanes[lane] = sum;
    gravel_barrier_group(); /* G1 */
    for (uint step = 1; step < n_lanes; step *= 2) {
        uint left = lane >= step ? scratch->lanes[lane - step] : 0;
        gravel_barrier_group(); /* G1 */
        sum += left;
        scratch->lanes[lane] = sum;
        gravel_barrier_group(); /* G1 */
    }
    if (lane == n_lanes - 1)
        scratch->n_active = sum;
    gravel_barrier_group(); /* G1 */
    return sum - (active != 0);
#endif
}

/* Every work-item of the group: the largest value any of them gives. Starts and ends with a barrier. */
GRAVEL_INLINE uint gravel_group_max(local struct gravel_scratch *scratch, uint value)
{
    size_t lane = gravel_lane_id();
    uint n_lanes = gravel_n_lanes();
    gravel_barrier_group(); /* G1: nobody still reads what the last call left */
    scratch->lanes[lane] = value;
    gravel_barrier_group(); /* G1 */
#if defined(GRAVEL_SERIAL_GROUP) || !defined(__OPENCL_C_VERSION__)
    if (lane == 0) {
        uint most = 0;
        for (uint i = 0; i < n_lanes; i++)
            most = scratch->lanes[i] > most ? scratch->lanes[i] : most;
        scratch->lanes[0] = most;
    }
    gravel_barrier_group(); /* G1 */
#else
    for (uint n = n_lanes; n > 1;) {
        uint half_up = (n + 1) / 2;
        if (lane + half_up < n && scratch->lanes[lane] < scratch->lanes[lane + half_up])
            scratch->lanes[lane] = scratch->lanes[lane + half_up];
        n = half_up;
        gravel_barrier_group(); /* G1 */
    }
#endif
    uint most = scratch->lanes[0];
    gravel_barrier_group(); /* G1: lanes is free again */
    return most;
}

#endif
