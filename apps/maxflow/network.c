/* SPDX-License-Identifier: MIT */
/*
 * The network as rows: each arc in the row of its tail, with a twin in the row of its head.
 *
 * Path: mesh.c, read.c -> this -> open.c
 * Owner: see maxflow.h.
 * Threads: main's.
 */
#include "maxflow.h"

#include <inttypes.h>
#include <stdlib.h>

void maxflow_add(struct maxflow_arcs *arcs, struct maxflow_arc arc)
{
    if (arc.from == arc.to)
        return;
    if (arcs->n == arcs->n_room) {
        arcs->n_room = arcs->n_room ? 2 * arcs->n_room : 1024;
        arcs->each = realloc(arcs->each, arcs->n_room * sizeof *arcs->each);
        if (!arcs->each)
            die("no memory for %" PRIu64 " arcs", arcs->n_room);
    }
    arcs->each[arcs->n++] = arc;
}

static void count_rows(struct maxflow_rows *rows, const struct maxflow_arcs *arcs)
{
    for (uint64_t i = 0; i < arcs->n; i++) {
        rows->offsets[arcs->each[i].from + 1]++;
        rows->offsets[arcs->each[i].to + 1]++;
        if (arcs->each[i].from == arcs->source)
            rows->supply += arcs->each[i].capacity;
    }
    for (uint64_t v = 0; v < rows->n_vertices; v++)
        rows->offsets[v + 1] += rows->offsets[v];
}

static void fill_rows(struct maxflow_rows *rows, const struct maxflow_arcs *arcs)
{
    cl_uint *next = app_array(rows->n_vertices, sizeof *next, "the network");
    for (uint64_t v = 0; v < rows->n_vertices; v++)
        next[v] = rows->offsets[v];
    for (uint64_t i = 0; i < arcs->n; i++) {
        const struct maxflow_arc arc = arcs->each[i];
        const cl_uint there = next[arc.from]++, back = next[arc.to]++;
        rows->entries[there] = (struct maxflow_entry){arc.to, back};
        rows->entries[back] = (struct maxflow_entry){arc.from, there};
        rows->capacity[there] = arc.capacity;
    }
    free(next);
}

void maxflow_rows_open(struct maxflow_rows *rows, struct maxflow_arcs *arcs)
{
    *rows = (struct maxflow_rows){.n_vertices = arcs->n_vertices,
                                  .n_entries = 2 * arcs->n,
                                  .source = arcs->source,
                                  .sink = arcs->sink};
    rows->offsets = app_array(rows->n_vertices + 1, sizeof *rows->offsets, "the network");
    rows->entries = app_array(rows->n_entries + 1, sizeof *rows->entries, "the network");
    rows->capacity = app_array(rows->n_entries + 1, sizeof *rows->capacity, "the network");
    count_rows(rows, arcs);
    if (rows->supply > MAXFLOW_MOST_SUPPLY)
        die("the source's arcs have a capacity of %" PRIu64 " together, at most %u", rows->supply,
            MAXFLOW_MOST_SUPPLY);
    fill_rows(rows, arcs);
    free(arcs->each);
}

void maxflow_rows_close(struct maxflow_rows *rows)
{
    free(rows->offsets);
    free(rows->entries);
    free(rows->capacity);
}
