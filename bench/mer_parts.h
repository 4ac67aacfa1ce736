/* SPDX-License-Identifier: MIT */
/*
 * K-mers counted by OpenMP, as counters of one machine do it: threads scan the text and write each k-mer to the part that
 * its hash names; then each part is counted by one thread, in a table of its own that stays in the thread's cache.
 *
 * The text is taken in batches, so that what is between the two passes has a bound.
 *
 * Path:    bench_mer.c -> this -> apps/mer/table.h
 * Memory:  8 to 24 bytes for each place of a batch; a table for each part.
 * Threads: the main thread calls; OpenMP's work.
 * Source:  Marcais, Kingsford, Jellyfish, 2011; Deorowicz et al., KMC 2, 2015 (parts by hash, each counted alone).
 */
#ifndef BENCH_MER_PARTS_H
#define BENCH_MER_PARTS_H

#include "mer/pack.h"
#include "mer/table.h"

struct parts {
    const struct pack *text;
    unsigned k, n_words, n_threads;
    uint32_t n_parts;
    uint64_t batch_places; /* of the text, at once */
    struct table *tables;  /* [n_parts] a k-mer is in the one that kmer_owner names */
    uint64_t *words;       /* [batch_places][n_words] k-mers and neighbours, part after part */
    uint64_t *
        at; /* [n_threads][n_parts] k-mers that a thread has for a part; then where its next one goes */
    uint64_t *begins; /* [n_parts + 1] of parts, in words */
};

/** Make room, or die. The text stays the caller's. */
void parts_open(struct parts *parts, const struct pack *text, unsigned k, unsigned n_threads);

/** Empty tables. They keep their memory, as tables on a device do. */
void parts_reset(struct parts *parts);

/** Count all k-mers of the text; or die, without memory. */
void parts_count(struct parts *parts);

/** K-mers that differ [count]. */
uint64_t parts_n_distinct(const struct parts *parts);

void parts_close(struct parts *parts);

#endif
