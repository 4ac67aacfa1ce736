/* SPDX-License-Identifier: MIT */
/*
 * Delta-stepping: vertices wait in buckets of distances, and the least bucket is emptied by all threads.
 *
 * A thread keeps buckets of its own. In a round all threads share the frontier, which is the vertices of one bucket; the
 * thread that lowers a vertex's distance puts the vertex into a bucket of its own. While a thread's part of the current
 * bucket is small, the thread relaxes it at once (bucket fusion), which saves rounds. Between two rounds the threads
 * agree on the least bucket, and copy their parts of it to the next frontier.
 *
 * A vertex that came nearer again waits in several buckets, and is passed over in all behind its distance's. Light and
 * heavy edges are relaxed together, as in the suite and other than in the paper.
 *
 * Path:    bench_sssp.c -> this
 * Owner:   see sssp_delta.h.
 * Threads: OpenMP's, each with a worker; distances and rounds are shared.
 * Memory:  the barriers of OpenMP order all plain words: frontier and buckets are read one barrier after they were
 *          written, by another thread or by the thread that wrote. Atomics are relaxed: a distance and a bucket's number
 *          stand for nothing else, and one that is read too old only costs an offer that fails.
 * Source:  Meyer and Sanders, Delta-stepping: a parallelizable shortest path algorithm, 2003; Beamer, Asanovic,
 *          Patterson, The GAP Benchmark Suite, 2015; Zhang et al., Optimizing Ordered Graph Algorithms with GraphIt,
 *          2020 (bucket fusion).
 */
#include "sssp_delta.h"
#include "frame/die.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#define NO_BUCKET UINT64_MAX
#define TAKEN 64          /* vertices that a thread takes at a time: few enough that hubs spread */
#define FUSED 1000        /* a thread keeps fewer vertices than these to itself, as in the suite */
#define LEAST_BUCKETS 8   /* so many fill cache lines of their own */
#define MOST_BUCKETS 8192 /* in 64 [KiB] of pointers a thread */
#define LINE_BYTES 64

/* Relaxing is compiled for each form. */
#define INLINE static inline __attribute__((always_inline))

struct bucket {
    uint32_t *vertices; /* [room] */
    uint64_t n, room;
};

struct delta_worker {
    _Alignas(
        LINE_BYTES) struct bucket *ring; /* [n_buckets]: number i stands at i modulo n_buckets */
    struct bucket fused;                 /* what the thread relaxes by itself */
    uint64_t bucket;                     /* number of the current one */
    uint64_t n_rounds, n_filled, n_fused, n_relaxed;
};

/* ---- buckets --------------------------------------------------------------------------------- */

static struct bucket *bucket_at(const struct delta *delta, const struct delta_worker *worker,
                                uint64_t number)
{
    return &worker->ring[number & (delta->n_buckets - 1)];
}

static void enlarge(struct bucket *bucket)
{
    bucket->room = bucket->room ? 2 * bucket->room : LINE_BYTES;
    bucket->vertices = realloc(bucket->vertices, bucket->room * sizeof *bucket->vertices);
    if (!bucket->vertices)
        die_alone("no memory for a bucket of %llu vertices", (unsigned long long)bucket->room);
}

/* Floats that overflow are infinite, and wait in the last of all buckets. */
INLINE uint64_t number_of(const struct delta *delta, enum sssp_form form, uint64_t distance)
{
    if (form == SSSP_FLOAT) {
        double number = (double)sssp_float_of(distance) / delta->width;
        return number < 0x1p62 ? (uint64_t)number : UINT64_C(1) << 62;
    }
    return form == SSSP_ULONG ? distance / (uint64_t)delta->width
                              : (uint32_t)distance / (uint32_t)delta->width;
}

/* What is farther than the ring reaches waits in its last bucket: taken too early, it costs time only. */
INLINE void put(const struct delta *delta, struct delta_worker *worker, uint64_t number, uint32_t v)
{
    uint64_t ahead = number - worker->bucket;
    if (ahead >= delta->n_buckets)
        ahead = delta->n_buckets - 1;
    struct bucket *bucket = bucket_at(delta, worker, worker->bucket + ahead);
    if (bucket->n == bucket->room)
        enlarge(bucket);
    bucket->vertices[bucket->n++] = v;
}

/* Number of the thread's least bucket that is not empty, or NO_BUCKET. */
static uint64_t find_least(const struct delta *delta, const struct delta_worker *worker)
{
    for (uint64_t i = worker->bucket; i < worker->bucket + delta->n_buckets; i++)
        if (bucket_at(delta, worker, i)->n)
            return i;
    return NO_BUCKET;
}

/* ---- relaxing -------------------------------------------------------------------------------- */

INLINE uint64_t distance_of(const struct delta *delta, enum sssp_form form, uint64_t v)
{
    /* Relaxed: the thread that lowers a distance puts the vertex into a bucket for it. */
    return form == SSSP_ULONG
               ? atomic_load_explicit(&delta->distances.wide[v], memory_order_relaxed)
               : atomic_load_explicit(&delta->distances.narrow[v], memory_order_relaxed);
}

/* Relaxed, as nothing is published by it: only one thread lowers a distance to this one, and puts the vertex away. */
INLINE bool lower(const struct delta *delta, enum sssp_form form, uint32_t v, uint64_t offer)
{
    if (form == SSSP_ULONG) {
        _Atomic uint64_t *distance = &delta->distances.wide[v];
        uint64_t now = atomic_load_explicit(distance, memory_order_relaxed);
        while (offer < now)
            if (atomic_compare_exchange_weak_explicit(distance, &now, offer, memory_order_relaxed,
                                                      memory_order_relaxed))
                return true;
        return false;
    }
    _Atomic uint32_t *distance = &delta->distances.narrow[v];
    uint32_t now = atomic_load_explicit(distance, memory_order_relaxed);
    while (offer < now)
        if (atomic_compare_exchange_weak_explicit(distance, &now, (uint32_t)offer,
                                                  memory_order_relaxed, memory_order_relaxed))
            return true;
    return false;
}

INLINE void relax_as(const struct delta *delta, struct delta_worker *worker, enum sssp_form form,
                     uint32_t u)
{
    const struct graph *graph = delta->graph;
    const uint32_t *neighbours = graph->neighbours;
    const union graph_weight *weights = graph->weights;
    uint64_t from = distance_of(delta, form, u), end = graph->offsets[u + 1];
    if (number_of(delta, form, from) < worker->bucket)
        return; /* it came nearer, and was relaxed with an earlier bucket */
    for (uint64_t e = graph->offsets[u]; e < end; e++) {
        uint64_t offer = sssp_add(form, from, weights[e]);
        if (lower(delta, form, neighbours[e], offer))
            put(delta, worker, number_of(delta, form, offer), neighbours[e]);
    }
    worker->n_relaxed += graph_degree(graph, u);
}

static void relax(const struct delta *delta, struct delta_worker *worker, uint32_t u)
{
    if (delta->form == SSSP_UINT)
        relax_as(delta, worker, SSSP_UINT, u);
    else if (delta->form == SSSP_ULONG)
        relax_as(delta, worker, SSSP_ULONG, u);
    else
        relax_as(delta, worker, SSSP_FLOAT, u);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Called by all threads, which share the vertices out. */
static void relax_frontier(const struct delta *delta, struct delta_worker *worker, uint64_t n)
{
#pragma omp for schedule(dynamic, TAKEN) nowait
    for (uint64_t i = 0; i < n; i++)
        relax(delta, worker, delta->frontier[i]);
}

/* The bucket may fill again while it is emptied, so what is emptied is another. */
static void fuse(const struct delta *delta, struct delta_worker *worker)
{
    struct bucket *bucket = bucket_at(delta, worker, worker->bucket);
    for (; bucket->n && bucket->n < FUSED; worker->n_fused++) {
        struct bucket full = *bucket;
        *bucket = worker->fused;
        worker->fused = full;
        for (uint64_t i = 0; i < full.n; i++)
            relax(delta, worker, full.vertices[i]);
        worker->fused.n = 0;
    }
}

/* Relaxed: the number is read behind a barrier. */
static void offer_least(struct delta_round *next, uint64_t least)
{
    uint64_t now = atomic_load_explicit(&next->bucket, memory_order_relaxed);
    while (least < now)
        if (atomic_compare_exchange_weak_explicit(&next->bucket, &now, least, memory_order_relaxed,
                                                  memory_order_relaxed))
            return;
}

/* Relaxed: what is written at `start` is read behind a barrier. */
static void list_bucket(const struct delta *delta, struct delta_worker *worker,
                        struct delta_round *next)
{
    uint64_t most = delta->graph->n_vertices;
    uint64_t number = atomic_load_explicit(&next->bucket, memory_order_relaxed);
    struct bucket *bucket = bucket_at(delta, worker, number);
    if (number == NO_BUCKET || !bucket->n)
        return;
    uint64_t start = atomic_fetch_add_explicit(&next->n_listed, bucket->n, memory_order_relaxed);
    uint64_t room = start < most ? most - start : 0, n = bucket->n < room ? bucket->n : room;
    bucket->n -= n;
    if (n)
        memcpy(delta->frontier + start, bucket->vertices + bucket->n, n * sizeof *delta->frontier);
}

static void set_round(struct delta_round *round, uint64_t bucket, uint64_t n_listed)
{
    /* Relaxed: no thread looks until a barrier. */
    atomic_store_explicit(&round->bucket, bucket, memory_order_relaxed);
    atomic_store_explicit(&round->n_listed, n_listed, memory_order_relaxed);
}

/* Called by all threads. @return  false if there is nothing left. */
static bool make_round(struct delta *delta, struct delta_worker *worker, struct delta_round *now,
                       struct delta_round *next)
{
    uint64_t most = delta->graph->n_vertices;
    uint64_t number = atomic_load_explicit(&now->bucket, memory_order_relaxed);
    uint64_t n = atomic_load_explicit(&now->n_listed, memory_order_relaxed);
    if (number == NO_BUCKET)
        return false;
    worker->n_filled += number != worker->bucket || worker->n_rounds == 0;
    worker->n_rounds++;
    worker->bucket = number;
    relax_frontier(delta, worker, n < most ? n : most);
    fuse(delta, worker);
    offer_least(next, find_least(delta, worker));
#pragma omp barrier
    if (worker == delta->workers)
        set_round(now, NO_BUCKET, 0);
    list_bucket(delta, worker, next);
#pragma omp barrier
    return true;
}

static struct delta_worker *own_worker(const struct delta *delta)
{
#ifdef _OPENMP
    return &delta->workers[omp_get_thread_num()];
#else
    return delta->workers;
#endif
}

void delta_search(struct delta *delta)
{
#pragma omp parallel num_threads(delta->n_threads)
    {
        struct delta_worker *worker = own_worker(delta);
        for (unsigned i = 0;
             make_round(delta, worker, &delta->rounds[i % 2], &delta->rounds[(i + 1) % 2]); i++)
            ;
    }
    delta->n_rounds = delta->workers->n_rounds;
    delta->n_filled = delta->workers->n_filled;
    for (unsigned i = 0; i < delta->n_threads; i++) {
        delta->n_fused += delta->workers[i].n_fused;
        delta->n_relaxed += delta->workers[i].n_relaxed;
    }
}

uint64_t delta_distance(const struct delta *delta, uint64_t v)
{
    return distance_of(delta, delta->form, v);
}

static void set_distance(const struct delta *delta, uint64_t v, uint64_t distance)
{
    /* Relaxed: no search is under way. */
    if (delta->form == SSSP_ULONG)
        atomic_store_explicit(&delta->distances.wide[v], distance, memory_order_relaxed);
    else
        atomic_store_explicit(&delta->distances.narrow[v], (uint32_t)distance,
                              memory_order_relaxed);
}

void delta_reset(struct delta *delta, uint64_t source)
{
    uint64_t far = sssp_far(delta->form);
#pragma omp parallel for num_threads(delta->n_threads)
    for (uint64_t v = 0; v < delta->graph->n_vertices; v++)
        set_distance(delta, v, v == source ? 0 : far);
    delta->frontier[0] = (uint32_t)source;
    set_round(&delta->rounds[0], 0, 1);
    set_round(&delta->rounds[1], NO_BUCKET, 0);
    delta->n_fused = delta->n_relaxed = 0;
    for (unsigned i = 0; i < delta->n_threads; i++) {
        struct delta_worker *worker = &delta->workers[i];
        worker->bucket = 0;
        worker->n_rounds = worker->n_filled = worker->n_fused = worker->n_relaxed = 0;
    }
}

/* ---- open and close -------------------------------------------------------------------------- */

static double weight_of(const struct graph *graph, uint64_t e)
{
    return graph->weights_are == GRAPH_FLOAT ? (double)graph->weights[e].as_float
                                             : (double)graph->weights[e].as_uint;
}

double delta_width(const struct graph *graph, enum sssp_form form)
{
    double sum = 0;
    for (uint64_t e = 0; e < graph->n_edges; e++)
        sum += weight_of(graph, e);
    return sssp_width(form, graph->n_vertices, graph->n_edges,
                      sum / fmax((double)graph->n_edges, 1));
}

/* From the current bucket, the heaviest edge ends in one of so many. */
static uint64_t count_buckets(const struct graph *graph, double width)
{
    double heaviest = 0;
    for (uint64_t e = 0; e < graph->n_edges; e++)
        heaviest = fmax(heaviest, weight_of(graph, e));
    uint64_t n = LEAST_BUCKETS;
    while (n < MOST_BUCKETS && (double)n < heaviest / width + 2)
        n *= 2;
    return n;
}

static void *alloc_lines(uint64_t bytes)
{
    void *lines = aligned_alloc(LINE_BYTES, bytes);
    if (!lines)
        die("no memory for buckets");
    return memset(lines, 0, bytes);
}

void delta_open(struct delta *delta, const struct graph *graph, enum sssp_form form, double width,
                unsigned n_threads)
{
    *delta = (struct delta){.graph = graph, .form = form, .width = width, .n_threads = n_threads};
    if (form == SSSP_ULONG)
        delta->distances.wide = app_array(graph->n_vertices, sizeof(uint64_t), "distances");
    else
        delta->distances.narrow = app_array(graph->n_vertices, sizeof(uint32_t), "distances");
    delta->frontier = app_array(graph->n_vertices, sizeof *delta->frontier, "distances");
    delta->n_buckets = count_buckets(graph, width);
    delta->workers = alloc_lines(n_threads * sizeof *delta->workers);
    for (unsigned i = 0; i < n_threads; i++)
        delta->workers[i].ring = alloc_lines(delta->n_buckets * sizeof(struct bucket));
}

void delta_close(struct delta *delta)
{
    for (unsigned i = 0; i < delta->n_threads; i++) {
        struct delta_worker *worker = &delta->workers[i];
        for (uint64_t j = 0; j < delta->n_buckets; j++)
            free(worker->ring[j].vertices);
        free(worker->ring);
        free(worker->fused.vertices);
    }
    free(delta->workers);
    free(delta->frontier);
    free(delta->form == SSSP_ULONG ? (void *)delta->distances.wide
                                   : (void *)delta->distances.narrow);
}
