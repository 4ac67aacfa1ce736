/* SPDX-License-Identifier: MIT */
/*
 * Gives the edges of a graph: a list in a file, or a synthetic undirected graph, Kronecker, uniform, band or mesh, which one
 * seed makes alike on any machine.
 *
 * Path:    part.c -> this: read.c, generate.c, mesh.c -> build.c
 * Owner:   what a stream lists from is the caller's, and outlives it; graph_read makes what graph_input_free frees, mesh_stream
 *          what mesh_close frees.
 * Threads: any; of graph_read one at a time.
 */
#ifndef APPS_GRAPH_SOURCES_H
#define APPS_GRAPH_SOURCES_H

#include "frame/text.h"
#include "graph/graph.h"

/* ---- a list in a file, whose fault ends the process, with its line ---------------------------------- */

struct graph_input {
    uint64_t n_vertices, n_edges;
    struct graph_edge *edges; /* [n_edges] */
    bool has_weights;
    bool goes_both_ways; /* a stream lists each edge turned round, too; set by the caller */
    uint64_t print;      /* the file's fingerprint */

    struct text *text; /* while it is read */
    uint64_t room;     /* of edges */
};

/** Read a file; or die of its first fault. */
void graph_read(struct graph_input *input, const char *path);

/** Free what was read, also of a file that is not read to its end. */
void graph_input_free(struct graph_input *input);

/** Return the edges that were read, which must outlive the stream. */
struct graph_stream graph_input_stream(const struct graph_input *input);

/* ---- synthetic -------------------------------------------------------------------------------------- */

/* Edges that are functions of their number: Kronecker or uniform. */
struct edge_numbers {
    bool is_uniform;
    unsigned scale;
    uint64_t key;
    uint64_t order_key; /* of the vertices' order */
};

#define GENERATE_MAX_SCALE 31
#define GENERATE_MAX_DEGREE 65536

/**
 * Returns the edges, both ways, of Graph500's Kronecker graph (A .57, B .19, C .19, D .05) of 2^scale vertices, in a random order;
 * or, if is_uniform, both ends of every edge uniform over all vertices.
 *
 * @param scale   [0, GENERATE_MAX_SCALE].
 * @param degree  [1, GENERATE_MAX_DEGREE], edges drawn per vertex, as Graph500 and GAPBS count:
 *                each is in both rows, so the rows have 2 * degree << scale entries. Loops
 *                (twice in their row) and duplicates are kept.
 *
 * Source: Graph500 specification 2.0, section 3.
 */
struct graph_stream edge_numbers_stream(struct edge_numbers *numbers, bool is_uniform,
                                        unsigned scale, unsigned degree, uint64_t seed);

#define BAND_MIN_VERTICES 1
#define BAND_MAX_VERTICES (UINT64_C(1) << 31)

/*
 * A band graph with the degree statistics of cage15, a matrix of DNA electrophoresis.
 *
 * cage15 has 5154859 rows and 99199551 entries, the diagonal among them: 19.24 a row, 3 to 47, in a band; of 8 blocks,
 * 16.5 % of the edges lead to another (Orr 2016, table 5-4). Here, at that size, there are 99226761 entries, 19.25 a row,
 * 3 to 48, none farther than 1/20 of the rows away, and 16.6 % lead to another of 8 blocks.
 *
 * Source: A. van Heukelum, G. Barkema, R. Bisseling, DNA electrophoresis studied with the cage model, 2002; matrix cage15 of
 * the SuiteSparse collection.
 */
struct band {
    uint64_t key;
    uint64_t n_vertices;
    uint64_t reach; /* how far the farthest neighbour is [rows] */
};

/** Returns edges, both ways, and once the diagonal. @param n_vertices  [BAND_MIN_VERTICES, BAND_MAX_VERTICES]. */
struct graph_stream band_stream(struct band *band, uint64_t n_vertices, uint64_t seed);

/* An adaptive mesh. */
#define MESH_MIN_VERTICES 6
#define MESH_MAX_VERTICES (UINT64_C(1) << 31)

struct mesh {
    uint64_t key;           /* of the bubbles */
    uint64_t width, height; /* coarse triangles in a row, and rows */
    uint32_t *made; /* [width * height + 1] vertices that cuts made before each, row by row */
    uint64_t room;  /* of `made` */
};

/** Lay out a mesh of n_vertices, or up to two rows more; or die. @param n_vertices  [MESH_MIN_VERTICES, MESH_MAX_VERTICES]
 * @return  edges, both ways; the mesh must outlive the stream. */
struct graph_stream mesh_stream(struct mesh *mesh, uint64_t n_vertices, uint64_t seed);
void mesh_close(struct mesh *mesh);

#endif
