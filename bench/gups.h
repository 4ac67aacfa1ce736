/* SPDX-License-Identifier: MIT */
/*
 * What bench-gups asks of a way to update random words of a distributed table.
 *
 * Path:    bench_gups.c -> a list of variants -> gups_*.c.
 * Memory:  a variant's open makes the rank's table, zero-filled, and its close frees it.
 * Threads: the main thread calls; every rank makes every call, in the same order.
 */
#ifndef GRAVEL_GUPS_H
#define GRAVEL_GUPS_H

#include "gups_stream.h"

#include <stdbool.h>
#include <stdint.h>

struct gups_problem {
    uint32_t rank;
    uint32_t n_ranks;
    uint32_t mask;      /* table words of a rank, a power of two, minus 1 */
    uint64_t n_updates; /* of each rank, a power of two */
};

/* A table that is ready to be updated. */
struct gups {
    const struct gups_problem *problem;
    const uint64_t *table;            /* [mask + 1] of this rank */
    void (*fetch)(struct gups *gups); /* make `table` readable after a run; NULL if it is */
    void (*run)(
        struct gups *gups); /* make this rank's updates; when it returns, all ranks' are applied */
    void (*close)(struct gups *gups);
};

/* A way to do it. */
struct gups_variant {
    uint32_t updates_shift; /* 2^shift times fewer updates are enough, since it is slow */
    bool is_alone;          /* it sends nothing: for jobs of one rank */
    /** Why this MPI cannot run it, or NULL: a text that stays. Collective; NULL if any can. */
    const char *(*why_not)(void);
    /** Make a table; NULL, after a message on standard error, if there can be none. */
    struct gups *(*open)(const struct gups_problem *problem, bool is_alone);
};

extern const struct gups_variant gups_gravel;
extern const struct gups_variant gups_alone;
extern const struct gups_variant gups_hand;
extern const struct gups_variant gups_accumulate;

#endif
