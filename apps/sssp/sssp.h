/* SPDX-License-Identifier: MIT */
/*
 * A node's search for shortest paths, which each way makes in its file; upload.c puts the part on the device.
 *
 * Path:    sssp.c <-> this <-> rounds.c, scheduled.c, stay.c; upload.c, width.c
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

#define SSSP_DRAW_SOURCE UINT64_MAX

struct sssp;

/* A way to search. All nodes take one, and each step together. */
struct way {
    void (*prepare)(struct sssp *sssp); /* kernels, and what they need beside the part */
    void (*reset)(struct sssp *sssp);   /* that, too; distances are reset */
    void (*search)(struct sssp *sssp);  /* count rounds, buckets and reached vertices, from 0 on */
};

extern const struct way sssp_rounds, sssp_scheduled, sssp_stay;

/* What a node has on its device with --stay, beside the part; see stay.cl. */
struct stay {
    struct gravel_rounds *rounds;
    cl_mem fronts, far, on, known;
    cl_uint limit; /* end of the first bucket */
};

struct sssp {
    struct options options;
    bool stays;            /* --stay */
    const struct way *way; /* NULL until open_node */
    struct node node;
    struct graph_part part;
    bool is_float;
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
    uint64_t n_best;    /* the more of both */
    uint64_t n_own_chunks,
        n_sent_chunks;      /* of all edges to own vertices, and of those sent along */
    uint64_t longest_chunk; /* of what is sent [edges], 1 at least */
    cl_kernel gather;
    cl_kernel relax;     /* `offer`, for accumulators; `relax_tasks`; NULL if nothing is sent */
    cl_kernel relax_own; /* NULL if all is sent */
    cl_mem offsets, splits, slots, weights, targets, settled, best, own, sent, counts, lows;

    struct tasks tasks; /* with --schedule; then there is one node */
    struct stay stay;   /* with --stay; then, too */

    cl_uint turn;                            /* of counts */
    uint64_t n_gathers, n_listed;            /* of this bucket; vertices, at all nodes */
    uint64_t n_rounds, n_buckets, n_reached; /* of the last search */
    double check_s;                          /* Dijkstra's time */
};

/** The definition for distance.cl.h, behind a blank, or none. */
static inline const char *sssp_define(const struct sssp *sssp)
{
    return sssp->is_float ? " -DSSSP_FLOAT" : "";
}

/** Own vertices. */
static inline uint64_t sssp_n_own(const struct sssp *sssp)
{
    return sssp->part.rows.n_vertices;
}

/** Read n distances of an array. @return  [n], to be freed. */
uint32_t *sssp_read(struct sssp *sssp, cl_mem array, uint64_t n);

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
