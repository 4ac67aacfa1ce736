/* SPDX-License-Identifier: MIT */
/*
 * What the parts of SSSP share.
 *
 * Path:    sssp.c (options, trials, check) -> open.c (the node, its part of the graph) -> search.c (its rounds)
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

#include <gravel/accumulator.h>

/* Vertices that are looked at together: what has a distance for each is filled up to a
 * multiple of it and of a group. */
#define SCANNED 8

/* Edges that one work-item relaxes: enough for a mesh's vertex, few enough that hubs spread. */
#define SSSP_CHUNK 16

/* What a round counts: chunks of own edges, chunks that are sent, vertices reached for the first time. */
enum { SSSP_COUNTS = 3 };

#define SSSP_CHOOSE_WIDTH (-1.0)

struct sssp {
    struct options options;
    struct node node;
    struct graph_part part;
    enum sssp_form form;
    bool has_source;
    uint64_t source; /* vertex of the whole graph */
    double delta;    /* width of a bucket; 0: all that changed is relaxed at once; SSSP_CHOOSE_WIDTH
                     until sssp_open chooses */
    bool sends_own;  /* messages to own vertices too; else their words of `best` are lowered */

    const char *send; /* "words" or "edges"; NULL until sssp_open if it is to be chosen */
    struct gravel_accumulator
        *offers; /* the least to each vertex of another node; NULL: offers are messages */

    uint64_t distances; /* heap offset of distance [block] */
    uint64_t n_slots;   /* own vertices and ghosts */
    uint64_t n_settled; /* own vertices, filled up */
    uint64_t n_own_chunks,
        n_sent_chunks;      /* of all edges to own vertices, and of those sent along */
    uint64_t longest_chunk; /* of what is sent [edges], 1 at least */
    cl_kernel reset, gather, relax, relax_own, lowest; /* relax_own: NULL if all is sent */
    cl_kernel offer;                                   /* instead of relax, for accumulators */
    cl_mem offsets, splits, slots, weights, targets, settled, best, own, sent, counts, lows;

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

#endif
