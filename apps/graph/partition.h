/* SPDX-License-Identifier: MIT */
/*
 * Owners by blocks: element v of an array, or vertex v, is element v % block of node v / block.
 *
 * Path: part.c, an application's host code -> this; kernels get the block
 * Threads: any; plain data.
 *
 * The first nodes have full blocks, one may be short, the rest are empty: more nodes than vertices work.
 */
#ifndef APPS_PARTITION_H
#define APPS_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Elements [first, last). */
struct block_range {
    uint64_t first, last;
};

/** Elements of a node [count], rounded up; at least 1, so that it can divide. n_nodes is not 0. */
static inline uint64_t block_of(uint64_t n, uint32_t n_nodes)
{
    uint64_t block = n / n_nodes + (n % n_nodes != 0);
    return block ? block : 1;
}

/** Elements of one node; empty past the end. */
static inline struct block_range block_range(uint64_t n, uint32_t n_nodes, uint32_t node)
{
    uint64_t block = block_of(n, n_nodes);
    uint64_t first = n / block < node ? n : node * block;
    uint64_t last = n - first < block ? n : first + block;
    return (struct block_range){first, last};
}

struct partition {
    uint64_t n_vertices;
    uint32_t n_nodes;
    uint64_t block; /* vertices of a node */
};

static inline struct partition partition_blocks(uint64_t n_vertices, uint32_t n_nodes)
{
    return (struct partition){n_vertices, n_nodes, block_of(n_vertices, n_nodes)};
}

/** Return the vertices of a node. */
static inline struct block_range partition_range(const struct partition *partition, uint32_t node)
{
    return block_range(partition->n_vertices, partition->n_nodes, node);
}

/** Node that owns vertex v, and where the vertex is among that node's. */
static inline uint32_t partition_owner(const struct partition *partition, uint64_t v)
{
    return (uint32_t)(v / partition->block);
}
static inline uint64_t partition_index(const struct partition *partition, uint64_t v)
{
    return v % partition->block;
}

/** Does the node own vertex v? */
static inline bool partition_has(const struct partition *partition, uint32_t node, uint64_t v)
{
    return v - node * partition->block < partition->block;
}

#endif
