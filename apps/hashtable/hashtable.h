/* SPDX-License-Identifier: MIT */
/*
 * A hash table of linked lists, as its parts share it.
 *
 * Path: hashtable.c -> this -> check.c
 * Owner: the struct is main's; arrays are the heap's.
 * Threads: main's.
 */
#ifndef HASHTABLE_H
#define HASHTABLE_H

#include "frame/app.h"
#include "sections/form.h"

struct hashtable {
    struct options options;
    struct node node;
    struct sections sections;
    uint64_t n_buckets;          /* of all nodes, a power of two */
    uint64_t log_items;          /* log2 of the operations that all nodes make */
    uint64_t heads, next, locks; /* heap offsets */
    uint64_t first_item, n_own;  /* operations that this process sends */
    cl_mem own_keys;             /* of these */
    cl_kernel kernel;
};

/** Entries that a node has room for: one for each operation of all nodes. */
static inline uint64_t hashtable_n_entries(const struct hashtable *table)
{
    return UINT64_C(1) << table->log_items;
}

static inline uint64_t hashtable_n_local_buckets(const struct hashtable *table)
{
    return (table->n_buckets + table->node.n_nodes - 1) / table->node.n_nodes;
}

/** The key of operation i of all nodes. */
uint32_t hashtable_key(const struct hashtable *table, uint64_t i);

/** Compare with what a serial program makes of the same operations. @return what is wrong here [count]. */
app_check hashtable_check;

#endif
