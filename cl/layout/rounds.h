/* SPDX-License-Identifier: MIT */
/*
 * What the host and the kernel of rounds share: how a launch begins, and the words by which its groups meet.
 *
 * Path:    lib/rounds gives the one as the kernel's argument, and reads the other behind the launch; meeting.cl.h.
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
    gravelp_u64 number;     /* of the first round; in a run that continues none the first is 0 */
    gravelp_u64 sum;        /* what the round before has counted */
    gravelp_u64 nodes_at;   /* heap offset of what nodes meet by [bytes]; of several nodes */
    gravelp_u32 phase;      /* which the launch is of */
    gravelp_u32 most;       /* rounds of the launch, at least 1 */
    gravelp_u32 until_zero; /* 1: a round that counts nothing is the last */
    gravelp_u32 n_groups;   /* of the launch */
    gravelp_u32 wait_ms;    /* of a group for those of its launch */
    gravelp_u32 room;  /* messages of a round for each other node: more go as those of any kernel */
    gravelp_u32 n_met; /* rounds so far whose end nodes have met at: wraps */
};

/* What the members of a launch add to until they meet, each atomically, and read when all have met. A launch of one
 * phase adds to count alone. */
struct gravelp_rounds_set {
    gravelp_u64 met;        /* members that came, those that added to other words, and a count */
    gravelp_u32 count[2];   /* what is not counted in `met`: lower and upper half */
    gravelp_u32 is_sent;    /* messages that are the host's to apply */
    gravelp_u32 is_refused; /* messages to words that do not exist */
};

/* In `met`: a member, one that added to the other words; and what a member counts there is less than a part. */
#define GRAVELP_ROUNDS_MEMBER ((gravelp_u64)1 << 52)
#define GRAVELP_ROUNDS_ADDER ((gravelp_u64)1 << 40)
#define GRAVELP_ROUNDS_MOST 4096u /* members, and one */
#define GRAVELP_ROUNDS_PART (1u << 28)

/* Sets in turn. Before it meets the other members, member 0 clears the next one: it was used two meetings ago, and all
 * members have read it before they came to this one. */
#define GRAVELP_ROUNDS_SETS 3u

/* ---- several nodes ------------------------------------------------------------------------------
 *
 * By what lies at nodes_at the host ends a round with all nodes. Member 0 reports what the node has counted, and how
 * many messages lie in its frame for each node; the host answers all groups what all nodes have counted, whether
 * another round follows, and how many messages it has put into the frame of each. When groups have applied these,
 * member 0 reports that: no message of the next round may be applied before, and other nodes may have begun it. */

/* Words of a report and an answer: four parts of a sum, flags, in a report 1 once frames are applied, and for each node
 * two of a count. Each has 16 bits of what it says, and above them the round's number, as a copy may bring some words
 * before others. */
#define GRAVELP_ROUNDS_FLAGS 4u
#define GRAVELP_ROUNDS_APPLIED 5u
#define GRAVELP_ROUNDS_PARTS 6u
#define GRAVELP_ROUNDS_WORDS(n) (GRAVELP_ROUNDS_PARTS + 2 * (n))
#define GRAVELP_ROUNDS_COUNT(words, node)                     \
    (((words)[GRAVELP_ROUNDS_PARTS + 2 * (node)] & 0xffffu) | \
     ((words)[GRAVELP_ROUNDS_PARTS + 2 * (node) + 1] & 0xffffu) << 16)
#define GRAVELP_ROUNDS_WORD(number, part) \
    ((gravelp_u32)(number) << 16 | ((gravelp_u32)(part)&0xffffu))

/* Flags. */
#define GRAVELP_ROUNDS_GO_ON 1u   /* of an answer */
#define GRAVELP_ROUNDS_SENT 2u    /* some messages went as those of any kernel */
#define GRAVELP_ROUNDS_REFUSED 4u /* the run ends */
#define GRAVELP_ROUNDS_LATE 8u    /* the launch ends */
#define GRAVELP_ROUNDS_FAILED 16u /* a launch or a barrier at some node: the run ends */

struct gravelp_round_message {
    gravelp_u64 to; /* GRAVELP_ROUND_TO its command and the word's heap offset [bytes] */
    gravelp_u64 value;
};
#define GRAVELP_ROUND_TO(command, offset) ((gravelp_u64)(command) << 48 | (offset))
#define GRAVELP_ROUND_OFFSET(message) ((message).to & 0xffffffffffffu)
#define GRAVELP_ROUND_COMMAND(message) ((gravelp_u32)((message).to >> 48))

/* Behind nodes_at [bytes], of n nodes: the report, the answer, [2][n] messages so far by the round's number % 2, [n]
 * frames that go and [n] that come, of `room` messages. */
#define GRAVELP_ROUNDS_LINES(bytes) (((bytes) + 63ul) & ~63ul)
#define GRAVELP_ROUNDS_ANSWER(n) GRAVELP_ROUNDS_LINES(4ul * GRAVELP_ROUNDS_WORDS(n))
#define GRAVELP_ROUNDS_COUNTS(n) (2 * GRAVELP_ROUNDS_ANSWER(n))
#define GRAVELP_ROUNDS_OUT(n) (GRAVELP_ROUNDS_COUNTS(n) + GRAVELP_ROUNDS_LINES(8ul * (n)))
#define GRAVELP_ROUNDS_IN(n, room) (GRAVELP_ROUNDS_OUT(n) + 16ul * (n) * (room))
#define GRAVELP_ROUNDS_BYTES(n, room) (GRAVELP_ROUNDS_IN(n, room) + 16ul * (n) * (room))

/* In the node's heap; 0 before a launch, which writes it, and the host reads it behind that. */
struct gravelp_rounds {
    struct gravelp_members members; /* by them the groups of a launch that stays meet */
    struct gravelp_rounds_set sets[GRAVELP_ROUNDS_SETS]; /* Y1, Y2; a phase alone: 0 */
    struct gravelp_rounds_set last;                      /* of the last whole round: by member 0 */
    gravelp_u32 n_rounds;                                /* whole ones of the launch: by member 0 */
    gravelp_u32 n_phases;                                /* of a survey */
    gravelp_u32 n_refused;    /* messages to words that do not exist; and of the first of them */
    gravelp_u32 refused_line; /* of the program, and where it was to */
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
