/* SPDX-License-Identifier: MIT */
/*
 * A node's graph colouring, of which each way makes its part; the order of vertices and the check read it too.
 *
 * Path: color.c <-> this <-> guessed.c, ordered.c, scheduled.c, order.c, check.c
 * Owner: color.c; lists are the caller's to free.
 * Threads: main's.
 */
#ifndef APPS_COLOR_H
#define APPS_COLOR_H

#include "frame/app.h"
#include "frame/random.h"
#include "frame/tasks.h"
#include "graph/node_part.h"

/* What a vertex has that waits for its colour. */
#define NO_COLOR UINT32_MAX

/* Words of a row on the device: where each kind of a vertex's neighbours begins, see guessed.cl. */
#define COLOR_ROW 4

struct color;

/* A way to colour: its kernels, what it makes at a node, and a trial. All nodes take one way, and each step together. */
struct way {
    const char *file, *source; /* of the kernels */
    unsigned heap_words;       /* for each vertex of the whole graph */

    /* Looks at its vertices after which a group leaves them for the next round: where nodes are several, and where one is
     * alone. */
    unsigned passes, passes_alone;

    void (*list)(struct color *color); /* put lists on the device, while the host has the edges */
    void (*prepare)(struct color *color); /* make kernels, which are built by now */
    void (*reset)(struct color *color);   /* no vertex has a colour */

    /* Round n_rounds, from 1. Collective. @return  vertices without a colour, of all nodes [count] */
    uint64_t (*round)(struct color *color);

    /* Have the colours of a node's own vertices, which is alone; NULL: they are at color->colors of each. */
    void (*fetch)(struct color *color, uint32_t *colors);
};

extern const struct way color_guessed, color_ordered, color_scheduled;

/* What a node has on its device to colour by one way, beside what each way has. */
struct guessed {
    cl_kernel survey, guess, mend;
    struct gravel_mirror *mirror; /* of ghosts' colours; NULL if no node has any */
    cl_mem rows, neighbours, waited, ends, bases, rounds;
};

struct ordered {
    cl_kernel reset, choose, publish;
    cl_mem lists[2], ready;
    cl_mem copy_starts, copies; /* of own vertices at other nodes: node and slot */
    uint64_t n_waiting;         /* of lists, before a round */
};

struct scheduled {
    struct tasks tasks;
    cl_kernel color_tasks;
    cl_mem own_colors[2]; /* by turns */
};

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

/** The own vertices' slots, as they choose. @return  [own vertices], to be freed. */
uint32_t *color_list_slots(const struct color *color);

/**
 * Lists all neighbours of each own vertex, in the order in which they choose: kernel guess tells their kinds.
 *
 * @param neighbours  [out] to be freed: [as many] own slots, or numbers of ghosts.
 * @return            to be freed: [own vertices + 1][COLOR_ROW].
 */
uint32_t *color_list_rows(const struct color *color, const uint32_t *slots, uint32_t **neighbours);

/** Make slots, starts and higher: of each own vertex the neighbours that choose before it. */
void color_upload_higher(struct color *color);

/** Get a node's colours, after a trial: [its vertices], to be freed. */
uint32_t *color_read(struct color *color, uint32_t node);

/** Check this node's colours. @return vertices with a wrong one [count]. */
uint64_t color_check(struct color *color);

#endif
