/* SPDX-License-Identifier: MIT */
/*
 * GUPS: what its two ways to make updates, and their check, share.
 *
 * Path: gups.c has main -> this -> divergent.c, check.c
 */
#ifndef APPS_GUPS_H
#define APPS_GUPS_H

#include "frame/app.h"

#include <gravel/accumulator.h>

/* What an update does to its word, given the number of the stream that names it. */
enum gups_op {
    GUPS_INC, /* one more */
    GUPS_ADD, /* of 32-bit floats: 1 to 8 more, so that sums are exact in any order */
    GUPS_PUT  /* the number itself */
};

struct gups {
    struct options options;
    struct node node;
    uint64_t log_table; /* log2 of the words a node */
    /* Each work-item makes a piece of the stream: */
    uint64_t log_updates; /* log2 of the updates a node */
    uint64_t per_item;    /* updates of a work-item, a power of two */
    enum gups_op op;
    uint32_t zipf;     /* exponent; 0: uniform */
    uint32_t n_levels; /* of skew() in gups.cl; 0: uniform */
    bool accumulates;
    struct gravel_accumulator *accumulator;
    /* With --divergence few work-items make different numbers of updates: */
    const char *form; /* NULL: it is the other way */
    uint64_t log_items;
    /* Both have: */
    uint64_t table;                /* heap offset; of zeros before a trial */
    uint64_t n_words, table_bytes; /* of a node's table */
    uint64_t n_updates;            /* of a node that walks the stream */
    cl_kernel kernel;
    uint64_t n_items; /* of a node */
    struct node_bound bound;
};

#define DIVERGENT_MOST 16u /* updates of an active work-item, 1 at least */

/** Make the kernel of the form, once the table is there; where a device cannot run it, exit with status 77. */
void divergent_open(struct gups *gups);

/** Set variant, input and work, and add the parameters. */
void divergent_describe(const struct gups *gups, struct trials *trials);

/** Call `visit` for each update of all nodes, with a number whose upper half chooses the node, and lower bits the word. */
typedef void divergent_visit(void *user, uint64_t random);
void divergent_each(const struct gups *gups, divergent_visit *visit, void *user);

/** Count the wrong words of this process's tables, which that changes. */
app_check gups_check;

#endif
