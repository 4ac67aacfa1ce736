/* SPDX-License-Identifier: MIT */
/*
 * The script of a work-group: its calls, and what each work-item gives to each. Compiled by both sides.
 *
 * Path: table.c writes it -> interpret.cl runs it.
 */
#ifndef TESTS_HISTORY_SCRIPT_H
#define TESTS_HISTORY_SCRIPT_H

#include "layout/base.h"

#define HISTORY_GROUPS 3u
#define HISTORY_ITEMS 8 /* of a work-group */
#define HISTORY_STEPS 8 /* of a work-group at most */

/*
 * Forms of a call: every work-item, those that are active by a predicate, each active one by itself; and those that are
 * active, by a message to a handler of the device, asked if there is an answer. Rounds have a step in each phase.
 */
#define HISTORY_WG 0
#define HISTORY_WG_IF 1
#define HISTORY_WI 2
#define HISTORY_HANDLER 3
#define HISTORY_PHASE 4 /* of rounds: as HISTORY_WI */

#define HISTORY_PHASES 2u /* of a round */
#define HISTORY_ROUNDS (HISTORY_STEPS / HISTORY_PHASES)
/* Behind what work-items see: what rounds have counted. */
#define HISTORY_SUMS (HISTORY_GROUPS * HISTORY_STEPS * HISTORY_ITEMS)

/* Beside the operations of gravel/operation.h. A kernel's, which change a word later than messages do: */
#define HISTORY_ADDED 12 /* in an accumulator, sent by what flushes it */
#define HISTORY_MAXED 13
#define HISTORY_SLOT 14 /* in a slot of a mirror, sent when the mirror is shared */
/* A kernel's, which change no word: */
#define HISTORY_LOOK 32 /* at a word of its node, once a flag has been raised often enough */
#define HISTORY_COLLECT \
    33 /* at the answer to an earlier call, once all answers so far are counted */
/* The host's: */
#define HISTORY_FENCE 36
#define HISTORY_QUIET 37
#define HISTORY_FLUSH 38   /* of one accumulator, or the beginning of one */
#define HISTORY_SESSION 39 /* its begin, or its end */
/* All hosts' at once: */
#define HISTORY_BARRIER 40
#define HISTORY_SUM 41   /* gravel_barrier_sum of the counters */
#define HISTORY_SHARE 42 /* both mirrors, behind a barrier */

#define HISTORY_CODE(op, type) ((op) << 3 | (type))

/* A step of a work-group. Code 0 is none; of collects, too, the code is that of a look. */
struct history_call {
    gravelp_u32 code, form;
    gravelp_u64 flag;     /* heap offset: raised by put_signal, waited for by a look */
    gravelp_u32 n_raised; /* what a look waits for, else 0 */
    gravelp_u32 unused;
};

/* What a work-item gives to it. */
struct history_item {
    gravelp_u64 value, expected;
    gravelp_u64 poll_at; /* heap offset */
    gravelp_u32 active, node, index, place;
};

#endif
