/* SPDX-License-Identifier: MIT */
/*
 * Channels in a kernel: reserve room for channel elements (CEs), find their words.
 *
 * The program of a flow knows its graph: the host writes it before the text (lib/flow/layout.c) as GRAVELP_FLOW_SIGN,
 * _CHANNELS, _N_CHANNELS, _N_FLAT, _ROWS_AT, _HELD_AT, _LEVELS_AT and so on, so that all address arithmetic
 * is with constants; and GRAVEL_CHANNEL_name and GRAVELP_RECORD_BYTES_name of each channel.
 *
 * Path:    flow.cl.h -> this -> layout/flow.h.
 * Memory:  reservations are relaxed (K2): room was admitted before the round, and what is written is read in a later
 *          round.
 * Source:  Orr 2016, section 4.1 (reservation by one leader, figure 4-3).
 */
#ifndef GRAVELP_CHANNEL_CL_H
#define GRAVELP_CHANNEL_CL_H

#include "layout/flow.h"
#include "workgroup.cl.h"

#ifdef GRAVELP_FLOW_SIGN

/* A CE that a work-item has reserved, by its column, or its index if it is held; ce + i is the i-th after it. */
typedef uint gravel_ce;
#define GRAVELP_NO_CE 0x80000000u /* and all above: a reservation that was refused */
#define GRAVELP_NO_SLOT 0xffffffffu

constant struct gravelp_channel gravelp_channels[] = {GRAVELP_FLOW_CHANNELS};

/* Local memory of one work-group; GRAVEL_FLOW_OPEN declares it. */
struct gravelp_flow_scratch {
    gravel_ce ce;                 /* the first that the leader has reserved */
    gravel_ce after;              /* the first continuation */
    uint n_forks;                 /* work-items with children */
    uint forks[GRAVEL_MAX_GROUP]; /* per work-item: how many of them are before it */
#ifdef GRAVELP_FLOW_LOOP
    struct gravelp_round round; /* which this group is in */
    uint chunk;                 /* of the round, a group's worth of CEs: its next one */
    uint member, n_members;     /* this group's number among the members of the launch */
    uint phase;                 /* as it knows it */
    uint goes_on, chooses;
    uint may_follow, depth, most, key; /* while the next round is chosen */
#endif
};

/* CEs that a work-item has made by one call; if it asked for none, any. */
struct gravel_fork {
    gravel_ce after; /* its continuation */
    gravel_ce first; /* of its children */
};

/* What GRAVEL_FLOW_OPEN gives a work-item: its CE of the round, and what it needs to make others. */
struct gravel_flow_group {
    struct gravel_group group; /* to send messages with */
    global struct gravelp_flow *flow;
    local struct gravelp_flow_scratch *scratch;
    uint channel; /* of the round; the same for the whole group, as level */
    uint level;
    uint index;  /* of the work-item's CE, free-running; without one, any */
    uint active; /* whether it has one */
    uint is_on;
    /* whether its group has any: else the group runs the node idly; the same for the whole group */
};

/* The level of what the round's node makes for a channel. */
GRAVELP_INLINE uint gravelp_level_into(struct gravel_flow_group f, uint into)
{
    uint is_deeper =
        gravelp_channels[into].kind == GRAVEL_SPAWN && f.channel >= GRAVELP_FLOW_N_FLAT;
    return into < GRAVELP_FLOW_N_FLAT ? 0 : f.level + is_deeper;
}

/* The words of rows, by number; those of a channel at a level begin with gravelp_rows_at. */
GRAVELP_INLINE global uint *gravelp_rows(struct gravel_flow_group f)
{
    return (global uint *)f.flow + GRAVELP_FLOW_ROWS_AT;
}
GRAVELP_INLINE uint gravelp_rows_at(uint channel, uint level)
{
    return gravelp_channels[channel].base + gravelp_channels[channel].level_words * level;
}

GRAVELP_INLINE uint gravelp_column(uint channel, uint index)
{
    return index & (gravelp_channels[channel].width - 1);
}

/* Leader, or a work-item alone: say what went wrong. The first fault stays, and ends the run. */
GRAVELP_OUT_OF_LINE void gravelp_flow_fault(global struct gravelp_flow *flow, uint fault,
                                            uint channel, uint value, uint bound)
{
    global struct gravelp_flow_fault *first = gravelp_flow_faults(flow);
    if (gravelp_device_fetch_add_relaxed(&first->claim, 1) != 0)
        return;
    first->channel = channel;
    first->value = value;
    first->bound = bound;
    gravelp_device_store_release(&first->fault,
                                 fault); /* K3: with the kernel's end, or the round's */
}

/* Work-items that reserve together: how many CEs one may ask for, so that the sum of a group is below GRAVELP_NO_CE. */
#define GRAVELP_MOST_ASKED (GRAVELP_NO_CE / GRAVEL_MAX_GROUP - 1)

/* Any of them: what it adds to the sum; nothing, after a fault. */
GRAVELP_INLINE uint gravelp_asked(struct gravel_flow_group f, uint into, uint n)
{
    if (n > GRAVELP_MOST_ASKED)
        gravelp_flow_fault(f.flow, GRAVELP_FLOW_FAULT_ASK, into, n, GRAVELP_MOST_ASKED);
    return n > GRAVELP_MOST_ASKED ? 0 : n;
}
/* Its first CE, or none after that fault. */
GRAVELP_INLINE gravel_ce gravelp_given(uint n, gravel_ce ce)
{
    return n > GRAVELP_MOST_ASKED ? GRAVELP_NO_CE : ce;
}

/* Leader, or a work-item alone: returns the first of n CEs of a channel; GRAVELP_NO_CE, after a fault. A round's limit
 * is what it was admitted for, so the room is free; a node that makes more than its edge declares is refused. */
GRAVELP_INLINE gravel_ce gravelp_reserve_wi(struct gravel_flow_group f, uint into, uint n)
{
    uint level = gravelp_level_into(f, into);
    uint n_stacks = GRAVELP_FLOW_N_CHANNELS - GRAVELP_FLOW_N_FLAT;
    uint layer = into < GRAVELP_FLOW_N_FLAT ? into : into + level * n_stacks;
    if (n == 0)
        return 0;
    if (into >= GRAVELP_FLOW_N_FLAT && level >= f.flow->n_levels) {
        gravelp_flow_fault(f.flow, GRAVELP_FLOW_FAULT_DEEP, into, n, f.flow->n_levels);
        return GRAVELP_NO_CE;
    }
    if (n > gravelp_channels[into].width) {
        gravelp_flow_fault(f.flow, GRAVELP_FLOW_FAULT_MOST, into, n - gravelp_channels[into].width,
                           f.flow->round.n);
        return GRAVELP_NO_CE;
    }
    global uint *tail = gravelp_flow_words(f.flow, f.flow->tails_at + layer);
    uint end = n + gravelp_device_fetch_add_relaxed(tail, n); /* K2 */
    uint limit = *gravelp_flow_words(f.flow, f.flow->limits_at + into);
    if ((int)(limit - end) < 0) {
        gravelp_flow_fault(f.flow, GRAVELP_FLOW_FAULT_MOST, into, end - limit, f.flow->round.n);
        gravelp_device_fetch_add_relaxed(tail, 0u - n); /* K2: many refusals do not wrap */
        return GRAVELP_NO_CE;
    }
    return gravelp_channels[into].kind == GRAVEL_HELD ? (end - n) & GRAVELP_CE_MASK
                                                      : gravelp_column(into, end - n);
}

/* Leader, or a work-item alone: one talloc more of a channel that needs its enq, or one less. */
GRAVELP_INLINE void gravelp_count_unenqueued(struct gravel_flow_group f, uint into, int more)
{
    gravelp_device_fetch_add_relaxed(gravelp_flow_words(f.flow, f.flow->unenqueued_at + into),
                                     (uint)more); /* K2 */
}

/* A word of a record. Where a group is one thread, a work-item without a CE reads what lies behind the round and drops
 * it (gravelp_round_index), while other groups may write there. */
#if defined(GRAVELP_ONE_THREAD)
#define GRAVELP_ROW_LOAD(word) \
    gravelp_device_load_relaxed(word) /* relaxed: a kernel's end or K5 and K6 order it */
#define GRAVELP_ROW_STORE(word, value) \
    gravelp_device_store_relaxed(word, value) /* relaxed: a kernel's end or K5 and K6 order it */
#else
#define GRAVELP_ROW_LOAD(word) (*(word))
#define GRAVELP_ROW_STORE(word, value) (void)(*(word) = (value))
#endif

/* Any work-item: the i-th word of a record of a channel, at a level. */
GRAVELP_INLINE global uint *gravelp_word_of(struct gravel_flow_group f, uint channel, uint level,
                                            gravel_ce ce, uint i)
{
    return gravelp_rows(f) + gravelp_rows_at(channel, level) + i * gravelp_channels[channel].width +
           gravelp_column(channel, ce);
}

/* Leader, or a work-item alone: returns the first of n CEs of a channel, or of n positions of a held channel's ring. */
GRAVELP_INLINE uint gravelp_take_wi(struct gravel_flow_group f, uint channel, uint n, bool enqueues)
{
    if (!enqueues)
        return gravelp_reserve_wi(f, channel, n);
    return n ? gravelp_device_fetch_add_relaxed(
                   gravelp_flow_words(f.flow, f.flow->enqueued_at + channel), n) /* K8 */
             : 0;
}

/* Every work-item of the group: the same for each, which lie one work-item's after another's. */
GRAVELP_INLINE uint gravelp_take_wg(struct gravel_flow_group f, uint channel, uint n, bool enqueues)
{
    gravelp_sums(f.group, n, false);
    if (gravelp_is_leader())
        f.scratch->ce = gravelp_take_wi(f, channel, f.group.scratch->n_active, enqueues);
    gravelp_group_meet(f.group.arena); /* G1: the first is known */
    return f.scratch->ce + f.group.scratch->lanes[gravelp_lane_index()];
}
GRAVELP_INLINE gravel_ce gravelp_reserve_wg(struct gravel_flow_group f, uint into, uint n)
{
    return gravelp_given(n, gravelp_take_wg(f, into, gravelp_asked(f, into, n), false));
}

#ifdef GRAVEL_HAS_SUBGROUPS
/* Every work-item of the sub-group. Source: figure 4-3 (a wavefront reserves by prefix sum, one lane and broadcast). */
GRAVELP_INLINE uint gravelp_take_sg(struct gravel_flow_group f, uint channel, uint n, bool enqueues)
{
    struct gravelp_sg_count mine = gravelp_sg_sums(n);
    uint first = 0;
    if (gravelp_sg_lane() == 0)
        first = gravelp_take_wi(f, channel, mine.n, enqueues);
    return gravelp_sg_first(first) + mine.position;
}
GRAVELP_INLINE gravel_ce gravelp_reserve_sg(struct gravel_flow_group f, uint into, uint n)
{
    return gravelp_given(n, gravelp_take_sg(f, into, gravelp_asked(f, into, n), false));
}
#endif

/* Every work-item of the group: the sums of gravelp_sums; f.scratch->forks and n_forks: work-items that have any. */
GRAVELP_INLINE void gravelp_scan_forks(struct gravel_flow_group f, uint n)
{
#if defined(GRAVELP_SERIAL_GROUP)
    gravelp_lane_set(f.group.scratch, n);
    gravelp_group_meet_apart(f.group.arena); /* G1: the numbers are set */
    if (gravelp_is_leader()) {
        uint n_lanes = gravelp_group_fits(f.group.arena) ? gravelp_n_lanes() : 0;
        uint sum = 0, n_forks = 0;
        for (uint i = 0; i < n_lanes; i++) {
            uint own = f.group.scratch->lanes[i];
            f.group.scratch->lanes[i] = sum;
            f.scratch->forks[i] = n_forks;
            sum += own;
            n_forks += own != 0;
        }
        f.group.scratch->n_active = sum;
        f.scratch->n_forks = n_forks;
    }
#else
    gravelp_sums(f.group, n != 0, false);
    f.scratch->forks[gravelp_lane_index()] = f.group.scratch->lanes[gravelp_lane_index()];
    if (gravelp_is_leader())
        f.scratch->n_forks = f.group.scratch->n_active;
    gravelp_group_meet(f.group.arena); /* G1: the first sums are read */
    gravelp_sums(f.group, n, false);
#endif
}

#endif

#endif
