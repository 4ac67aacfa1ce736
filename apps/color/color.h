/* SPDX-License-Identifier: MIT */
/*
 * A node's graph colouring, of which each way makes its part; the order of vertices and the check read it too.
 *
 * Path: color.c <-> this <-> guessed.c, ordered.c, scheduled.c, upload.c, order.c, check.c
 * Owner: color.c; lists are the caller's to free.
 * Threads: main's.
 */
#ifndef APPS_COLOR_H
#define APPS_COLOR_H

#include "color/guessed.h"
#include "color/ordered.h"
#include "color/scheduled.h"
#include "frame/app.h"
#include "frame/random.h"
#include "graph/ghosts.h"
#include "graph/node_part.h"

/* What a vertex has that waits for its colour. */
#define NO_COLOR UINT32_MAX

struct color {
    struct options options;
    bool is_ordered;       /* --ordered, or given with another option: no node guesses */
    const struct way *way; /* NULL until open_node */
    struct node node;
    struct graph_part part;
    struct ghosts ghosts;
    uint64_t n_edges; /* of the whole graph, each counted at both ends, loops and repeats gone */

    uint64_t colors; /* heap offset of colour [slots]: own vertices, then copies of ghosts' */
    cl_mem slots, cursors, taken, high, counts;
    cl_mem starts, higher; /* unless guessed */

    /* What the way alone has; those of other ways are not used. */
    struct guessed guessed;
    struct ordered ordered;
    struct scheduled scheduled;

    uint64_t n_rounds; /* of the last trial */
    uint64_t n_colors; /* and its colours */
    uint64_t n_serial; /* colours of the serial greedy algorithm */
    double serial_s;   /* and its time */
};

/** Own vertices. */
static inline uint64_t color_n_own(const struct color *color)
{
    return color->part.rows.n_vertices;
}

/** Does vertex u choose before vertex v? An order by random numbers; those alike go by number. */
static inline bool color_is_before(uint64_t seed, uint32_t u, uint32_t v)
{
    uint64_t key = random_key(~seed); /* not the one that drew the edges */
    uint64_t x = random_at(key, u), y = random_at(key, v);
    return x != y ? x > y : u > v;
}

/** Sort vertices, by their numbers in the whole graph, as they choose. */
void color_sort(uint64_t seed, uint32_t *vertices, uint64_t n);

/**
 * The own vertices and, of each, the neighbours that choose before it: slots, as they choose.
 *
 * @return  to be freed: [own vertices]; [own vertices + 1] where each one's neighbours begin; [as many] neighbours.
 */
uint32_t *color_list_slots(const struct color *color);
uint32_t *color_count_higher(const struct color *color, const uint32_t *slots);
uint32_t *color_list_higher(const struct color *color, const uint32_t *slots,
                            const uint32_t *starts);

/**
 * As color_list_higher, of all neighbours: see kernel guess for the kinds.
 *
 * @param neighbours  [out] to be freed: [as many] own slots, or numbers of ghosts.
 * @return            to be freed: [own vertices + 1][COLOR_ROW].
 */
uint32_t *color_list_rows(const struct color *color, const uint32_t *slots, uint32_t **neighbours);

/** An array of n elements on the device, empty or from a list, which is freed. */
cl_mem color_array(struct color *color, uint64_t n, size_t bytes);
cl_mem color_upload(struct color *color, uint64_t n, uint32_t *list);

/** Make slots, starts and higher. */
void color_upload_higher(struct color *color);

/** Get a node's colours, after a trial: [its vertices], to be freed. */
uint32_t *color_read(struct color *color, uint32_t node);

/** Check this node's colours. @return vertices with a wrong one [count]. */
uint64_t color_check(struct color *color);

#endif
