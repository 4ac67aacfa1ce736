/* SPDX-License-Identifier: MIT */
/*
 * Who chooses before whom: the order of the own vertices, and of each vertex's neighbours that choose before it; or all its
 * neighbours, by kinds.
 *
 * Rows are in that order, so the neighbour for whom a vertex waits longest stands near the end of its row, and all others
 * have been looked at by then.
 *
 * Path: guessed.c, ordered.c, scheduled.c, check.c -> this -> guessed.cl, ordered.cl, scheduled.cl
 * Owner: the caller's arrays.
 * Threads: any, and its own, which it joins.
 */
#include "color.h"
#include "graph/side_by_side.h"

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
        slots[i] = (uint32_t)(color->part.first + i);
    color_sort(color->options.seed, slots, n);
    for (uint64_t i = 0; i < n; i++)
        slots[i] = ghosts_slot(&color->ghosts, slots[i]);
    return slots;
}

static bool is_before(const struct color *color, uint32_t neighbour, uint32_t slot)
{
    return color_is_before(color->options.seed, neighbour, (uint32_t)color->part.first + slot);
}

/* Lists of neighbours, which threads make side by side, each for some own vertices that follow each other. */
struct lists {
    const struct color *color;
    const uint32_t *slots;
    uint32_t n_parts;
    void (*list)(const struct lists *lists, uint64_t i);
    uint32_t *counts;       /* [own vertices] of neighbours that choose before */
    const uint32_t *starts; /* of those */
    uint32_t *higher;
    uint32_t *rows, *neighbours; /* of all, by kinds */
};

static void list_part(void *context, uint32_t part)
{
    const struct lists *lists = context;
    const uint64_t n = lists->color->part.rows.n_vertices;
    uint64_t end = side_by_side_begin(part + 1, lists->n_parts, n);
    for (uint64_t i = side_by_side_begin(part, lists->n_parts, n); i < end; i++)
        lists->list(lists, i);
}

static void list_side_by_side(struct lists *lists, void (*list)(const struct lists *, uint64_t i))
{
    lists->list = list;
    lists->n_parts = side_by_side_threads();
    side_by_side(lists->n_parts, list_part, lists);
}

static void count_higher(const struct lists *lists, uint64_t i)
{
    const struct color *color = lists->color;
    const struct graph *rows = &color->part.rows;
    uint32_t slot = lists->slots[i], n = 0;
    for (uint64_t e = rows->offsets[slot]; e < rows->offsets[slot + 1]; e++)
        n += is_before(color, rows->neighbours[e], slot);
    lists->counts[i] = n;
}

static void list_higher(const struct lists *lists, uint64_t i)
{
    const struct color *color = lists->color;
    const struct graph *rows = &color->part.rows;
    uint32_t slot = lists->slots[i], n = 0, *higher = lists->higher + lists->starts[i];
    for (uint64_t e = rows->offsets[slot]; e < rows->offsets[slot + 1]; e++)
        if (is_before(color, rows->neighbours[e], slot))
            higher[n++] = rows->neighbours[e];
    color_sort(color->options.seed, higher, n);
    for (uint32_t j = 0; j < n; j++)
        higher[j] = ghosts_slot(&color->ghosts, higher[j]);
}

void color_upload_higher(struct color *color)
{
    const uint64_t n = color_n_own(color);
    uint32_t *slots = color_list_slots(color);
    uint32_t *starts = app_array(n + 1, sizeof *starts, "a list of edges");
    struct lists lists = {.color = color, .slots = slots, .counts = starts + 1, .starts = starts};
    list_side_by_side(&lists, count_higher);
    for (uint64_t i = 0; i < n; i++)
        starts[i + 1] += starts[i];
    lists.higher = app_array(starts[n], sizeof(uint32_t), "a list of edges");
    list_side_by_side(&lists, list_higher);
    color->higher = node_upload(&color->node, starts[n] * sizeof(uint32_t), lists.higher);
    color->starts = node_upload(&color->node, (n + 1) * sizeof *starts, starts);
    color->slots = node_upload(&color->node, n * sizeof *slots, slots);
}

/* ---- all neighbours, by kinds ------------------------------------------------------------------ */

enum { OWN_BEFORE, GHOST_BEFORE, GHOST_AFTER, OWN_AFTER, N_KINDS };

static unsigned kind_of(const struct color *color, uint32_t neighbour, uint32_t slot)
{
    bool is_own = partition_has(&color->part.partition, color->part.node, neighbour);
    return is_before(color, neighbour, slot) ? (is_own ? OWN_BEFORE : GHOST_BEFORE)
                                             : (is_own ? OWN_AFTER : GHOST_AFTER);
}

/* Where the first kind begins is known. */
static void list_row(const struct lists *lists, uint64_t i)
{
    const struct color *color = lists->color;
    const struct graph *rows = &color->part.rows;
    uint32_t slot = lists->slots[i], *row = lists->rows + COLOR_ROW * i, at = row[OWN_BEFORE];
    uint32_t *neighbours = lists->neighbours;
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
    uint32_t *rows = app_array(COLOR_ROW * (n + 1), sizeof *rows, "a list of edges");
    *neighbours = app_array(graph->n_edges, sizeof **neighbours, "a list of edges");
    for (uint64_t i = 0; i < n; i++)
        rows[COLOR_ROW * (i + 1)] = rows[COLOR_ROW * i] + (uint32_t)graph_degree(graph, slots[i]);
    struct lists lists = {.color = color, .slots = slots, .rows = rows, .neighbours = *neighbours};
    list_side_by_side(&lists, list_row);
    return rows;
}
