/* SPDX-License-Identifier: MIT */
/*
 * A graph, and one node's part of it.
 *
 * Path: an application's options -> this -> the application's host code
 * Owner: part_open makes what part_close frees.
 *
 * Every process has the whole graph: it reads the whole file, or generates all edges, and checks results by it.
 */
#ifndef APPS_GRAPH_PART_H
#define APPS_GRAPH_PART_H

#include "frame/app.h"
#include "graph/graph.h"

/* In the flags of the GAP Benchmark Suite: one says where the graph comes from. */
struct graph_options {
    const char *file;
    const struct graph_kind *kind; /* what generates it */
    uint64_t size;                 /* log2 of the vertices, or vertices of mesh and band */
    unsigned n_given;              /* of what generates it */
    uint32_t degree;               /* -k: edges drawn per vertex; 0: not given */
};

/* -f -g -u -k --mesh --band; the offset is of a struct graph_options. */
extern const struct app_option options_of_graphs[];
#define GRAPH_OPTIONS_GROUP(at)             \
    {                                       \
        "Graph:", 20, options_of_graphs, at \
    }

struct part_wish {
    bool is_undirected; /* edges both ways; no loops, no edge twice */
    bool has_weights;   /* a file's, if edges keep their directions; else drawn: 1 to 255 */
};

struct graph_part {
    struct graph_options options; /* set by the caller */
    uint64_t print;               /* a file's fingerprint */
    struct graph whole;

    uint64_t first;    /* number of the node's first vertex; node_part sets it, and rows */
    struct graph rows; /* row i: neighbours of vertex first + i, numbers of the whole */
};

/**
 * Get the whole graph; or die, naming file, line and fault.
 *
 * @param part  its options are set; the rest is set here.
 * @param seed  of what is drawn: edges of a graph that is generated, and weights.
 */
void part_open(struct graph_part *part, uint64_t seed, struct part_wish wish);
void part_close(struct graph_part *part);

/** Give this node rows of a graph, of the same file at all nodes; or die, also with loop-back nodes. Collective. */
void node_part(struct node *node, struct graph_part *part, struct block_range vertices);

/** Copy to the device where each row begins: [vertices + 1] of 32 bits. */
cl_mem node_part_offsets(struct node *node, const struct graph_part *part);

/**
 * Write a short name of the input: "kronecker-20", "uniform-20", "mesh-1000", "band-1000", or the file's name without
 * folders.
 */
void part_name(const struct graph_part *part, char *name, size_t name_bytes);

/** Set the input and the work of a report: the edges, of which an undirected one counts at both ends; add the graph's size. */
void part_describe(const struct graph_part *part, struct trials *trials);

/** Add a search to the description, whose work is the edges of the vertices that it has reached. Collective. @param found  [of this
 * node's vertices] UINT32_MAX: it is not reached. */
void part_describe_search(const struct graph_part *part, struct node *node, uint64_t source,
                          const uint32_t *found, struct trials *trials);

/** Compare the results of a node's vertices with the right ones of all, which are freed; ranks may differ by 1e-3 of their own.
 * @return  vertices with another result [count] */
uint64_t part_count_wrong(const struct graph_part *part, const uint32_t *found, uint32_t *right);
uint64_t part_count_wrong_ranks(const struct graph_part *part, const float *found, double *right);

/** Draw a vertex where a search begins: the first one with edges from a random one on, the last vertex's next being vertex 0;
 * 0 if there is none. */
uint64_t graph_draw_source(const struct graph *graph, uint64_t seed);

#endif
