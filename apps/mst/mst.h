/* SPDX-License-Identifier: MIT */
/*
 * A node's minimum spanning trees.
 *
 * Path:    edges.c (the graph's edges) -> mst.c -> check.c
 * Owner:   mst.c.
 * Threads: main's.
 */
#ifndef APPS_MST_H
#define APPS_MST_H

#include "frame/app.h"
#include "graph/node_part.h"
#include "sections/form.h"

/* As mst.cl has them. A weight is a uint, or the bits of a float that is not negative. */
struct mst_entry {
    cl_uint neighbour, weight, edge;
};
struct mst_offer {
    cl_uint component, weight, edge;
};

/* The graph without directions and loops; of edges between the same ends, the lightest. All nodes number them alike. */
struct mst_edges {
    uint64_t n;
    cl_uint2 *ends;            /* [n], lesser first */
    cl_uint *weights;          /* [n] */
    cl_uint *offsets;          /* [n_vertices + 1] of rows; those of other nodes are empty */
    struct mst_entry *entries; /* [offsets[n_vertices]]; of all nodes, each edge twice */
};

struct mst {
    struct options options;
    struct node node;
    struct graph_part part;
    struct sections sections;
    bool has_floats;
    uint64_t n_vertices;
    uint64_t
        n_sections; /* of a node, at most: component c is at node c % n_nodes, there c / n_nodes */
    struct mst_edges edges;

    uint64_t lightest_weights, lightest_edges, locks; /* heap offsets [n_sections] */
    /* Heap offset [n_vertices]: edges that components chose in this round, or hung by in an earlier one; all nodes have the
     * same. On a node alone: lightest_edges. */
    uint64_t chosen;
    cl_kernel begin, look, lightest, hang, jump, keep, relabel;
    cl_kernel announce; /* several nodes */
    cl_mem ends, offsets, entries, components, offers, counts;
    cl_mem vertices[2], live[2], roots[2]; /* by turns */

    uint64_t n_rounds; /* of the last trial */
    uint64_t n_offers; /* critical sections in it, of all nodes */
    double section_s;  /* and their time */
    uint64_t n_tree;   /* edges of the tree, or of all trees */
    double tree_weight;
};

/**
 * The edges of a graph as it is read, and the rows of a node; or die.
 *
 * @param part  has the partition, and the node's number in it.
 */
void edges_open(struct mst_edges *edges, const struct graph *graph, const struct graph_part *part);
void edges_close(struct mst_edges *edges);

/** Reads what the last trial found, all of it at every node. @return [edges.n] whether an edge is in it, to be freed. */
cl_uint *read_tree(struct mst *mst);

/** Weight of an edge, as a number. */
double edge_weight(const struct mst *mst, uint64_t edge);

/** Compare with Kruskal's tree of the graph. @return edges that differ [count]. */
uint64_t check_tree(void *self, struct trials *trials);

#endif
