/* SPDX-License-Identifier: MIT */
/*
 * What the parts of SSSP share.
 *
 * Path:    sssp.c (options, trials) -> distance.c (form) -> search.c (this node's part) ->
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

/* How a distance is kept. Floats that are not negative rise with their bits, so that
 * gravel_min_uint_wg finds the least of them. */
enum sssp_form { SSSP_UINT, SSSP_ULONG, SSSP_FLOAT };

/* Vertices that are looked at together: what has a distance for each is filled up to a
 * multiple of it and of a group. */
#define SCANNED 8

/* A distance is a number of its form; this stands for "not reached". */
#define FAR_OF(sssp) ((sssp)->form == SSSP_ULONG ? UINT64_MAX : (uint64_t)UINT32_MAX)

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

/** Choose the form by the weights of the whole graph. */
void sssp_choose_form(struct sssp *sssp);

/** A distance of a form, one edge on. */
uint64_t sssp_add(enum sssp_form form, uint64_t distance, union graph_weight weight);

/** End of the bucket that holds a distance. */
uint64_t sssp_bucket_end(const struct sssp *sssp, uint64_t distance);

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
