/* SPDX-License-Identifier: MIT */
/*
 * Flow memory: the one device buffer of a flow, the second argument of its kernel.
 *
 *     struct gravelp_flow | limits | struct gravelp_flow_launch | struct gravelp_flow_fault | unenqueued | tails |
 *     enqueued | done | heads | taken | peaks | channels | edges |
 *     result | rows of streams | of held channels | of outputs | their states | rows of level 0 | of level 1 | ...
 *
 * A channel has a queue of channel elements (CEs) for each of its levels: a *layer*. A stack has n_levels layers, a
 * stream or output one. Layers are numbered by level: first those of streams and outputs, then the stacks' of level 0,
 * of level 1, and so on. A layer's CEs are head to tail, free-running; CE i is in column i % width.
 *
 * Records are column-major: word w of column i is at w * width + i of its layer's rows, whose offsets follow from the
 * graph and the widths alone, and are constants in a flow's program. Within a level continuations come
 * first. A slot is the number of a word of theirs or of a held CE, or of the caller's result, counted from the
 * beginning of the result. Of a held channel the CEs that are enqueued are taken to enqueued.
 *
 * Every word has one writing side: host (constants), chooser (round, limits, heads, taken, peaks), or leaders (tails,
 * enqueued, done, unenqueued, fault). With scheduler host the host is the chooser, and writes its words between rounds
 * only.
 *
 * Path:    lib/flow/layout.c lays it out -> a kernel's GRAVEL_FLOW argument -> cl/device/channel.cl.h.
 * Source:  Orr 2016, section 4.1 (channels) and figures 4-9 and 4-10 (stacks of channels).
 */
#ifndef GRAVELP_FLOW_H
#define GRAVELP_FLOW_H

#include "base.h"
#include "gravel/channel.h"

#define GRAVELP_FLOW_VERSION 3u

/* Faults; `value` and `bound` of the fault are counts. */
#define GRAVELP_FLOW_FAULT_NONE 0u
#define GRAVELP_FLOW_FAULT_MOST 1u /* a round makes more CEs of a channel than its edge declares */
#define GRAVELP_FLOW_FAULT_DEEP 2u /* a spawn at the last level */
#define GRAVELP_FLOW_FAULT_SLOT 3u /* a result for a slot that is none: value; slots: bound */
#define GRAVELP_FLOW_FAULT_SIGN 5u /* the kernel was built for another graph */
#define GRAVELP_FLOW_FAULT_OPEN 6u /* gravel_talloc without gravel_enq; found by the chooser */
#define GRAVELP_FLOW_FAULT_MEET 7u /* late: only value members of bound have ended a round */
#define GRAVELP_FLOW_FAULT_JOIN 8u /* a CE waits for no arrival: its state; expected: bound */
#define GRAVELP_FLOW_FAULT_FREE 9u /* a CE freed is not enqueued: its state; expected: bound */
#define GRAVELP_FLOW_FAULT_JOINS 10u /* a held CE is to wait for value arrivals; most: bound */
#define GRAVELP_FLOW_FAULT_ASK 11u /* a work-item reserves value CEs with its group; most: bound */

/* The row of a channel. Streams and outputs come first, then stacks. */
struct gravelp_channel {
    gravelp_u32 kind;
    gravelp_u32 n_words;     /* of a record */
    gravelp_u32 width;       /* CEs of a layer, a power of two */
    gravelp_u32 reserve;     /* of them, kept for the channel's own rounds */
    gravelp_u32 base;        /* [words] from the result to its rows of level 0 */
    gravelp_u32 level_words; /* from there to its rows of the next level; 0 without levels */
    gravelp_u32 first_edge;
    gravelp_u32 n_edges;
    gravelp_u32 is_by_group; /* a work-group processes one CE, not one for each work-item */
    gravelp_u32 states;      /* [words] of a held channel: from the result to its states */
    gravelp_u32 done;        /* of a held channel: its first done count */
};

/* A CE of the channel whose edge it is makes at most `at_most` of channel `into`. */
struct gravelp_edge {
    gravelp_u32 into;
    gravelp_u32 at_most;
};

/* n CEs of a layer, processed together. */
struct gravelp_round {
    gravelp_u32 channel;
    gravelp_u32 level;
    gravelp_u32 first;
    gravelp_u32 n; /* 0: there is none */
};

struct gravelp_flow {
    /* Written by the host before any run, constant afterwards. */
    gravelp_u32 version;
    gravelp_u32 sign; /* of the graph; the kernel's is GRAVELP_FLOW_SIGN */
    gravelp_u32 n_channels;
    gravelp_u32 n_flat; /* of them without levels */
    gravelp_u32 n_levels;
    gravelp_u32 n_layers;
    gravelp_u32 n_level_words; /* words of rows of all levels */
    gravelp_u32 limits_at;     /* [words] from the flow, as all that end in _at */
    gravelp_u32 launch_at;
    gravelp_u32 fault_at;
    gravelp_u32 unenqueued_at;
    gravelp_u32 tails_at;
    gravelp_u32 enqueued_at; /* [n_channels] as taken; of held channels */
    gravelp_u32 done_at;
    gravelp_u32 heads_at;
    gravelp_u32 taken_at;
    gravelp_u32 peaks_at;
    gravelp_u32 channels_at;
    gravelp_u32 edges_at;
    gravelp_u32 n_done;
    gravelp_u32 constant_padding[12];

    /* Written by the chooser between rounds; limits follow. */
    struct gravelp_round round;
    gravelp_u32 chooser_padding[12];
};

/* Work-groups of one launch meet by these words: those of them that have started are its members (members.cl.h). */
#define GRAVELP_MEMBERS_CLOSED 0x80000000u

/* Atomic; 0 before the launch, and only the device writes them while it runs. */
struct gravelp_members {
    gravelp_u32 enrolled; /* groups that came so far, and GRAVELP_MEMBERS_CLOSED */
    gravelp_u32 n;        /* how many of them are members; 0: not yet known (K7) */
    gravelp_u32 out;      /* members that have ended their chunks of the round (K5) */
    gravelp_u32 phase;    /* rounds that all members have ended (K6) */
    gravelp_u32 padding[12];
};

GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_members) == GRAVELP_CACHELINE, "a line");

/* Of a launch that processes several rounds. The host writes it before the launch; only the device while that runs. */
struct gravelp_flow_launch {
    struct gravelp_members members;

    /* The chooser's: the last member out of a round. */
    struct gravelp_round round;
    gravelp_u32 goes_on;    /* 0: the launch ends, and leaves `round` to the host */
    gravelp_u32 n_rounds;   /* processed in this launch */
    gravelp_u32 n_small;    /* of them, those of one group */
    gravelp_u32 n_elements; /* processed */
    gravelp_u32 n_lanes;    /* work-items that processed them */
    gravelp_u32 n_groups;   /* constant: of the launch; a lone one ends before a round of several */
    gravelp_u32 most_elements; /* constant: ... and once it has processed these */
    gravelp_u32 wait_ms;       /* constant: how long a member waits for the other members */
    gravelp_u32 chooser_padding[4];
};

/* Written by leaders of the device, first fault wins; unenqueued and tails follow. */
struct gravelp_flow_fault {
    gravelp_u32 fault; /* GRAVELP_FLOW_FAULT_*, set last by the leader that has claimed it */
    gravelp_u32 claim;
    gravelp_u32 channel; /* whose CEs were to be made, else the round's */
    gravelp_u32 value;
    gravelp_u32 bound;
    gravelp_u32 padding[11];
};

GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_flow) == 3 * GRAVELP_CACHELINE, "one line a writer");
GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_flow_launch) == 2 * GRAVELP_CACHELINE,
                      "one line a writer");
GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_flow_fault) == GRAVELP_CACHELINE, "one line a writer");

static inline GRAVELP_GLOBAL gravelp_u32 *
gravelp_flow_words(GRAVELP_GLOBAL struct gravelp_flow *flow, gravelp_u64 at)
{
    return (GRAVELP_GLOBAL gravelp_u32 *)flow + at;
}

/* Defines gravelp_flow_PART(flow): where a part begins. */
#define GRAVELP_DEFINE_PART(part, type, at)                               \
    static inline GRAVELP_GLOBAL type *gravelp_flow_##part(               \
        GRAVELP_GLOBAL struct gravelp_flow *flow)                         \
    {                                                                     \
        return (GRAVELP_GLOBAL type *)gravelp_flow_words(flow, flow->at); \
    }
GRAVELP_DEFINE_PART(launch, struct gravelp_flow_launch, launch_at)
GRAVELP_DEFINE_PART(faults, struct gravelp_flow_fault, fault_at)
GRAVELP_DEFINE_PART(channels, struct gravelp_channel, channels_at)
GRAVELP_DEFINE_PART(edges, struct gravelp_edge, edges_at)

/* CEs that a work-group processes at once. */
static inline gravelp_u32 gravelp_channel_share(struct gravelp_channel channel,
                                                gravelp_u32 group_items)
{
    return channel.is_by_group ? 1 : group_items;
}

/* Work-groups of a round of n CEs, and the lanes they have for CEs: a group with one CE counts as one. */
static inline gravelp_u32 gravelp_channel_groups(struct gravelp_channel channel,
                                                 gravelp_u32 group_items, gravelp_u32 n)
{
    gravelp_u32 share = gravelp_channel_share(channel, group_items);
    return n / share + (n % share != 0);
}

/* A layer's number; the level of a channel without levels does not matter. */
static inline gravelp_u32 gravelp_flow_layer(GRAVELP_GLOBAL struct gravelp_flow *flow,
                                             gravelp_u32 channel, gravelp_u32 level)
{
    gravelp_u32 n_stacks = flow->n_channels - flow->n_flat;
    return channel < flow->n_flat ? channel : channel + level * n_stacks;
}

/* ---- held channels ----------------------------------------------------------------------------- */

/*
 * Elements of a held channel are enqueued when as many arrivals have come as each waits for, and stay until they are
 * freed, in any order.
 *
 * A layer's head and tail say which channel elements (CEs) are held: room is admitted by them as in any channel. Two
 * rows behind the records are not part of them:
 *
 *     states     of each column: the lap of its CE, and how many arrivals the CE waits for; 0: enqueued
 *     enqueued   a ring of CEs in the order in which they were; its head and tail are words of the channel
 *
 * A CE is enqueued once while it is held, so that the ring has room; its entry dies with its round. *Done counts* say
 * how many of 64 neighbouring CEs have been freed. They are never reset: all 64 are free at 64 times the laps so far.
 * The chooser moves the head over CEs that are all free. It may stop among the 64, and those before it be of a lap
 * later, so even and odd laps have counts of their own.
 *
 * Source:  Orr 2016, section 4.1 (control array, done counts). Different there: producers and consumers work on one
 *          channel at once, so an entry is published by a second tail; here an entry is read in a later round.
 */
#define GRAVELP_DONE_SPAN 64u /* CEs that have a done count */
#define GRAVELP_CE_MASK \
    0x3fffffffu /* of a free-running index: what names a CE; some may be added */
#define GRAVELP_LAP_SHIFT 24u
#define GRAVELP_JOINS_FREED 0xffffffu /* instead of a number of arrivals */

/* The state of a CE that waits for `joins` arrivals; of neighbouring laps they differ. */
static inline gravelp_u32 gravelp_held_state(gravelp_u32 width, gravelp_u32 ce, gravelp_u32 joins)
{
    return (ce & GRAVELP_CE_MASK) / width << GRAVELP_LAP_SHIFT | joins;
}

/* Neighbours that share done counts, and how many counts a channel has. */
static inline gravelp_u32 gravelp_held_span(gravelp_u32 width)
{
    return width < GRAVELP_DONE_SPAN ? width : GRAVELP_DONE_SPAN;
}
static inline gravelp_u32 gravelp_held_n_done(gravelp_u32 width)
{
    return width / gravelp_held_span(width) * 2;
}

/* The number of a CE's done count. */
static inline gravelp_u32 gravelp_held_done_of(gravelp_u32 width, gravelp_u32 ce)
{
    return (ce & (width - 1)) / gravelp_held_span(width) * 2 + (ce / width & 1);
}

/*
 * Returns whether n CEs from index `first` on, the first of a span, have been freed.
 *
 * @param done  their count, which wraps later than indices do: bits of both that neither has are left out.
 */
static inline int gravelp_held_is_done(gravelp_u32 width, gravelp_u32 first, gravelp_u32 n,
                                       gravelp_u32 done)
{
    gravelp_u32 expected = first / width / 2 * gravelp_held_span(width) + n;
    return ((done - expected) & 0xffffffffu / gravelp_held_n_done(width)) == 0;
}

#endif
