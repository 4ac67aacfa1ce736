/* SPDX-License-Identifier: MIT */
/*
 * What the parts of SSSP share.
 *
 * Path:    sssp.c (options, trials) -> open.c (this node's part) -> search.c (its rounds) ->
 *          reference.c (check)
 * Owner:   sssp_open makes what sssp_close frees.
 * Threads: main's.
 */
#ifndef APPS_SSSP_H
#define APPS_SSSP_H

#include "frame/app.h"
#include "frame/progress.h"
#include "frame/tasks.h"
#include "graph/node_part.h"
#include "graph/weights.h"
#include "sssp/problem.h"

/* Vertices that are looked at together: what has a distance for each is filled up to a
 * multiple of it and of a group. */
#define SCANNED 8

struct sssp {
    struct options options;
    struct node node;
    struct graph_part part;
    enum sssp_form form;
    bool has_source;
    uint64_t source; /* vertex of the whole graph */
    double delta;    /* width of a bucket; 0: all that changed is relaxed at once */

    uint64_t distances;     /* heap offset of distance [block] */
    uint64_t n_slots;       /* own vertices and ghosts */
    uint64_t n_settled;     /* own vertices, filled up */
    uint64_t n_chunks;      /* of all own edges */
    uint64_t longest_chunk; /* [edges], 1 at least */
    cl_kernel reset, gather, relax, lowest;
    cl_mem offsets, slots, weights, targets, settled, best, frontier, counts, lows;

    struct tasks tasks; /* with --schedule; then there is one node */
    cl_kernel relax_tasks;

    struct progress progress;
    uint64_t n_rounds, n_buckets, n_reached; /* of the last search */
    double check_s;                          /* Dijkstra's time */
};

/** Bytes of a distance on the device. */
size_t sssp_distance_bytes(const struct sssp *sssp);

/** Open the node, take its part of the graph and choose the source. */
app_step sssp_open;

/** Nothing is reached but the source. */
app_step sssp_reset;

/** Find all distances. */
app_step sssp_search;

/** Read this node's distances: [own vertices], to be freed. */
uint64_t *sssp_read(struct sssp *sssp);

/** With --schedule: make deques; nothing is reached but the source; find all distances. */
void sssp_schedule_open(struct sssp *sssp);
void sssp_schedule_reset(struct sssp *sssp);
void sssp_schedule_search(struct sssp *sssp);

/** Free what sssp_open made. */
app_step sssp_close;

/** Compare this node's distances with Dijkstra's. @return vertices with a wrong one [count]. */
uint64_t sssp_check(struct sssp *sssp);

#endif
