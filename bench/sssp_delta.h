/* SPDX-License-Identifier: MIT */
/*
 * Delta-stepping on all cores.
 *
 * Path:    bench_sssp.c -> this -> sssp_delta.c
 * Owner:   delta_open makes what delta_close frees; the graph stays the caller's.
 * Threads: the main one calls; a search has OpenMP's beside it.
 */
#ifndef BENCH_SSSP_DELTA_H
#define BENCH_SSSP_DELTA_H

#include "sssp/problem.h"

struct delta_worker; /* a thread's buckets, and what it counted */

/* What a round is to do: written while no thread reads it. */
struct delta_round {
    _Atomic uint64_t bucket;   /* number of the least that is not empty, or NO_BUCKET */
    _Atomic uint64_t n_listed; /* vertices in `frontier`; those beyond its end stay in buckets */
};

struct delta {
    const struct graph *graph; /* with weights */
    enum sssp_form form;
    double width; /* of a bucket */
    unsigned n_threads;
    union {
        _Atomic uint32_t *narrow;
        _Atomic uint64_t *wide; /* of SSSP_ULONG */
    } distances;                /* [n_vertices] */
    uint32_t *frontier;         /* [n_vertices] */
    uint64_t n_buckets;         /* of a thread, in a ring: a power of two */
    struct delta_worker *workers;
    struct delta_round rounds[2]; /* this one and the next, by turns */

    /* Of the last search. */
    uint64_t n_rounds, n_filled; /* n_filled: buckets that were not empty */
    uint64_t n_fused;   /* times that a thread emptied a bucket of its own within a round */
    uint64_t n_relaxed; /* edges, each as often as it was */
};

/**
 * The width of a bucket where the user gives none: twice the mean weight over the mean degree. For weights drawn evenly
 * that is the paper's choice, the heaviest weight over the degree. A whole number, at least 1, where weights are whole.
 */
double delta_width(const struct graph *graph, enum sssp_form form);

/** Make what searches need, all but the graph; or die. */
void delta_open(struct delta *delta, const struct graph *graph, enum sssp_form form, double width,
                unsigned n_threads);
void delta_close(struct delta *delta);

/** Nothing is reached but the source. */
void delta_reset(struct delta *delta, uint64_t source);

/** Find all distances; once after each delta_reset. */
void delta_search(struct delta *delta);

/** A vertex's distance. */
uint64_t delta_distance(const struct delta *delta, uint64_t v);

#endif
