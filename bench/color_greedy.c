/* SPDX-License-Identifier: MIT */
/*
 * Speculative greedy colouring: threads colour as if they were alone, and mend what went wrong.
 *
 * In a round all threads share a list of vertices. Each vertex takes the least colour that no neighbour has; two
 * neighbours that are coloured at the same time may take the same. So the threads then look through the list once more:
 * of two neighbours with one colour, that of the greater number goes to the next round's list. The least vertex of a list
 * keeps its colour, so lists get shorter and end. One thread makes no such mistakes and does not look for them.
 *
 * Path:    bench_color.c -> this
 * Owner:   see color_greedy.h.
 * Threads: OpenMP's, each with a worker; colours and lists are shared.
 * Memory:  between the two passes all threads join, which orders the plain words: lists are read one join after they were
 *          written. Colours are relaxed: one stands for nothing else, and one that is read too old makes a conflict that
 *          the second pass, which follows a join and writes no colour, finds.
 * Source:  Gebremedhin and Manne, Scalable parallel graph coloring algorithms, 2000; Catalyurek, Feo, Gebremedhin,
 *          Halappanavar, Pothen, Graph coloring algorithms for multi-core and massively multithreaded architectures, 2012.
 */
#include "color_greedy.h"
#include "frame/die.h"

#include <stdatomic.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#define TAKEN 64 /* vertices that a thread takes at a time: few enough that hubs spread */
#define LINE_BYTES 64

struct greedy_worker {
    _Alignas(LINE_BYTES) uint64_t *marks; /* [largest_degree + 2]: `n` where a neighbour has it */
    uint64_t n; /* vertices that the thread has coloured, since greedy_open */
};

/* ---- a vertex -------------------------------------------------------------------------------- */

uint32_t greedy_color_of(const struct greedy *greedy, uint64_t v)
{
    /* Relaxed, with set_color's store: a colour of this pass that is not seen is a conflict, found after a join. */
    return atomic_load_explicit(&greedy->colors[v], memory_order_relaxed);
}

static void set_color(const struct greedy *greedy, uint64_t v, uint32_t color)
{
    /* Relaxed, with greedy_color_of's load: nothing is published by a colour. */
    atomic_store_explicit(&greedy->colors[v], color, memory_order_relaxed);
}

/* Of degree + 1 colours one is free, so greater ones, and NO_COLOR, need no mark. */
static void color_vertex(const struct greedy *greedy, struct greedy_worker *worker, uint32_t v)
{
    const struct graph *graph = greedy->graph;
    uint64_t degree = graph_degree(graph, v), *marks = worker->marks, n = ++worker->n;
    uint32_t color = 0;
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
        uint32_t taken = greedy_color_of(greedy, graph->neighbours[e]);
        if (taken <= degree)
            marks[taken] = n;
    }
    while (marks[color] == n)
        color++;
    set_color(greedy, v, color);
}

static bool must_change(const struct greedy *greedy, uint32_t v)
{
    const struct graph *graph = greedy->graph;
    uint32_t own = greedy_color_of(greedy, v);
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
        uint32_t u = graph->neighbours[e];
        if (u >= v)
            return false; /* rows rise */
        if (greedy_color_of(greedy, u) == own)
            return true;
    }
    return false;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static struct greedy_worker *own_worker(const struct greedy *greedy)
{
#ifdef _OPENMP
    return &greedy->workers[omp_get_thread_num()];
#else
    return greedy->workers;
#endif
}

static void color_list(const struct greedy *greedy, const uint32_t *list, uint64_t n)
{
#pragma omp parallel num_threads(greedy->n_threads)
    {
        struct greedy_worker *worker = own_worker(greedy);
#pragma omp for schedule(dynamic, TAKEN)
        for (uint64_t i = 0; i < n; i++)
            color_vertex(greedy, worker, list[i]);
    }
}

/* @return  vertices that go to the next list [count]. */
static uint64_t find_conflicts(const struct greedy *greedy, const uint32_t *list, uint64_t n,
                               uint32_t *next)
{
    _Atomic uint64_t n_next = 0;
#pragma omp parallel for num_threads(greedy->n_threads) schedule(dynamic, TAKEN)
    for (uint64_t i = 0; i < n; i++)
        if (must_change(greedy, list[i])) /* relaxed: places are read behind the join */
            next[atomic_fetch_add_explicit(&n_next, 1, memory_order_relaxed)] = list[i];
    return atomic_load_explicit(&n_next, memory_order_relaxed); /* the threads have joined */
}

void greedy_color(struct greedy *greedy)
{
    uint64_t n = greedy->graph->n_vertices;
    while (n) {
        uint32_t *now = greedy->lists[greedy->n_rounds % 2];
        greedy->n_rounds++;
        color_list(greedy, now, n);
        n = greedy->n_threads == 1
                ? 0
                : find_conflicts(greedy, now, n, greedy->lists[greedy->n_rounds % 2]);
        greedy->n_again += n;
    }
}

void greedy_reset(struct greedy *greedy)
{
#pragma omp parallel for num_threads(greedy->n_threads)
    for (uint64_t v = 0; v < greedy->graph->n_vertices; v++) {
        set_color(greedy, v, NO_COLOR);
        greedy->lists[0][v] = (uint32_t)v;
    }
    greedy->n_rounds = greedy->n_again = 0;
}

/* ---- open and close -------------------------------------------------------------------------- */

static uint64_t find_largest_degree(const struct graph *graph)
{
    uint64_t most = 0;
    for (uint64_t v = 0; v < graph->n_vertices; v++)
        most = graph_degree(graph, v) > most ? graph_degree(graph, v) : most;
    return most;
}

void greedy_open(struct greedy *greedy, const struct graph *graph, unsigned n_threads)
{
    *greedy = (struct greedy){
        .graph = graph, .largest_degree = find_largest_degree(graph), .n_threads = n_threads};
    greedy->colors = app_array(graph->n_vertices, sizeof *greedy->colors, "the colours");
    for (int i = 0; i < 2; i++)
        greedy->lists[i] = app_array(graph->n_vertices, sizeof(uint32_t), "lists of vertices");
    greedy->workers = aligned_alloc(LINE_BYTES, n_threads * sizeof *greedy->workers);
    if (!greedy->workers)
        die("no memory for %u threads", n_threads);
    for (unsigned i = 0; i < n_threads; i++)
        greedy->workers[i] = (struct greedy_worker){
            .marks = app_array(greedy->largest_degree + 2, sizeof(uint64_t), "the marks")};
}

void greedy_close(struct greedy *greedy)
{
    for (unsigned i = 0; i < greedy->n_threads; i++)
        free(greedy->workers[i].marks);
    free(greedy->workers);
    free(greedy->lists[0]);
    free(greedy->lists[1]);
    free(greedy->colors);
}
