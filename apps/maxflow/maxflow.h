/* SPDX-License-Identifier: MIT */
/*
 * A node's maximum flow.
 *
 * Path:    network.c (arcs, rows) -> maxflow.c -> check.c
 * Owner:   maxflow.c.
 * Threads: main's.
 */
#ifndef APPS_MAXFLOW_H
#define APPS_MAXFLOW_H

#include "frame/app.h"
#include "sections/form.h"

/* Of all arcs of the source together, so that an excess fits a word. */
#define MAXFLOW_MOST_SUPPLY UINT32_C(0x7fffffff)
#define MAXFLOW_MOST_ARCS (UINT32_C(1) << 30)
#define MAXFLOW_MOST_VERTICES (UINT32_C(1) << 28)

/* An arc as it is read. */
struct maxflow_arc {
    cl_uint from, to, capacity;
};

struct maxflow_arcs {
    uint64_t n_vertices, n, n_room; /* n_room: of `each` */
    cl_uint source, sink;
    struct maxflow_arc *each; /* [n] */
};

/* In the row of its tail, as maxflow.cl has it; the twin goes back, with capacity 0. */
struct maxflow_entry {
    cl_uint to, twin;
};
struct maxflow_rows {
    uint64_t n_vertices, n_entries;
    cl_uint source, sink;
    uint64_t supply;               /* capacity of all arcs of the source */
    cl_uint *offsets;              /* [n_vertices + 1] */
    struct maxflow_entry *entries; /* [n_entries] */
    cl_uint *capacity;             /* [n_entries] */
};

/* As struct network of maxflow.cl: offsets in the heap, and numbers. */
struct maxflow_network {
    cl_ulong offsets, arcs, capacity, room, incoming, heights, excess, is_active, locks;
    cl_uint n_vertices, source, sink, limit, n_relabels, padding;
};

struct maxflow {
    struct options options;
    struct node node;
    struct sections sections;
    const char *file; /* -f; NULL: a mesh */
    uint64_t rows, columns, most_capacity;
    struct maxflow_rows net;

    struct maxflow_network network; /* as it lies at `at` of the heap */
    uint64_t at;
    cl_kernel begin, receive, step_back, collect, discharge;
    cl_mem lists[2], counts; /* vertices [n_vertices], by turns */

    uint64_t n_rounds, n_levels; /* of the last trial: exact heights, and their steps */
    double section_s;            /* of it, in discharges */
    uint64_t flow, cut, n_cut;   /* what was found: the flow, and the minimum cut, with its arcs */
};

/** Read a network in DIMACS' format of maximum flows, plain or gzip; or die. */
void read_arcs(struct maxflow_arcs *arcs, const char *path);

/** Draw a mesh: levels of `columns` vertices each. */
void draw_arcs(struct maxflow_arcs *arcs, const struct maxflow *maxflow);

/** Rows of arcs and twins; frees the arcs. Dies if the source's capacities are too large. */
void rows_open(struct maxflow_rows *rows, struct maxflow_arcs *arcs);
void rows_close(struct maxflow_rows *rows);

/** Reads what the last trial has left. @return [n of net] of the heap, to be freed. */
cl_uint *read_words(struct maxflow *maxflow, uint64_t offset, uint64_t n);

/**
 * Checks the flow and the cut of the last trial: the flow obeys capacities, no vertex has more outflow than inflow, and the
 * cut's capacity is the flow.
 *
 * @return  what is wrong [count]; flow, cut and n_cut are set.
 */
uint64_t look_at_flow(struct maxflow *maxflow);

/** The flow's value by Dinic's algorithm, serially. */
uint64_t flow_serially(const struct maxflow_rows *rows);

#endif
