/* SPDX-License-Identifier: MIT */
/*
 * A k-mer and its neighbours in as few words as they need, as kernels send them (kmers.cl.h): in the lowest three bits
 * what stands after it, above them what stands before it, and then the k-mer.
 *
 * Path: on_host.c, bench/mer_parts.c -> this -> table.h
 * Threads: any; there is no state.
 */
#ifndef APPS_WORDS_H
#define APPS_WORDS_H

#include "table.h"

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

/** Count it in a table. @return  false without memory. */
static inline bool words_count(struct table *table, const uint64_t *words)
{
    return table_insert(table, words_kmer(words), words[0] >> 3 & 7, words[0] & 7);
}

#endif
