/* SPDX-License-Identifier: MIT */
/*
 * One node's part of a graph: found out about first, then its rows are made.
 *
 * Path: an application's options -> this -> the application's host code
 * Owner: part_survey and part_open make what part_close frees.
 * Threads: main's.
 *
 * Every process reads the whole file, and keeps its list of edges for the check: 8 bytes each, or 12 with a weight. Or it
 * goes twice through all edges of a generated graph.
 */
#ifndef APPS_GRAPH_PART_H
#define APPS_GRAPH_PART_H

#include "graph/mesh.h"
#include "graph/generate.h"
#include "graph/read.h"
#include "frame/options.h"
#include "frame/trials.h"

/* What generates a graph; or a file has it. */
enum graph_source {
    GRAPH_FROM_KRONECKER,
    GRAPH_FROM_UNIFORM,
    GRAPH_FROM_MESH,
    GRAPH_FROM_BAND,
    GRAPH_FROM_FILE
};
#define GRAPH_N_GENERATED GRAPH_FROM_FILE
#define GRAPH_NOT_GIVEN UINT64_MAX

/* In the flags of the GAP Benchmark Suite: one says where the graph comes from. */
struct graph_options {
    const char *file;
    uint64_t sizes
        [GRAPH_N_GENERATED]; /* log2 of the vertices of the first two, vertices of mesh and band; or GRAPH_NOT_GIVEN */
    uint32_t degree; /* -k: edges drawn per vertex; 0: not given */
};

/* Start from this. */
#define GRAPH_OPTIONS_DEFAULT \
    ((struct graph_options){  \
        .sizes = {GRAPH_NOT_GIVEN, GRAPH_NOT_GIVEN, GRAPH_NOT_GIVEN, GRAPH_NOT_GIVEN}})

/* -f -g -u -k --mesh --band; the offset is of a struct graph_options. */
extern const struct app_option options_of_graphs[];
#define GRAPH_OPTIONS_GROUP(at)             \
    {                                       \
        "Graph:", 20, options_of_graphs, at \
    }

/* What is known of a graph. */
struct graph_survey {
    uint64_t n_vertices, n_edges; /* as it is read */
    enum graph_weights weights_are;
    bool is_symmetric; /* each edge is there as often as the same edge turned round */
    uint64_t print;    /* the file's fingerprint */
};

struct part_wish {
    bool is_undirected;   /* edges both ways; no loops, no edge twice; no weights */
    bool no_weights;      /* leave out those that a file has */
    bool refuse_negative; /* weights below 0 are faults of the file */
};

struct graph_part {
    struct graph_options options; /* set by the caller */
    struct part_wish wish;
    enum graph_source source;
    struct graph_survey survey; /* of the whole graph */
    struct graph_input input;   /* the source, if it is one of these */
    struct mesh mesh;
    struct band band;
    struct edge_numbers numbers;
    struct graph_stream stream; /* of the source, which is in here: it does not move */

    struct partition partition; /* of vertices that lie in blocks: node_part sets it */
    uint64_t first;             /* number of the node's first vertex */
    struct graph rows;          /* row i: neighbours of vertex first + i, numbers of the whole */
};

/**
 * Find out how large the graph is, before any node is open; or die, naming file, line and fault.
 *
 * @param part  its options are set; the rest is set here.
 * @param seed  of a graph that is generated.
 */
void part_survey(struct graph_part *part, uint64_t seed, struct part_wish wish);

/**
 * Write a short name of the input: "kronecker-20", "uniform-20", "mesh-1000", "band-1000", or the file's name without
 * folders.
 */
void part_name(const struct graph_part *part, char *name, size_t name_bytes);

/** Get the rows of some vertices; or die. */
void part_open(struct graph_part *part, struct block_range vertices);
void part_close(struct graph_part *part);

/** Free the neighbours and weights of the rows, and keep how many there are: the application has
 * them elsewhere. */
void part_forget_edges(struct graph_part *part);

/** The whole graph as its parts have it, for a check; or die. The caller frees it. */
void part_whole(struct graph *whole, const struct graph_part *part);

/**
 * Set the input of a report, and add what decides the graph, and its size, to the parameters.
 *
 * @param n_edges  of the whole graph, as the application counts them.
 */
void part_describe(const struct graph_part *part, uint64_t seed, uint64_t n_edges,
                   struct trials *trials);

/** List the vertex that each edge leaves; or die. @param first  number of the first row's @return  [n_edges], to be freed */
uint32_t *graph_list_sources(const struct graph *rows, uint64_t first);

/** Draw a vertex; a search begins at the first one with edges, from it on, the last vertex's next being vertex 0. */
uint64_t graph_draw_vertex(uint64_t n_vertices, uint64_t seed);

/** Return the steps from a drawn vertex to the part's nearest with edges; n_vertices if it has none. */
uint64_t part_steps_to_edges(const struct graph_part *part, uint64_t drawn);

/* Weights are drawn as GAPBS does: 1 to this. */
#define GRAPH_MOST_DRAWN_WEIGHT 255

/**
 * Draw a whole weight for each edge, the same in both directions and in every part of the graph; or die. A graph with
 * weights keeps them.
 *
 * @param first  number of the first row's vertex in the whole graph.
 */
void graph_draw_weights(struct graph *rows, uint64_t first, uint64_t seed);

#endif
