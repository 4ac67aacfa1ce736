/* SPDX-License-Identifier: MIT */
/*
 * Owners of vertices, by blocks: node v / block has vertex v (or element v of any array) as element v % block.
 *
 * Path: part.c, an application's host code -> this; kernels get owners and indices ready-made
 * Threads: any; plain data.
 *
 * The first nodes have full blocks, one may be short, the rest are empty: more nodes than vertices work.
 */
#ifndef APPS_PARTITION_H
#define APPS_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
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

/** Vertices of one node; empty past the end. */
static inline struct block_range block_range(uint64_t n_vertices, uint32_t n_nodes, uint32_t node)
{
    uint64_t block = block_of(n_vertices, n_nodes);
    uint64_t first = n_vertices / block < node ? n_vertices : node * block;
    uint64_t last = n_vertices - first < block ? n_vertices : first + block;
    return (struct block_range){first, last};
}

struct partition {
    uint64_t n_vertices;
    uint32_t n_nodes;
    uint64_t block; /* vertices of a node; 0: as gravel_share has them, without owners */
};

static inline struct partition partition_blocks(uint64_t n_vertices, uint32_t n_nodes)
{
    return (struct partition){n_vertices, n_nodes, block_of(n_vertices, n_nodes)};
}

/** Return the vertices of a node. */
static inline struct block_range partition_range(const struct partition *partition, uint32_t node)
{
    const uint64_t n = partition->n_vertices, n_nodes = partition->n_nodes, rest = n % n_nodes,
                   first = n / n_nodes * node + (node < rest ? node : rest);
    if (partition->block)
        return block_range(n, partition->n_nodes, node);
    return (struct block_range){first, first + n / n_nodes + (node < rest)};
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
