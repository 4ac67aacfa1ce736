/* SPDX-License-Identifier: MIT */
/*
 * Sort, then move what stays to the front.
 *
 * Path: graph_part.c -> this
 * Owner: see graph_simple.h.
 * Threads: one at a time per graph.
 */
#include "graph_simple.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Copy a sorted row to `to`, but for loops and repeats. @return how many are left. */
static uint64_t copy_once(uint32_t *to, const uint32_t *row, uint64_t n, uint32_t vertex)
{
    uint64_t n_left = 0;
    for (uint64_t i = 0; i < n; i++)
        if (row[i] != vertex && (n_left == 0 || to[n_left - 1] != row[i]))
            to[n_left++] = row[i];
    return n_left;
}

void graph_make_simple(struct graph *rows, const uint32_t *vertices)
{
    uint64_t n_kept = 0, start = 0;
    for (uint64_t u = 0; u < rows->n_vertices; u++) {
        uint64_t end = rows->offsets[u + 1];
        qsort(rows->neighbours + start, end - start, sizeof *rows->neighbours, compare);
        n_kept += copy_once(rows->neighbours + n_kept, rows->neighbours + start, end - start,
                            vertices[u]);
        rows->offsets[u + 1] = n_kept;
        start = end;
    }
    rows->n_edges = n_kept;
    free(rows->weights);
    rows->weights = NULL;
    rows->weights_are = GRAPH_UNWEIGHTED;
}
