/* SPDX-License-Identifier: MIT */
/*
 * Who owns which vertex. By blocks: vertex v (or element v of any array) lives on node v / block as
 * element v % block. By parts: each vertex has a place in a new order, and each node a range of it.
 *
 * Path: part.c, an application's host code -> this; kernels get owners and indices ready-made
 * Owner: partition_close frees what partition_parts made; blocks hold nothing.
 * Threads: any may read.
 *
 * By blocks the first nodes have full ones, one may be short, the rest are empty: more nodes than
 * vertices work.
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
    uint64_t block;   /* vertices of a node; by parts, of the one that has most */
    uint64_t *starts; /* [n_nodes + 1] of the nodes' ranges of places; NULL by blocks */
    uint32_t *places; /* [n_vertices] of the vertices; NULL by blocks */
};

static inline struct partition partition_blocks(uint64_t n_vertices, uint32_t n_nodes)
{
    return (struct partition){n_vertices, n_nodes, block_of(n_vertices, n_nodes), NULL, NULL};
}

/** Part of vertex v, below n_nodes; asked twice. */
typedef uint32_t partition_part(const void *context, uint64_t v, uint32_t n_nodes);

/**
 * A part for every node, whatever their sizes.
 *
 * @return  0, or -ENOMEM and *partition is empty.
 */
int partition_parts(struct partition *partition, uint64_t n_vertices, uint32_t n_nodes,
                    partition_part *part, const void *context);

/**
 * Parts by a hash of the vertices' numbers: alike in size, and in edges too, whatever the order of the vertices. One node
 * has a block.
 *
 * @return  0, or -ENOMEM and *partition is empty.
 */
int partition_hash(struct partition *partition, uint64_t n_vertices, uint32_t n_nodes);

/** Free it; blocks are fine. */
void partition_close(struct partition *partition);

/** Node whose range holds a place: the last one that starts at or before it and is not empty. */
static inline uint32_t partition_owner_of_place(const struct partition *partition, uint64_t place)
{
    uint32_t low = 0, high = partition->n_nodes;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (partition->starts[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/** Place of vertex v in the order of the nodes, and of each node's vertices. */
static inline uint64_t partition_place(const struct partition *partition, uint64_t v)
{
    return partition->places ? partition->places[v] : v;
}

/** Node that owns a place, and where it stands among that node's. */
static inline uint32_t partition_place_owner(const struct partition *partition, uint64_t place)
{
    return partition->places ? partition_owner_of_place(partition, place)
                             : (uint32_t)(place / partition->block);
}
static inline uint64_t partition_place_index(const struct partition *partition, uint64_t place)
{
    return partition->places ? place - partition->starts[partition_owner_of_place(partition, place)]
                             : place % partition->block;
}

/** As above, by vertex. */
static inline uint32_t partition_owner(const struct partition *partition, uint64_t v)
{
    return partition_place_owner(partition, partition_place(partition, v));
}
static inline uint64_t partition_index(const struct partition *partition, uint64_t v)
{
    return partition_place_index(partition, partition_place(partition, v));
}

/** Does the node own vertex v? */
static inline bool partition_has(const struct partition *partition, uint32_t node, uint64_t v)
{
    return partition->places ? partition->places[v] - partition->starts[node] <
                                   partition->starts[node + 1] - partition->starts[node]
                             : v - node * partition->block < partition->block;
}

/** partition_index of a vertex that the node owns. */
static inline uint64_t partition_own_index(const struct partition *partition, uint32_t node,
                                           uint64_t v)
{
    return partition->places ? partition->places[v] - partition->starts[node]
                             : v - node * partition->block;
}

/** Vertices of a node [count]. */
static inline uint64_t partition_count(const struct partition *partition, uint32_t node)
{
    struct block_range range = block_range(partition->n_vertices, partition->n_nodes, node);
    return partition->places ? partition->starts[node + 1] - partition->starts[node]
                             : range.last - range.first;
}

/* ---- by METIS -------------------------------------------------------------------------------- */

struct graph;

/* Whether this was built with libmetis. */
#ifdef APPS_METIS
#define PARTITION_HAS_METIS true
#else
#define PARTITION_HAS_METIS false
#endif

/**
 * Cut a graph by METIS into a part for every node, with few edges between them. METIS wants the whole graph at once: while it
 * works, every process holds it, in about 20 bytes for each entry of a row. The same library gives the same parts in every
 * process.
 *
 * @param graph  undirected, without loops and multiple edges.
 * @return       0; -ENOMEM; -EFBIG if the library's numbers are too narrow; -ENOSYS if built
 *               without it; -EIO if it fails otherwise. On failure *partition is empty.
 */
int partition_metis(struct partition *partition, const struct graph *graph, uint32_t n_nodes);

#endif
