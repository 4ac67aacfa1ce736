/* SPDX-License-Identifier: MIT */
/*
 * What a sub-group (wavefront, warp) does together.
 *
 * Path:    subgroup.cl.h, fbar.cl.h, channel.cl.h -> this -> the device's own functions.
 * Memory:  G5.
 * Source:  Orr 2016, section 5.3 (control flow of wavefronts); his leaders are of work-groups only.
 */
#ifndef GRAVELP_WAVEFRONT_CL_H
#define GRAVELP_WAVEFRONT_CL_H

#include "portable.cl.h"

#if defined(GRAVELP_SUBGROUP_BUILTINS) || defined(GRAVELP_WARP_ITEMS)
#define GRAVEL_HAS_SUBGROUPS 1

/*
 * Where the calling work-item stands among the active ones of its sub-group, and how many these are; or how much all
 * before it have, and all.
 */
struct gravelp_sg_count {
    uint position, n;
};

#if defined(GRAVELP_SUBGROUP_BUILTINS)

#define gravelp_sg_lane() get_sub_group_local_id() /* the work-item's number there; 0 leads it */
#define gravelp_n_sgs() get_num_sub_groups()       /* of the group */
#define gravelp_sg_number() get_sub_group_id()
#define gravelp_sg_items() get_sub_group_size()

/* The rest are calls of every work-item of the sub-group, and only the barrier orders memory. */
GRAVELP_INLINE struct gravelp_sg_count gravelp_sg_sums(uint value)
{
    uint before = sub_group_scan_exclusive_add(value);
    return (struct gravelp_sg_count){before, sub_group_reduce_add(value)};
}
#define gravelp_sg_count(active) gravelp_sg_sums((active) != 0)
#define gravelp_sg_any(flag) (sub_group_any((flag) != 0) != 0)
#define gravelp_sg_first(value) sub_group_broadcast(value, 0) /* that of work-item 0 */
#define gravelp_barrier_subgroup() sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#else /* warps: work-items by their number in the group, as the hardware takes them */

GRAVELP_INLINE uint gravelp_sg_lane(void)
{
    return (uint)gravelp_lane_id() % GRAVELP_WARP_ITEMS;
}
GRAVELP_INLINE uint gravelp_n_sgs(void)
{
    return (gravelp_n_lanes() + GRAVELP_WARP_ITEMS - 1) / GRAVELP_WARP_ITEMS;
}
GRAVELP_INLINE uint gravelp_sg_mask(void)
{
    uint left = gravelp_n_lanes() - ((uint)gravelp_lane_id() - gravelp_sg_lane());
    return 0xffffffffu >> (left < GRAVELP_WARP_ITEMS ? 32u - left : 32u - GRAVELP_WARP_ITEMS);
}
GRAVELP_INLINE uint gravelp_sg_number(void)
{
    return (uint)gravelp_lane_id() / GRAVELP_WARP_ITEMS;
}
GRAVELP_INLINE uint gravelp_sg_items(void)
{
    return popcount(gravelp_sg_mask());
}
GRAVELP_INLINE struct gravelp_sg_count gravelp_sg_count(uint active)
{
    uint flags = gravelp_warp_ballot(gravelp_sg_mask(), active);
    return (struct gravelp_sg_count){popcount(flags & ((1u << gravelp_sg_lane()) - 1u)),
                                     popcount(flags)};
}
/* Bit by bit: most values are small. */
GRAVELP_INLINE struct gravelp_sg_count gravelp_sg_sums(uint value)
{
    struct gravelp_sg_count sums = {0, 0};
    uint mask = gravelp_sg_mask(), before = (1u << gravelp_sg_lane()) - 1u;
    for (uint bit = 0; bit < 32 && gravelp_warp_ballot(mask, value >> bit); bit++) {
        uint flags = gravelp_warp_ballot(mask, value >> bit & 1u);
        sums.position += (uint)popcount(flags & before) << bit;
        sums.n += (uint)popcount(flags) << bit;
    }
    return sums;
}
GRAVELP_INLINE bool gravelp_sg_any(uint flag)
{
    return gravelp_warp_ballot(gravelp_sg_mask(), flag) != 0;
}
GRAVELP_INLINE uint gravelp_sg_first(uint value)
{
    return gravelp_warp_first(gravelp_sg_mask(), value);
}
GRAVELP_INLINE void gravelp_barrier_subgroup(void)
{
    gravelp_warp_barrier(gravelp_sg_mask());
}

#endif

#endif
#endif
