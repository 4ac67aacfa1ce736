/* SPDX-License-Identifier: MIT */
/*
 * The parts of PageRank: strips of rows, and iterations that pull along them.
 *
 * Path:    pagerank.c -> ranks.c -> strips.c; pull.c -> pagerank.cl
 * Owner:   graph->pagerank, which graph_pull_make makes, and graph_pagerank_free frees.
 * Threads: one at a time.
 */
#ifndef GRAPH_PAGERANK_H
#define GRAPH_PAGERANK_H

#include "graph.h"

/*
 * Rows of graph->pull, or a part of each, cut into pieces that take about equal time. They are numbered anew, from the
 * longest to the shortest. A *strip* is a row, or a part of a long one, whose edges a team of lanes shares. Short rows lie
 * side by side in a *slice*, a row a lane, and their columns are interleaved. On a CPU a team is one lane, and all rows are
 * strips.
 */
struct graph_strips {
    uint32_t lanes;                 /* of a team */
    uint32_t n_cut, n_wide;         /* strips of rows that are cut, which come first; these rows */
    uint32_t n_long, n_strips;      /* rows that are strips, cut ones too; all strips */
    uint32_t n_short, n_slices;     /* rows in slices */
    cl_mem strips;                  /* uint2 [n_strips] edges */
    cl_mem firsts;                  /* uint [n_wide + 1] strips of rows that are cut */
    cl_mem slices;                  /* ulong [n_slices + 1] where the columns of each begin */
    cl_mem columns, column_weights; /* [as slices say] made, not filled; no weights: NULL */
    cl_mem rows;                    /* uint2 [n_short] edges of rows in slices */
    cl_mem places;                  /* uint [n_own] where the sum of each row is (pull) */
};

/** strips.c: cuts rows, or a part of each. @param lanes  a power of two. @param rows  [n_own] first and last edge of each.
 * @return 0; GRAVEL_ENOMEM; GRAVEL_ECL: then it is to be freed, too. Not collective. */
int graph_strips_make(struct graph_strips *strips, struct gravel_graph *graph, uint32_t lanes,
                      const cl_uint2 *rows);
void graph_strips_free(struct graph_strips *strips, struct gravel_graph *graph);

#define N_PARTS 3u /* of a row, of several nodes: sources here, and at lower and higher nodes */
#define N_KNOWN 4u /* iterations whose changes the device keeps; two are under way */

/* Kernels of pagerank.cl; a node that is alone has no TAKE. */
enum { INTERLEAVE, PULL, JOIN, APPLY, TOTAL, TAKE, N_KERNELS };

/* What PageRank keeps from call to call. */
struct graph_pagerank {
    bool is_double;
    size_t bytes;     /* of a rank */
    uint32_t n_parts; /* of rows: 1 or N_PARTS */
    struct graph_strips strips[N_PARTS];
    uint32_t group_items;
    struct graph_kept kept; /* kernels; of several nodes heap, what own vertices give, and mirror */
    cl_command_queue reader;   /* reads while the next iteration runs */
    cl_mem given[2], ranks[2]; /* of even and odd iterations */
    cl_mem sums[N_PARTS];
    cl_mem shares, partial, known; /* see pagerank.cl */
    cl_mem copied;                 /* of several nodes: [n_copied] slots of the mirror's copies */
    uint32_t n_copied;
    /* Of a call. */
    cl_mem wishes; /* NULL: all alike */
    double damping, change, idle;
    cl_event done[N_KNOWN];
};

/** ranks.c: makes graph->pagerank. Collective. @param shares  [n_own] 1 / weight out, or 0. */
int graph_pull_make(struct gravel_graph *graph, bool is_double, const double *shares);
/** ranks.c: makes a buffer of ranks' type. @param values  [n_own] */
int graph_pull_reals(struct gravel_graph *graph, cl_mem *out, const double *values);
/** pull.c: enqueues a kernel of `n_items` work-items, rounded up to groups; 0 are nothing. @param done  [out] or NULL */
int graph_pull_run(const struct gravel_graph *graph, uint32_t kernel, uint64_t n_items,
                   cl_event *done);
/** pull.c: iterates, and says in options how often, and what the last change was. Collective. @param wishes  [n_own] of
 * which the sum over all nodes is 1; NULL: all alike. @param ranks  [out] [n_own] of the type; it stays the graph's. */
int graph_pull_iterate(struct gravel_graph *graph, struct gravel_graph_pagerank_options *options,
                       const double *wishes, cl_mem *ranks);

#endif
