/* SPDX-License-Identifier: MIT */
/*
 * Between the files that run rounds.
 *
 * Path:    run.c -> nodes.c -> goal.c
 */
#ifndef GRAVEL_ROUNDS_PARTS_H
#define GRAVEL_ROUNDS_PARTS_H

#include "rounds/rounds.h"

#define GRAVEL_ROUNDS_RUN "gravel_rounds_run"
#define GRAVEL_ROUNDS_TAKEN offsetof(struct gravelp_rounds, n_spans) /* [bytes] behind a launch */

/* A run: when it ends, and how far it is. */
struct gravel_rounds_goal {
    uint64_t until, most, done, first; /* first: number of its first round */
};

/* A wait for a launch: GRAVEL_KERNEL_LIMIT counts from when groups have last met. */
struct gravel_rounds_watch {
    const struct gravel_rounds *rounds;
    uint64_t number;                   /* of the round that is waited for, */
    bool may_be_later;                 /* or of the first of several */
    uint64_t met[GRAVELP_ROUNDS_SETS]; /* as last seen */
};

/* ---- goal.c ---------------------------------------------------------------------------------------- */

bool gravel_rounds_has_ended(const struct gravel_rounds *rounds,
                             const struct gravel_rounds_goal *run);
/** Adds n rounds, of which the last one has counted `sum`. */
void gravel_rounds_count(struct gravel_rounds *rounds, struct gravel_rounds_goal *run, uint64_t n,
                         uint64_t sum);
/** The kernel's argument for a launch that begins now, and sets it. */
struct gravelp_rounds_begin gravel_rounds_begin_at(const struct gravel_rounds *rounds,
                                                   const struct gravel_rounds_goal *run,
                                                   uint32_t phase);
int gravel_rounds_set_begin(const struct gravel_rounds *rounds,
                            const struct gravelp_rounds_begin *begin);
/** Returns the limit of a wait for a launch. @param watch  stays until the wait ends */
struct gravel_limit gravel_rounds_limit(struct gravel_rounds_watch *watch);
/** Fails the node: what a launch still does is unknown, or other nodes wait for it in the run. @return code */
int gravel_rounds_fail_node(struct gravel *gravel, int code);
/** Returns GRAVEL_ERANGE, of messages that a launch has refused. */
int gravel_rounds_fail_refused(const struct gravel_rounds *rounds,
                               const struct gravelp_rounds *words);
/** Returns GRAVEL_EINVAL, of a kernel that has ended without a round. */
int gravel_rounds_fail_empty(void);
/** Returns whether some object of the node has words that a wait sends. */
bool gravel_rounds_flushes(struct gravel *gravel);

/** nodes.c: launches until the run has ended. Collective. @param shown  what this node's preparation came to */
int gravel_rounds_run_with_nodes(struct gravel_rounds *rounds, struct gravel_rounds_goal *run,
                                 int shown);

#endif
