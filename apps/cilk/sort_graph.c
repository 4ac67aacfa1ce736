/* SPDX-License-Identifier: MIT */
/*
 * Sort's graph. See sort_graph.h.
 *
 * Path: sort_graph.h -> this
 * Source: Orr 2016, table 4-3.
 */
#include <sys/types.h>

#include "sort_graph.h"

#include "sort.h"

#include <stdio.h>

static const struct gravel_edge split[] = {{"split", 4}, {"leaf", 4}, {"halves", 1}};
static const struct gravel_edge halves[] = {{"whole", 1}, {"merge", 2}, {"join", 2}};
static const struct gravel_edge whole[] = {{"merge", 1}, {"join", 1}};
static const struct gravel_edge merge[] = {{"merge", 2}, {"join", 2}};
static const struct gravel_channel channels[] = {
    {"split", sizeof(struct split), GRAVEL_SPAWN, 0, 3, split},
    {"leaf", sizeof(struct leaf), GRAVEL_SPAWN | GRAVEL_GROUP_NODE, 0, 0, NULL},
    {"halves", sizeof(struct halves), GRAVEL_AFTER, 0, 3, halves},
    {"whole", sizeof(struct whole), GRAVEL_AFTER, 0, 2, whole},
    {"merge", sizeof(struct merge), GRAVEL_SPAWN, 0, 2, merge},
    {"join", sizeof(struct join), GRAVEL_SPAWN | GRAVEL_GROUP_NODE, 0, 0, NULL}};

static uint32_t halvings(uint32_t n, uint32_t parts, uint32_t most)
{
    uint32_t levels = 0;
    for (; n > most; n = n / parts + (n % parts != 0))
        levels++;
    return levels;
}

/* Counts levels of tasks: of splits and a leaf, or of the merges that follow the first split. */
static uint32_t depth_of(const struct sort_size *size)
{
    uint32_t splits = halvings(size->n, 4, size->base);
    uint32_t merges = 1 + halvings(size->n, 2, sort_block_keys(size));
    return 1 + (splits > merges ? splits : merges) + 1;
}

struct gravel_graph sort_graph(const struct sort_size *size)
{
    return (struct gravel_graph)GRAVEL_GRAPH(channels, 6, .depth = depth_of(size),
                                             .group_items = size->group_items);
}

void sort_write_options(const struct sort_size *size, char options[SORT_OPTIONS_BYTES])
{
    snprintf(options, SORT_OPTIONS_BYTES, "-DBASE=%u -DPER_ITEM=%u -DBLOCK=%u", size->base,
             SORT_PER_ITEM, sort_block_keys(size));
}
