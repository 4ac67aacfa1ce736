/* SPDX-License-Identifier: MIT */
/*
 * Who chooses before whom: the order of the own vertices, and of each vertex's neighbours that choose before it; or all its
 * neighbours, by kinds.
 *
 * Rows are in that order, so the neighbour for whom a vertex waits longest stands near the end of its row, and all others
 * have been looked at by then.
 *
 * Path: open.c, guess.c, check.c -> this -> color.cl
 * Owner: the caller's arrays.
 * Threads: any.
 */
#include "color.h"

#include <stdlib.h>

static int compare(const void *a, const void *b, void *seed)
{
    uint32_t u = *(const uint32_t *)a, v = *(const uint32_t *)b;
    return color_is_before(*(const uint64_t *)seed, u, v) ? -1 : u != v;
}

void color_sort(uint64_t seed, uint32_t *vertices, uint64_t n)
{
    qsort_r(vertices, n, sizeof *vertices, compare, &seed);
}

uint32_t *color_list_slots(const struct color *color)
{
    uint64_t n = color->part.rows.n_vertices;
    uint32_t *slots = app_array(n, sizeof *slots, "a list of vertices");
    for (uint64_t i = 0; i < n; i++)
        slots[i] = color->part.vertices[i];
    color_sort(color->options.seed, slots, n);
    for (uint64_t i = 0; i < n; i++)
        slots[i] = ghosts_slot(&color->ghosts, slots[i]);
    return slots;
}

static bool is_before(const struct color *color, uint32_t neighbour, uint32_t slot)
{
    return color_is_before(color->options.seed, neighbour, color->part.vertices[slot]);
}

uint32_t *color_count_higher(const struct color *color, const uint32_t *slots)
{
    const struct graph *rows = &color->part.rows;
    uint32_t *starts = app_array(rows->n_vertices + 1, sizeof *starts, "a list of edges");
    for (uint64_t i = 0; i < rows->n_vertices; i++) {
        starts[i + 1] = starts[i];
        for (uint64_t e = rows->offsets[slots[i]]; e < rows->offsets[slots[i] + 1]; e++)
            starts[i + 1] += is_before(color, rows->neighbours[e], slots[i]);
    }
    return starts;
}

uint32_t *color_list_higher(const struct color *color, const uint32_t *slots,
                            const uint32_t *starts)
{
    const struct graph *rows = &color->part.rows;
    uint32_t *higher = app_array(starts[rows->n_vertices], sizeof *higher, "a list of edges");
    for (uint64_t i = 0; i < rows->n_vertices; i++) {
        uint32_t n = starts[i];
        for (uint64_t e = rows->offsets[slots[i]]; e < rows->offsets[slots[i] + 1]; e++)
            if (is_before(color, rows->neighbours[e], slots[i]))
                higher[n++] = rows->neighbours[e];
        color_sort(color->options.seed, higher + starts[i], n - starts[i]);
        for (n = starts[i]; n < starts[i + 1]; n++)
            higher[n] = ghosts_slot(&color->ghosts, higher[n]);
    }
    return higher;
}

/* ---- all neighbours, by kinds ------------------------------------------------------------------ */

enum { OWN_BEFORE, GHOST_BEFORE, GHOST_AFTER, OWN_AFTER, N_KINDS };

static unsigned kind_of(const struct color *color, uint32_t neighbour, uint32_t slot)
{
    bool is_own = partition_has(&color->part.partition, color->part.node, neighbour);
    return is_before(color, neighbour, slot) ? (is_own ? OWN_BEFORE : GHOST_BEFORE)
                                             : (is_own ? OWN_AFTER : GHOST_AFTER);
}

/* One row, from place `at` on. @param row  [COLOR_ROW] where its kinds begin. */
static void list_row(const struct color *color, uint32_t slot, uint32_t at, uint32_t *row,
                     uint32_t *neighbours)
{
    const struct graph *rows = &color->part.rows;
    uint32_t next[N_KINDS + 1] = {0};
    for (uint64_t e = rows->offsets[slot]; e < rows->offsets[slot + 1]; e++)
        next[kind_of(color, rows->neighbours[e], slot) + 1]++;
    next[0] = at;
    for (unsigned kind = 0; kind < N_KINDS; kind++) {
        next[kind + 1] += next[kind];
        row[kind] = next[kind];
    }
    for (uint64_t e = rows->offsets[slot]; e < rows->offsets[slot + 1]; e++)
        neighbours[next[kind_of(color, rows->neighbours[e], slot)]++] = rows->neighbours[e];
    color_sort(color->options.seed, neighbours + row[OWN_BEFORE], row[GHOST_BEFORE] - at);
    for (uint32_t n = at; n < next[OWN_AFTER]; n++) {
        bool is_ghost = n >= row[GHOST_BEFORE] && n < row[OWN_AFTER];
        neighbours[n] = ghosts_slot(&color->ghosts, neighbours[n]) -
                        (is_ghost ? (uint32_t)rows->n_vertices : 0);
    }
}

uint32_t *color_list_rows(const struct color *color, const uint32_t *slots, uint32_t **neighbours)
{
    const struct graph *graph = &color->part.rows;
    uint64_t n = graph->n_vertices;
    uint32_t *rows = app_array(COLOR_ROW * (n + 1), sizeof *rows, "a list of edges"), at = 0;
    *neighbours = app_array(graph->n_edges, sizeof **neighbours, "a list of edges");
    for (uint64_t i = 0; i < n; i++) {
        list_row(color, slots[i], at, rows + COLOR_ROW * i, *neighbours);
        at += (uint32_t)graph_degree(graph, slots[i]);
    }
    rows[COLOR_ROW * n] = at;
    return rows;
}
