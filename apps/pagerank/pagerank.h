/* SPDX-License-Identifier: MIT */
/*
 * A node's PageRank, of which each way makes its part; the check reads it too.
 *
 * Path: pagerank.c <-> this <-> pull.c, push.c, check.c
 * Owner: pagerank.c.
 * Threads: main's.
 */
#ifndef APPS_PAGERANK_H
#define APPS_PAGERANK_H

#include "frame/app.h"
#include "frame/tasks.h"
#include "graph/node_part.h"

/* All rank together, in the fixed-point form. Rounding adds less than 3 units a vertex and
 * iteration, of which 0.85 stay: no sum comes near 2^64. */
#define RANK_ONE (UINT64_C(1) << 62)
#define DAMPING 0.85
#define DAMP_FIXED(rank) ((rank) - (rank) / 20 * 3) /* DAMPING of it, rounded up by less than 3 */

/* A rank, or a sum of ranks, in the form that is in use. */
union rank {
    cl_float real;
    cl_ulong fixed;
};

struct pagerank;

/* How ranks go along edges. All nodes take one way, and each step together. */
struct way {
    void (*list)(struct pagerank *pagerank); /* put edges on the device, while the host has them */
    void (*prepare)(struct pagerank *pagerank); /* make kernels, which are built by now */
    void (*sum)(struct pagerank *pagerank, uint64_t sums); /* for an iteration: all arrive */
};

extern const struct way pagerank_pulled, pagerank_pushed;

struct pagerank {
    struct options options;
    uint64_t n_iterations; /* at most */
    double tolerance;      /* stop once all ranks together change less; 0 never stops */
    bool is_fixed;
    bool sends_edges;      /* --send-own, or --model */
    const struct way *way; /* NULL until open_node */
    struct node node;

    struct graph_part part;

    uint64_t sums[2]; /* heap offsets; iterations that send edges alternate, so that a fast node
                         never adds to sums that a slow one still has to read */
    cl_kernel apply, pull, push;
    cl_mem from, to; /* [edges], if they are sent */
    cl_uint n_each;  /* edges of a work-item, then */
    uint64_t n_ghosts;
    struct gravel_mirror *slots; /* of sums[0], by ghost; NULL if no node has any */
    cl_kernel store_sums;
    uint64_t n_own_chunks;          /* of edges to own vertices */
    uint64_t n_chunks;              /* those, and of edges to ghosts */
    cl_mem chunks, starts, sources; /* see pagerank.cl */
    cl_mem partial;                 /* [n_chunks + 1] sums */
    cl_mem degree, rank, share, totals;

    struct tasks tasks; /* with --schedule; then there is one node */

    uint64_t n_done; /* iterations of the last trial */
    double change;   /* of all ranks, in the last of them */
    double idle;     /* rank of the vertices without edges */
    uint64_t idle_fixed;
};

static inline size_t pagerank_rank_bytes(const struct pagerank *pagerank)
{
    return pagerank->is_fixed ? sizeof(cl_ulong) : sizeof(cl_float);
}

/** Own vertices. */
static inline uint64_t pagerank_n_own(const struct pagerank *pagerank)
{
    return pagerank->part.rows.n_vertices;
}

/** Compare this node's ranks with a serial computation of as many iterations: vertices with a wrong one. */
app_check check_ranks;

#endif
