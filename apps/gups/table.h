/* SPDX-License-Identifier: MIT */
/*
 * The tables of GUPS on this process's nodes: filled and checked on the device, so that they need no
 * memory of the host's and no copies.
 *
 * Path: gups.c, divergent.c -> this -> table.cl
 * Owner: kernels are the node's; the tables' memory is the caller's.
 * Threads: main's. Every call is done when it returns; none may overlap messages to the tables.
 */
#ifndef APPS_GUPS_TABLE_H
#define APPS_GUPS_TABLE_H

#include "frame/node.h"

#include <stdbool.h>

/* What an update does to its word, given the number of the stream that names it. table.cl has these numbers too. */
enum table_op {
    TABLE_INC, /* one more */
    TABLE_XOR, /* HPCC's: exclusive or with the number */
    TABLE_ADD, /* of 32-bit floats: TABLE_ADDEND more */
    TABLE_PUT  /* the number itself; numbers of the stream differ, and none is 0 */
};

/* A small whole number, so that sums are exact in any order; its bits choose neither node nor word. */
#define TABLE_ADDEND(ran) (1 + ((uint32_t)((ran) >> 32) & 7))
#define TABLE_MOST_ADDS_LOG 16 /* of updates a word, on average: no sum comes near 2^24 */

struct table {
    struct node *node;
    uint64_t offset;  /* of the tables, in every node's heap */
    uint64_t n_words; /* of a node, a power of two */
    enum table_op op;
    cl_mem levels; /* [n_levels] of skew() in gups.cl, a word if there are none */
    uint32_t n_levels;
    cl_kernel fill, undo_stream, undo_divergent, count;
};

/** Build the kernels, which node_close releases. The other fields are set. */
void table_open(struct table *table);

/** Returns the bytes of a word. */
uint32_t table_word_bytes(const struct table *table);

/**
 * Every word its own number among the words of all nodes, so that an exclusive or that gets lost shows; of floats, the
 * number's lowest bits; where puts come, 0.
 */
void table_fill(struct table *table);

/**
 * Undo the updates that the first n_updates numbers of HPCC's stream ask for.
 *
 * The host walks the stream one step at a time and marks every 1024th number; work-items walk on from the marks.
 * A put cannot be undone: a word that holds a number that was put to it is marked right, one that still holds 0 wrong.
 */
void table_undo_stream(struct table *table, uint64_t n_updates);

/** Undo the updates that the first n_items work-items of all nodes make, by --divergence. */
struct divergent;
void table_undo_divergent(struct table *table, const struct divergent *problem, uint64_t n_items);

/** Compare with table_fill's words, or count marks. @return  wrong words of this process's nodes [count]. */
uint64_t table_count_wrong(struct table *table);

#endif
