/* SPDX-License-Identifier: MIT */
/*
 * A band graph with the degree statistics of cage15, a matrix of DNA electrophoresis.
 *
 * Path: part.c -> this -> build.c
 * Threads: any; there is no state.
 * Source: A. van Heukelum, G. Barkema, R. Bisseling, DNA electrophoresis studied with the cage
 * model, 2002; matrix cage15 of the SuiteSparse collection.
 *
 * cage15 has 5154859 rows and 99199551 entries, the diagonal among them: 19.24 a row, 3 to 47, in a
 * band; of 8 blocks, 16.5 % of the edges lead to another (Orr 2016, table 5-4). Here, at that size,
 * there are 99226761 entries, 19.25 a row, 3 to 48, none farther than 1/20 of the rows away, and
 * 16.6 % lead to another of 8 blocks.
 */
#ifndef APPS_BAND_H
#define APPS_BAND_H

#include "graph/build.h"

#define BAND_MIN_VERTICES 1
#define BAND_MAX_VERTICES (UINT64_C(1) << 31)

struct band {
    uint64_t key;
    uint64_t n_vertices;
    uint64_t reach; /* how far the farthest neighbour is [rows] */
};

/** @param n_vertices  [BAND_MIN_VERTICES, BAND_MAX_VERTICES]. */
struct band band_of(uint64_t n_vertices, uint64_t seed);

/** Entries of rows: twice the edges and once the diagonal [count]. */
uint64_t band_n_edges(const struct band *band);

/** Edges, both ways. The band must outlive the stream. */
struct graph_stream band_stream(const struct band *band);

#endif
