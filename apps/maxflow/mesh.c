/* SPDX-License-Identifier: MIT */
/*
 * Meshes as those of the Washington generator: rows of columns, in which each vertex has an arc to the nearest three of
 * the next row, which wraps around; the source has an arc to each vertex of the first row, and each of the last row one to
 * the sink.
 *
 * Path: open.c -> this -> network.c
 * Owner: the arcs are the caller's.
 * Threads: main's.
 * Source: first DIMACS implementation challenge, 1991, generator `washington`, family mesh; Wang, Fussell, Lin 2019,
 * section 4 (MF).
 */
#include "frame/random.h"
#include "maxflow.h"

#define NEAREST 3u

void maxflow_draw(struct maxflow_arcs *arcs, const struct maxflow *maxflow)
{
    const uint64_t rows = maxflow->rows, columns = maxflow->columns, most = maxflow->most_capacity;
    const uint64_t key = random_key(maxflow->options.seed), n = rows * columns;
    uint64_t i = 0;
    *arcs =
        (struct maxflow_arcs){.n_vertices = n + 2, .source = (cl_uint)n, .sink = (cl_uint)n + 1};
    for (uint64_t column = 0; column < columns; column++) {
        maxflow_add(arcs,
                    (struct maxflow_arc){(cl_uint)n, (cl_uint)column, (cl_uint)(NEAREST * most)});
        maxflow_add(arcs, (struct maxflow_arc){(cl_uint)(n - columns + column), (cl_uint)n + 1,
                                               (cl_uint)(NEAREST * most)});
    }
    for (uint64_t vertex = 0; vertex < n - columns; vertex++)
        for (uint64_t side = 0; side < NEAREST && side < columns; side++, i++) {
            const uint64_t column = (vertex % columns + columns + side - 1) % columns;
            const uint64_t to = vertex - vertex % columns + columns + column;
            maxflow_add(arcs, (struct maxflow_arc){(cl_uint)vertex, (cl_uint)to,
                                                   (cl_uint)(1 + random_at(key, i) % most)});
        }
}
