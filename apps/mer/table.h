/* SPDX-License-Identifier: MIT */
/*
 * A table of k-mers with what stands beside them, for the thread that resolves messages.
 *
 * It is N_SHARDS small tables with open addressing. Each grows alone, so that no growth holds up
 * the network for long. An insertion waits until TABLE_PENDING more have come, while the processor fetches its
 * line.
 *
 * Path: on_host.c, on_device.c -> this -> mer.c, reference.c
 * Owner: table_free frees what insertions made.
 * Threads: one at a time.
 */
#ifndef APPS_TABLE_H
#define APPS_TABLE_H

#include "frame/random.h"

#include <stdbool.h>
#include <stdint.h>

/* Bases as two bits each, A 0, C 1, G 2, T 3, the first in the highest bits; up to 63 of them. */
struct kmer {
    uint64_t high, low;
};

#define NO_NEIGHBOUR 4

/* One cache line; on_device.cl has the same. Counts stop at UINT32_MAX. */
struct table_entry {
    struct kmer kmer;
    uint32_t count;             /* 0: the entry is free */
    uint32_t left[4], right[4]; /* how often A, C, G, T stood there */
    uint32_t unused[3];
};

#define TABLE_LOG_SHARDS 5
#define TABLE_N_SHARDS (1 << TABLE_LOG_SHARDS)
#define TABLE_PENDING 16

struct table_shard {
    struct table_entry *entries; /* [capacity], a power of two; NULL before the first */
    uint64_t capacity, n_used;
};

struct table_pending {
    struct kmer kmer;
    uint64_t hash;
    uint32_t left, right;
};

struct table {
    struct table_shard shards[TABLE_N_SHARDS];
    struct table_pending pending[TABLE_PENDING];
    uint64_t n_given; /* insertions so far, those pending too */
};

/** As on the device (kmers.cl.h): the upper half chooses the node, the lower bits the entry. */
static inline uint64_t kmer_hash(struct kmer kmer)
{
    return random_mix(kmer.low + random_mix(kmer.high));
}
static inline uint32_t kmer_owner(uint64_t hash, uint32_t n_nodes)
{
    return (uint32_t)((hash >> 32) * n_nodes >> 32);
}

/** Count a k-mer and its neighbours, 0 to 3 or NO_NEIGHBOUR. Without memory this ends the process, as the next two do. */
void table_insert(struct table *table, struct kmer kmer, uint32_t left, uint32_t right);

/** Put in an entry whose k-mer the table does not have. */
void table_put(struct table *table, const struct table_entry *entry);

/** Count those put off. */
void table_finish(struct table *table);

/** The entry of a k-mer; NULL if there is none. */
const struct table_entry *table_find(const struct table *table, struct kmer kmer);

/** K-mers that differ [count]. */
uint64_t table_n_used(const struct table *table);

/** Free; a zeroed table is fine, and empty. */
void table_free(struct table *table);

/* ---- words of messages -------------------------------------------------------------------------
 *
 * A k-mer and its neighbours in as few words as they need, as kernels send them (kmers.cl.h): in the lowest three bits
 * what stands after it, above them what stands before it, and then the k-mer.
 */

#define MAX_K 63
#define WORDS_MOST 3

/** Words of a k-mer of k bases: 2 k bits of it and 6 of its neighbours. */
static inline unsigned words_of(unsigned k)
{
    return (2 * k + 6 + 63) / 64;
}

/** The k-mer. @param words  [WORDS_MOST]; what it does not need is 0. */
static inline struct kmer words_kmer(const uint64_t *words)
{
    return (struct kmer){.high = words[1] >> 6 | words[2] << 58,
                         .low = words[0] >> 6 | words[1] << 58};
}

/** Count it in a table. */
static inline void words_count(struct table *table, const uint64_t *words)
{
    table_insert(table, words_kmer(words), words[0] >> 3 & 7, words[0] & 7);
}

#endif
