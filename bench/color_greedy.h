/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring on all cores.
 *
 * Path:    bench_color.c -> this -> color_greedy.c
 * Owner:   greedy_open makes what greedy_close frees; the graph stays the caller's.
 * Threads: the main one calls; a colouring has OpenMP's beside it.
 */
#ifndef BENCH_COLOR_GREEDY_H
#define BENCH_COLOR_GREEDY_H

#include "graph/graph.h"

#define NO_COLOR UINT32_MAX

struct greedy_worker; /* a thread's notes about the colours of a vertex's neighbours */

struct greedy {
    const struct graph *graph; /* undirected, without loops */
    uint64_t largest_degree;
    unsigned n_threads;
    _Atomic uint32_t *colors; /* [n_vertices] */
    uint32_t *lists[2]; /* [n_vertices] to be coloured in this round and in the next, by turns */
    struct greedy_worker *workers;

    /* Of the last colouring. */
    uint64_t n_rounds;
    uint64_t n_again; /* vertices coloured again, each as often as it was */
};

/** Make what colourings need, all but the graph; or die. */
void greedy_open(struct greedy *greedy, const struct graph *graph, unsigned n_threads);
void greedy_close(struct greedy *greedy);

/** No vertex has a colour. */
void greedy_reset(struct greedy *greedy);

/** Colour all vertices; once after each greedy_reset. With one thread: each takes the first that is free, by number. */
void greedy_color(struct greedy *greedy);

/** A vertex's colour. */
uint32_t greedy_color_of(const struct greedy *greedy, uint64_t v);

#endif
