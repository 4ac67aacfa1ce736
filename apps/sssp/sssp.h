/* SPDX-License-Identifier: MIT */
/*
 * A node's search for shortest paths, of which upload.c makes the arrays on the device.
 *
 * Path:    sssp.c <-> this <-> upload.c
 * Owner:   sssp.c.
 * Threads: main's.
 */
#ifndef APPS_SSSP_SSSP_H
#define APPS_SSSP_SSSP_H

#include "frame/app.h"
#include "frame/tasks.h"
#include "graph/node_part.h"
#include "sssp/problem.h"

#include <gravel/accumulator.h>
#include <gravel/rounds.h>

/* Vertices that are looked at together: what has a distance for each is filled up to a
 * multiple of it and of a group. */
#define SCANNED 8

/* Edges that one work-item relaxes: enough for a mesh's vertex, few enough that hubs spread. */
#define CHUNK 16

/* What a round counts: chunks of own edges, chunks that are sent, vertices whose edges these are, and of them those
 * reached for the first time. */
enum { N_COUNTS = 4 };

/* Words of struct stay in sssp.cl: of rounds n_front, limit, turn; of lists that wait n_far, low; n_reached. */
enum { STAY_LIMIT = 3, STAY_TURN = 6, STAY_LOW = 12, STAY_REACHED = 15, STAY_WORDS };

#define SSSP_DRAW_SOURCE UINT64_MAX

struct sssp {
    struct options options;
    struct node node;
    struct graph_part part;
    enum sssp_form form;
    uint64_t source; /* vertex of the whole graph; SSSP_DRAW_SOURCE until open_node draws it */
    /* Both are SSSP_CHOOSE_WIDTH until open_node chooses. */
    double delta; /* width of the first bucket; 0: all that changed is relaxed at once */
    double worth; /* vertices that a round costs as much as; 0: buckets stay as wide */
    bool
        sends_own; /* offers are messages, to own vertices too; else their words of `best` are lowered */
    struct gravel_accumulator
        *offers; /* the least to each vertex of another node; NULL: there is none */

    uint64_t distances; /* heap offset of distance [block] */
    uint64_t n_slots;   /* own vertices and ghosts */
    uint64_t n_settled; /* own vertices, filled up */
    uint64_t n_own_chunks,
        n_sent_chunks;      /* of all edges to own vertices, and of those sent along */
    uint64_t longest_chunk; /* of what is sent [edges], 1 at least */
    cl_kernel reset, gather;
    cl_kernel relax;     /* `offer`, for accumulators; NULL if nothing is sent */
    cl_kernel relax_own; /* NULL if all is sent */
    cl_mem offsets, splits, slots, weights, targets, settled, best, own, sent, counts, lows;

    struct tasks tasks; /* with --schedule; then there is one node */
    cl_kernel relax_tasks;

    bool stays;                   /* with --stay; then there is one node */
    struct gravel_rounds *rounds; /* and this */
    cl_mem fronts, far, on, known;

    cl_uint turn;                            /* of counts */
    uint64_t n_gathers, n_listed;            /* of this bucket; vertices, at all nodes */
    uint64_t n_rounds, n_buckets, n_reached; /* of the last search */
    double check_s;                          /* Dijkstra's time */
};

/** Bytes of a distance on the device. */
static inline size_t sssp_distance_bytes(const struct sssp *sssp)
{
    return sssp->form == SSSP_ULONG ? sizeof(cl_ulong) : sizeof(cl_uint);
}

/** Own vertices. */
static inline uint64_t sssp_n_own(const struct sssp *sssp)
{
    return sssp->part.rows.n_vertices;
}

/** Work-groups that gather. */
static inline uint64_t sssp_n_groups(const struct sssp *sssp)
{
    return sssp->n_settled / SCANNED / sssp->node.group_items;
}

/** Make the arrays of this node's part, and count its slots and chunks. The host forgets the edges. */
void sssp_upload(struct sssp *sssp);

#define SSSP_CHOOSE_WIDTH (-1.0)

/** Choose delta and worth, at all nodes together; what is given stays as it is. */
void sssp_choose_widths(struct sssp *sssp);

/**
 * The width of the next bucket. A narrow one spares relaxations as long as many vertices wait; behind the widest front
 * few do, and rounds cost more.
 *
 * @param density  [in, out] vertices listed in a bucket of width 1; of the bucket before, of this one.
 */
double sssp_next_width(const struct sssp *sssp, double width, double *density);

#endif
