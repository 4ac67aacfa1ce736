/* SPDX-License-Identifier: MIT */
/*
 * GUPS: what its two ways to make updates share.
 *
 * Path: gups.c has main -> this -> divergent.c
 * Owner: main's struct.
 * Threads: main's.
 */
#ifndef APPS_GUPS_H
#define APPS_GUPS_H

#include "frame/app.h"
#include "gups/table.h"

#include <gravel/accumulator.h>

struct gups {
    struct options options;
    struct node node;
    uint64_t log_table; /* log2 of the words a node */
    /* Each work-item makes a piece of the stream: */
    uint64_t log_updates; /* log2 of the updates a node */
    uint64_t per_item;    /* updates of a work-item, a power of two */
    enum table_op op;
    double zipf; /* exponent; 0: uniform */
    bool accumulates;
    struct gravel_accumulator *accumulator;
    /* With --divergence few work-items make different numbers of updates: */
    const char *form; /* NULL: it is the other way */
    uint64_t log_items;
    uint64_t idle_percent; /* of the work-items */
    uint64_t most;         /* updates of an active work-item, 1 to most */
    uint64_t wave_items;   /* of a group of form wave; 0: the device's choice */
    /* Both have: */
    struct table table;
    cl_kernel kernel;
    uint64_t n_items; /* of a node */
    struct node_bound bound;
};

/** Make the kernel of the form, once the tables are there; where the device cannot run it, exit with status 77. */
void divergent_open(struct gups *gups);

/** Set variant, input and work, and add the parameters. */
void divergent_describe(const struct gups *gups, struct trials *trials);

/** Undo all nodes' updates of the own part. */
void divergent_undo(struct gups *gups);

#endif
