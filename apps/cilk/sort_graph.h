/* SPDX-License-Identifier: MIT */
/*
 * The flow of sort: its graph, and the options of its program.
 *
 * Path: sort.c -> this
 */
#ifndef APPS_CILK_SORT_GRAPH_H
#define APPS_CILK_SORT_GRAPH_H

#include <gravel/flow.h>

#define SORT_PER_ITEM 8u /* keys that a work-item merges */

/** A sort of n keys. */
struct sort_size {
    uint32_t n;
    uint32_t base;        /* keys that a work-group sorts by rank */
    uint32_t group_items; /* of a work-group */
};

/** Keys that a work-group merges. */
static inline uint32_t sort_block_keys(const struct sort_size *size)
{
    return SORT_PER_ITEM * size->group_items;
}

struct gravel_graph sort_graph(const struct sort_size *size);

#define SORT_OPTIONS_BYTES 96
/** Write the compiler's options for sort.cl. */
void sort_write_options(const struct sort_size *size, char options[SORT_OPTIONS_BYTES]);

#endif
