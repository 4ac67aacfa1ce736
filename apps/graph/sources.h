/* SPDX-License-Identifier: MIT */
/*
 * Gives the edges of a graph: a list in a file, or a synthetic undirected graph, Kronecker, uniform, band or mesh, which one
 * seed makes alike on any machine.
 *
 * Path:    part.c -> this: read.c, generate.c, mesh.c -> build.c
 * Owner:   what a stream lists from is its own, until graph_stream_free.
 * Threads: any; of graph_read one at a time.
 */
#ifndef APPS_GRAPH_SOURCES_H
#define APPS_GRAPH_SOURCES_H

#include "graph/graph.h"

/** Read a list of edges in a file; or die of its first fault, with its line. @param goes_both_ways  the stream lists each edge
 * turned round, too. */
void graph_read(struct graph_stream *stream, const char *path, bool goes_both_ways);

/* ---- synthetic: of a size, as the kind counts it, and edges drawn per vertex, of a kind that has it ---- */

typedef struct graph_stream graph_generate(uint64_t size, unsigned degree, uint64_t seed);

#define GENERATE_MAX_SCALE 31
#define GENERATE_MAX_DEGREE 65536

/**
 * Returns the edges, both ways, of Graph500's Kronecker graph (A .57, B .19, C .19, D .05) of 2^scale vertices, in a random order;
 * uniform_stream: both ends of every edge uniform over all vertices.
 *
 * @param scale   [0, GENERATE_MAX_SCALE].
 * @param degree  [1, GENERATE_MAX_DEGREE], edges drawn per vertex, as Graph500 and GAPBS count:
 *                each is in both rows, so the rows have 2 * degree << scale entries. Loops
 *                (twice in their row) and duplicates are kept.
 *
 * Source: Graph500 specification 2.0, section 3.
 */
graph_generate kronecker_stream, uniform_stream;

#define BAND_MIN_VERTICES 1
#define BAND_MAX_VERTICES (UINT64_C(1) << 31)

/**
 * Returns edges, both ways, and once the diagonal, of a band graph with the degree statistics of cage15, a matrix of DNA
 * electrophoresis.
 *
 * cage15 has 5154859 rows and 99199551 entries, the diagonal among them: 19.24 a row, 3 to 47, in a band; of 8 blocks,
 * 16.5 % of the edges lead to another (Orr 2016, table 5-4). Here, at that size, there are 99226761 entries, 19.25 a row,
 * 3 to 48, none farther than 1/20 of the rows away, and 16.6 % lead to another of 8 blocks.
 *
 * Source: A. van Heukelum, G. Barkema, R. Bisseling, DNA electrophoresis studied with the cage model, 2002; matrix cage15 of
 * the SuiteSparse collection.
 *
 * @param size  vertices: [BAND_MIN_VERTICES, BAND_MAX_VERTICES].
 */
graph_generate band_stream;

#define MESH_MIN_VERTICES 6
#define MESH_MAX_VERTICES (UINT64_C(1) << 31)

/** Lays out an adaptive mesh of `size` vertices, [MESH_MIN_VERTICES, MESH_MAX_VERTICES], or up to two rows more; or dies. @return
 * edges, both ways. */
graph_generate mesh_stream;

#endif
