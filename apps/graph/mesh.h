/* SPDX-License-Identifier: MIT */
/*
 * An adaptive mesh with the degree statistics of hugebubbles-00020: the dual of a planar
 * triangulation that is refined along the rims of bubbles.
 *
 * Path: part.c -> this -> build.c
 * Owner: mesh_stream makes what mesh_close frees.
 * Threads: any.
 * Source: Marquardt and Schamberger, Open Benchmarks for Load Balancing Heuristics in Parallel
 * Adaptive Finite Element Computations, 2005, whose meshes are in the 10th DIMACS challenge.
 *
 * hugebubbles-00020 has 21198119 vertices and 63580358 entries of rows: degree 2 or 3, mean 2.9993,
 * and 30 to 37 % of the edges lead to another of 8 blocks (Orr 2016, table 5-4). Here, at that
 * size, there are 21206356 vertices and 63609386 entries: degree 2 or 3, mean 2.9995, and 33.4 %
 * lead to another of 8 blocks.
 *
 * A triangle is a vertex and its neighbours are the triangles next to it. The coarse triangles lie
 * in rows; near a rim, a triangle is cut in three around its middle, and those again. As in a mesh
 * that was refined while it was used, the first part of a cut triangle keeps its number and the
 * other two get numbers after all earlier ones.
 */
#ifndef APPS_MESH_H
#define APPS_MESH_H

#include "graph/build.h"

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
