/* SPDX-License-Identifier: MIT */
/*
 * A partition whose parts have few edges between them, by METIS.
 *
 * Path: part.c -> this -> libmetis
 * Owner: the caller's, to close.
 * Threads: any; one at a time per partition.
 * Source: G. Karypis and V. Kumar, A Fast and High Quality Multilevel Scheme for Partitioning
 * Irregular Graphs, 1998.
 *
 * METIS wants the whole graph at once: while it works, every process holds it, in about 20 bytes
 * for each entry of a row. The same library gives the same parts in every process.
 */
#ifndef APPS_PARTITION_METIS_H
#define APPS_PARTITION_METIS_H

#include "graph/graph.h"
#include "graph/partition.h"

/* Whether this was built with libmetis. */
#ifdef APPS_METIS
#define PARTITION_HAS_METIS true
#else
#define PARTITION_HAS_METIS false
#endif

/**
 * Cut a graph into a part for every node.
 *
 * @param graph  undirected, without loops and multiple edges.
 * @return       0; -ENOMEM; -EFBIG if the library's numbers are too narrow; -ENOSYS if built
 *               without it; -EIO if it fails otherwise. On failure *partition is empty.
 */
int partition_metis(struct partition *partition, const struct graph *graph, uint32_t n_nodes);

#endif
