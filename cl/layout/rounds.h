/* SPDX-License-Identifier: MIT */
/*
 * What the host and the kernel of rounds share: how a launch begins, and the words by which its groups meet.
 *
 * Path:    lib/rounds gives the one as the kernel's argument, and reads the other behind the launch; rounds.cl.h.
 */
#ifndef GRAVELP_ROUNDS_H
#define GRAVELP_ROUNDS_H

#include "arena.h"
#include "flow.h"

/* Instead of the number of a phase. */
#define GRAVELP_PHASE_ALL 0xffffffffu  /* all of them, round after round */
#define GRAVELP_PHASE_NONE 0xfffffffeu /* the launch counts them */

/* The kernel's argument; constant. */
struct gravelp_rounds_begin {
    gravelp_u64 words_at;   /* heap offset of struct gravelp_rounds [bytes] */
    gravelp_u64 number;     /* of the first round; in a run the first is 0 */
    gravelp_u64 sum;        /* what the round before has counted */
    gravelp_u32 phase;      /* which the launch is of */
    gravelp_u32 most;       /* rounds of the launch, at least 1 */
    gravelp_u32 until_zero; /* 1: a round that counts nothing is the last */
    gravelp_u32 n_groups;   /* of the launch */
    gravelp_u32 n_items;    /* of the launch, if it is of one phase */
    gravelp_u32 wait_ms;    /* of a group for those of its launch */
};

/* What the members of a launch add to until they meet, each atomically, and read when all have met. A launch of one
 * phase adds to count alone. */
struct gravelp_rounds_set {
    gravelp_u64 met;      /* members that came, those that added to other words, and a count */
    gravelp_u32 count[2]; /* what is not counted in `met`: lower and upper half */
    gravelp_u32 is_sent;  /* messages that are the host's to apply */
    gravelp_u32 refused;  /* messages to words that do not exist */
};

/* In `met`: a member, one that added to the other words; and what a member counts there is less than a part. */
#define GRAVELP_ROUNDS_MEMBER ((gravelp_u64)1 << 52)
#define GRAVELP_ROUNDS_ADDER ((gravelp_u64)1 << 40)
#define GRAVELP_ROUNDS_MOST 4096u /* members, and one */
#define GRAVELP_ROUNDS_PART (1u << 28)

/* Sets in turn. Before it meets the other members, member 0 clears the next one: it was used two meetings ago, and all
 * members have read it before they came to this one. */
#define GRAVELP_ROUNDS_SETS 3u

/* In the node's heap; 0 before a launch, which writes it, and the host reads it behind that. */
struct gravelp_rounds {
    struct gravelp_members members; /* by them the groups of a launch that stays meet */
    struct gravelp_rounds_set sets[GRAVELP_ROUNDS_SETS]; /* Y1, Y2; a phase alone: 0 */
    struct gravelp_rounds_set last;                      /* of the last whole round: by member 0 */
    gravelp_u32 n_rounds;                                /* whole ones of the launch: by member 0 */
    gravelp_u32 n_phases;                                /* of a survey */
    gravelp_u32 refused_line; /* of the first of them, in the program; and where it was to */
    gravelp_u32 alignment;
    gravelp_u64 refused_base, refused_index, refused_node;
    gravelp_u32 device_padding[14];

    /* Written by the host between runs: the allocations that messages may go to. */
    gravelp_u32 n_spans;
    gravelp_u32 padding[15];
    struct gravelp_bounds_span spans[GRAVELP_BOUNDS_MOST]; /* by rising offset */
};

GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_rounds) ==
                          5 * GRAVELP_CACHELINE +
                              GRAVELP_BOUNDS_MOST * sizeof(struct gravelp_bounds_span),
                      "one line a writer");

#endif
