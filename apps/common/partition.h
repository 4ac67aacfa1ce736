/* SPDX-License-Identifier: MIT */
/*
 * Block partition: vertex v (or element v of any array) lives on node v / block as element v %
 * block.
 *
 * Path: the application's host code and kernels do the same arithmetic; this is the host's copy.
 * Threads: any; nothing is stored.
 *
 * The first nodes have full blocks, one may be short, the rest are empty: more nodes than vertices
 * work.
 */
#ifndef APPS_PARTITION_H
#define APPS_PARTITION_H

#include <stdint.h>

/* Vertices [first, last) of a node. */
struct block_range {
    uint64_t first, last;
};

/** Vertices per node [count], rounded up; at least 1, so that it can divide. n_nodes is not 0. */
static inline uint64_t block_of(uint64_t n_vertices, uint32_t n_nodes)
{
    uint64_t block = n_vertices / n_nodes + (n_vertices % n_nodes != 0);
    return block ? block : 1;
}

/** Node that owns vertex v. */
static inline uint32_t block_owner(uint64_t v, uint64_t block)
{
    return (uint32_t)(v / block);
}

/** Place of vertex v in its owner's block. */
static inline uint64_t block_index(uint64_t v, uint64_t block)
{
    return v % block;
}

/** Vertices of one node; empty past the end. */
static inline struct block_range block_range(uint64_t n_vertices, uint32_t n_nodes, uint32_t node)
{
    uint64_t block = block_of(n_vertices, n_nodes);
    uint64_t first = n_vertices / block < node ? n_vertices : node * block;
    uint64_t last = n_vertices - first < block ? n_vertices : first + block;
    return (struct block_range){first, last};
}

#endif
