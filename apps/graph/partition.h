/* SPDX-License-Identifier: MIT */
/*
 * Owners by blocks: element v of an array, or vertex v, is element v % block of node v / block.
 *
 * Path: an application's host code -> this; kernels get the block
 * Threads: any; plain data.
 *
 * The first nodes have full blocks, one may be short, the rest are empty: more nodes than vertices work.
 */
#ifndef APPS_PARTITION_H
#define APPS_PARTITION_H

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

#endif
