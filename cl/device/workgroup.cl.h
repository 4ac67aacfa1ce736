/* SPDX-License-Identifier: MIT */
/*
 * What a work-group does together: elect a leader, compact active work-items, agree on a maximum; and a sub-group.
 *
 * Path:    portable.cl.h -> workgroup.cl.h -> queue.cl.h.
 * Memory:  all through local memory between barriers of the group (edge G1 in docs/design/memory-order.md); G5 of a
 *          sub-group.
 * Source:  Orr 2016, section 5.2.1 (leader), 5.3 (control flow of wavefronts), 5.3.1 (software predication), A.2.3
 *          (prefix sum).
 */
#ifndef GRAVELP_WORKGROUP_CL_H
#define GRAVELP_WORKGROUP_CL_H

#include "layout/arena.h"
#include "layout/server.h"
#include "portable.cl.h"
#include "sliced.cl.h"

/* Largest work-group a program may use; raise it with -DGRAVEL_MAX_GROUP=n before the include. */
#ifndef GRAVEL_MAX_GROUP
#define GRAVEL_MAX_GROUP 1024
#endif

/* PoCL 3.1 adds barriers above one that a loop or an `if` guards. They land inside the leader's branch, which all take
 * then or none, unless a statement such as this is before and behind it. */
GRAVELP_INLINE void gravelp_block_keep(global struct gravelp_arena *arena)
{
    GRAVELP_ASSUME(arena->n_slots != 0);
}

/* Every work-item of the group: the barrier of calls that kernels make in loops and branches. */
GRAVELP_INLINE void gravelp_group_meet(global struct gravelp_arena *arena)
{
    gravelp_barrier_group();
    gravelp_block_keep(arena);
}

/* A barrier that only later LLVM needs, to which PoCL 6.0 belongs, where a group is one thread. */
#if defined(GRAVELP_ONE_THREAD) && defined(__clang_major__) && __clang_major__ >= 16
#define GRAVELP_LATER_LLVM
#define GRAVELP_LATER_BARRIER() gravelp_barrier_group()
#else
#define GRAVELP_LATER_BARRIER() (void)0
#endif

/* Every work-item of the group: a predicated `if` ends, which may be the last thing of a node. LLVM copies the word
 * above into both sides of such an `if`, if it finds their ways to the kernel's end, and work-item 0 decides for all.
 * PoCL 3.1 cannot see the word, so it copies none; PoCL 6.0 drops it altogether, so there it is a barrier. */
GRAVELP_INLINE void gravelp_predicate_end(global struct gravelp_arena *arena)
{
    GRAVELP_LATER_BARRIER();
    GRAVELP_NO_MERGE();
    gravelp_block_keep(arena);
}

/* Every work-item of the group: the first barrier of a call, before the leader alone does something. If both sides of
 * an `if` begin with such a call, LLVM moves what they share above the `if`, except what is opaque. */
GRAVELP_INLINE void gravelp_group_meet_apart(global struct gravelp_arena *arena)
{
    gravelp_barrier_group();
    GRAVELP_NO_MERGE();
    gravelp_block_keep(arena);
}

/* The leader's copy of constants of the arena, which say where its group's queue is. On a GPU each load from the
 * arena is a trip to memory, as an acquire empties the unit's cache, and a call would make several, one after the
 * other. */
struct gravelp_ring {
    global struct gravelp_queue_words *words;
    global uchar *slots; /* of this queue */
    uint queue, n_slots, slot_bytes;
};

/* Local memory of one work-group; GRAVEL_OPEN declares it. */
struct gravelp_scratch {
#ifndef GRAVELP_SERIAL_GROUP
    struct gravelp_ring ring; /* the leader's */
#endif
    /* How this call's messages are written: one of these is the first slot, or none and they are dropped. */
    global uchar *by_lane;        /* every work-item sends: the column is its number */
    global uchar *by_position;    /* the column is its position among the active */
    global uchar *by_package;     /* they do not fit one slot */
    uint ticket;                  /* of the first slot */
    uint n_sent;                  /* messages to publish */
    uint n_active;                /* what gravelp_compact counted */
    uint most;                    /* what gravelp_group_max, or a wait, found */
    uint lanes[GRAVEL_MAX_GROUP]; /* per work-item: active flag, then position among the active */
};

struct gravelp_outbox;
struct gravelp_rounds;
struct gravelp_rounds_scratch;

/* What GRAVEL_OPEN gives a work-item to send with. */
struct gravel_group {
    global struct gravelp_arena *arena;
    local struct gravelp_scratch *scratch;
    local struct gravelp_outbox *outbox; /* of a client of servers (outbox.cl.h); else NULL */
#ifdef GRAVELP_STAYS
    global struct gravelp_rounds *rounds; /* of a kernel that stays (direct.cl.h) */
    local struct gravelp_rounds_scratch *round;
#endif
#if defined(GRAVEL_CHECK) && GRAVEL_CHECK
  private
    uint *calls; /* [2] made by this work-item with its work-group, and with its sub-group */
    uint number, kernel_name; /* as in struct gravelp_arrival */
#endif
};

/* This node's own part of the symmetric heap at an offset [bytes]. */
GRAVELP_INLINE global uchar *gravelp_heap(global struct gravelp_arena *arena, ulong offset)
{
    return (global uchar *)arena + arena->heap_offset + offset;
}

/* This work-item's number in its group, all dimensions in one. size_t, or compilers do not vectorize rows. */
GRAVELP_INLINE size_t gravelp_lane_id(void)
{
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) +
           get_local_id(0);
}

/* Returns whether this work-item is its group's leader: work-item 0. */
GRAVELP_INLINE bool gravelp_is_leader(void)
{
    return (get_local_id(0) | get_local_id(1) | get_local_id(2)) == 0;
}

/* Work-items in this group. */
GRAVELP_INLINE uint gravelp_n_lanes(void)
{
    return (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
}

/* This group's number in the launch, all dimensions in one. */
GRAVELP_INLINE uint gravelp_group_number(void)
{
    size_t row = gravelp_get_group_id(2) * gravelp_get_num_groups(1) + gravelp_get_group_id(1);
    return (uint)(row * gravelp_get_num_groups(0) + gravelp_get_group_id(0));
}

/* Which group, or which work-item alone, it is: for faults. Functions out of line get it from their callers. */
struct gravelp_origin {
    uint dimensions; /* of the launch */
    uint item[3];    /* the work-item, or the group's first one, in it */
};

/* No loop: PoCL adds barriers to loops that all work-items make alike, and so to the user's loop around them. */
#define GRAVELP_ORIGIN(id) \
    ((struct gravelp_origin){get_work_dim(), {(uint)(id(0)), (uint)(id(1)), (uint)(id(2))}})
#define GRAVELP_FIRST_ID(dimension) get_global_id(dimension) - get_local_id(dimension)
#define gravelp_origin() GRAVELP_ORIGIN(GRAVELP_FIRST_ID)
#define gravelp_origin_of_item() GRAVELP_ORIGIN(get_global_id)

GRAVELP_INLINE global struct gravelp_servers *gravelp_servers(global struct gravelp_arena *arena)
{
    return (global struct gravelp_servers *)((global uchar *)arena + arena->servers_offset);
}

/* Any work-item, after a fault: a launch of servers drops messages, and ends. */
GRAVELP_INLINE void gravelp_servers_break(global struct gravelp_arena *arena)
{
    if (arena->servers_offset)
        gravelp_store_relaxed(&gravelp_servers(arena)->is_broken,
                              1); /* relaxed: the kernel's end orders it */
}

/*
 * Any work-item: reports to the host what went wrong, unless a fault of the node is reported already. It polls before
 * it adds: a kernel runs on behind a failed assertion, and adds without number would come back to 0.
 *
 * @param name        literal: the name of a file or a function, whose last bytes are kept, and behind it a text.
 * @param name_bytes  of the name, its end included; and 2^16 times those of the text.
 */
GRAVELP_OUT_OF_LINE void gravelp_fault_in(global struct gravelp_arena *arena,
                                          struct gravelp_origin origin, GRAVELP_LITERAL *name,
                                          uint name_bytes, uint fault, uint queue, ulong ticket,
                                          ulong value, ulong offset)
{
    const uint room = GRAVELP_FAULT_FILE_BYTES, bytes = name_bytes & 0xffffu;
    if (gravelp_device_load_relaxed(&arena->fault_claim) != 0 ||       /* F3 */
        gravelp_device_fetch_add_relaxed(&arena->fault_claim, 1) != 0) /* F3 */
        return;
    for (uint i = bytes > room ? bytes - room : 0, to = 0; i < bytes; i++, to++)
        arena->fault_file[to] = (uchar)name[i];
    for (uint i = 0; i < name_bytes >> 16; i++)
        arena->fault_text[i] = (uchar)name[bytes + i];
    gravelp_servers_break(arena);
    arena->fault_offset = offset;
    arena->fault_queue = queue;
    arena->fault_ticket = (uint)ticket;
    arena->fault_high[0] = (uint)(ticket >> 32);
    arena->fault_high[1] = (uint)(value >> 32);
    arena->fault_value = (uint)value;
    arena->fault_dimensions = origin.dimensions;
    for (uint d = 0; d < 3; d++)
        arena->fault_item[d] = origin.item[d];
    gravelp_store_release(&arena->fault, fault); /* F1, pairs with the host's F2 */
}
#define gravelp_fault_at(arena, origin, ...) gravelp_fault_in(arena, origin, 0, 0, __VA_ARGS__)
#define gravelp_fault(arena, ...) gravelp_fault_at(arena, gravelp_origin(), __VA_ARGS__, 0)

/* This work-item's element of scratch->lanes, and a store to it. In a group larger than GRAVEL_MAX_GROUP, which sends
 * nothing (gravelp_group_fits), the last ones have none. Where the group is one thread they share others' elements:
 * PoCL 3.1 compiles a predicated loop wrongly if a condition guards the store. */
GRAVELP_INLINE size_t gravelp_lane_index(void)
{
    return gravelp_lane_id() % GRAVEL_MAX_GROUP;
}
GRAVELP_INLINE void gravelp_lane_set(local struct gravelp_scratch *scratch, uint value)
{
#ifndef GRAVELP_SERIAL_GROUP
    if (gravelp_lane_id() < GRAVEL_MAX_GROUP)
#endif
        scratch->lanes[gravelp_lane_index()] = value;
}

/* Leader: whether the group has an element each; a fault if not. */
GRAVELP_INLINE bool gravelp_group_fits(global struct gravelp_arena *arena)
{
    bool fits = gravelp_n_lanes() <= GRAVEL_MAX_GROUP;
    if (!fits)
        gravelp_fault(arena, GRAVELP_FAULT_GROUP, 0, 0, gravelp_n_lanes());
    return fits;
}

#define GRAVELP_INACTIVE 0xffffffffu

/*
 * Every work-item of the group: sums over the work-items before each.
 *
 * Leaves each work-item's sum in scratch->lanes, or GRAVELP_INACTIVE if its value is 0 and `marks`, and the group's in
 * scratch->n_active. The leader knows both when it returns, all work-items after the group's next barrier.
 *
 * Source:  Orr 2016, figure 4-3 (one reservation for a wavefront) and A.2.3 (prefix sum).
 */
GRAVELP_INLINE void gravelp_sums(struct gravel_group g, uint value, bool marks)
{
    local struct gravelp_scratch *scratch = g.scratch;
#if defined(GRAVELP_SERIAL_GROUP)
    gravelp_lane_set(scratch, value);
    gravelp_group_meet_apart(g.arena); /* G1: the values are set */
    if (gravelp_is_leader()) {
        uint n_lanes = gravelp_group_fits(g.arena) ? gravelp_n_lanes() : 0, sum = 0;
        for (uint i = 0; i < n_lanes; i++) {
            uint own = scratch->lanes[i];
            scratch->lanes[i] = marks && !own ? GRAVELP_INACTIVE : sum;
            sum += own;
        }
        scratch->n_active = sum;
    }
#else
    size_t lane = gravelp_lane_index();
    uint n_lanes = gravelp_n_lanes(), sum = value;
    gravelp_lane_set(scratch, sum);
    gravelp_group_meet(g.arena); /* G1: the values are set */
    for (uint step = 1; step < n_lanes; step *= 2) {
        uint left = lane >= step ? scratch->lanes[lane - step] : 0;
        gravelp_group_meet(g.arena); /* G1: all have read */
        sum += left;
        gravelp_lane_set(scratch, sum);
        gravelp_group_meet(g.arena); /* G1: all have added */
    }
    gravelp_lane_set(scratch, marks && !value ? GRAVELP_INACTIVE : sum - value);
    if (gravelp_lane_id() == n_lanes - 1)
        scratch->n_active = gravelp_group_fits(g.arena) ? sum : 0;
    gravelp_group_meet(g.arena); /* G1: the sums are known */
#endif
}

/* Every work-item of the group: number the active ones from 0, as gravelp_sums does; of the rest GRAVELP_INACTIVE. */
GRAVELP_INLINE void gravelp_compact(struct gravel_group g, uint active)
{
    gravelp_sums(g, active != 0, true);
}

/* Every work-item of the group: returns the largest value that any of them gives; 0 in a group that is too large. */
GRAVELP_INLINE uint gravelp_group_max(struct gravel_group g, uint value)
{
    local struct gravelp_scratch *scratch = g.scratch;
#if defined(GRAVELP_SERIAL_GROUP)
    gravelp_lane_set(scratch, value);
    gravelp_group_meet_apart(g.arena); /* G1: the values are set */
    if (gravelp_is_leader()) {
        uint n_lanes = gravelp_group_fits(g.arena) ? gravelp_n_lanes() : 0, most = 0;
        for (uint i = 0; i < n_lanes; i++)
            most = scratch->lanes[i] > most ? scratch->lanes[i] : most;
        scratch->most = most;
    }
    gravelp_group_meet(g.arena); /* G1: the largest is known */
    return scratch->most;
#else
    gravelp_group_meet(g.arena); /* G1: no work-item reads an earlier number */
    if (gravelp_is_leader())
        scratch->most = 0;
    gravelp_group_meet(g.arena); /* G1: it is 0 */
    gravelp_local_max_relaxed(&scratch->most, value);
    if (gravelp_is_leader())
        gravelp_group_fits(g.arena);
    gravelp_group_meet(g.arena); /* G1: the largest is known */
    return gravelp_n_lanes() <= GRAVEL_MAX_GROUP ? scratch->most : 0;
#endif
}

/* ---- sub-groups: wavefronts, warps ------------------------------------------------------------- */

#if defined(GRAVELP_SUBGROUP_BUILTINS) || defined(GRAVELP_WARP_ITEMS)
#define GRAVEL_HAS_SUBGROUPS 1

/* How many active work-items of the sub-group are before the calling one, and in all; or the sums of their values. */
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

#define gravelp_sg_lane() ((uint)gravelp_lane_id() % GRAVELP_WARP_ITEMS)
#define gravelp_n_sgs() ((gravelp_n_lanes() + GRAVELP_WARP_ITEMS - 1) / GRAVELP_WARP_ITEMS)
#define gravelp_sg_number() ((uint)gravelp_lane_id() / GRAVELP_WARP_ITEMS)
#define gravelp_sg_items() popcount(gravelp_sg_mask())

GRAVELP_INLINE uint gravelp_sg_mask(void)
{
    uint left = gravelp_n_lanes() - ((uint)gravelp_lane_id() - gravelp_sg_lane());
    return 0xffffffffu >> (left < GRAVELP_WARP_ITEMS ? 32u - left : 32u - GRAVELP_WARP_ITEMS);
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
#define gravelp_sg_any(flag) (gravelp_warp_ballot(gravelp_sg_mask(), flag) != 0)
#define gravelp_sg_first(value) gravelp_warp_first(gravelp_sg_mask(), value)
#define gravelp_barrier_subgroup() gravelp_warp_barrier(gravelp_sg_mask())

#endif

#endif

#endif
