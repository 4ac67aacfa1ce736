/* SPDX-License-Identifier: MIT */
/*
 * Linear probing in shards that double when seven of ten entries are taken.
 *
 * Path: table.h -> this
 * Owner: see table.h.
 * Threads: one at a time.
 */
#include "table.h"
#include "frame/die.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_CAPACITY 64
#define HUGE_PAGE_BYTES ((size_t)2 << 20)

_Static_assert(sizeof(struct table_entry) == 64, "an entry is one cache line");

static struct table_shard *shard_of(struct table *table, uint64_t hash)
{
    return &table->shards[hash & (TABLE_N_SHARDS - 1)];
}

/* The k-mer's entry, or the free one where it would be. */
static struct table_entry *probe(const struct table_shard *shard, struct kmer kmer, uint64_t hash)
{
    for (uint64_t i = hash >> TABLE_LOG_SHARDS;; i++) {
        struct table_entry *entry = &shard->entries[i & (shard->capacity - 1)];
        if (!entry->count || (entry->kmer.low == kmer.low && entry->kmer.high == kmer.high))
            return entry;
    }
}

/* Zeroed, in huge pages from 2 MB on: most insertions would miss the TLB, and even a prefetch waits
 * for that. */
static struct table_entry *alloc_entries(uint64_t capacity)
{
    size_t bytes = capacity * sizeof(struct table_entry);
    size_t alignment = bytes < HUGE_PAGE_BYTES ? sizeof(struct table_entry) : HUGE_PAGE_BYTES;
    void *entries = aligned_alloc(alignment, bytes);
    if (!entries)
        die_alone("no memory for %llu k-mers of a shard of the table",
                  (unsigned long long)capacity);
    if (alignment == HUGE_PAGE_BYTES)
        madvise(entries, bytes, MADV_HUGEPAGE);
    return memset(entries, 0, bytes);
}

static void grow(struct table_shard *shard)
{
    struct table_shard larger = {.capacity = shard->capacity ? 2 * shard->capacity : FIRST_CAPACITY,
                                 .n_used = shard->n_used};
    larger.entries = alloc_entries(larger.capacity);
    for (uint64_t i = 0; i < shard->capacity; i++) {
        const struct table_entry *entry = &shard->entries[i];
        if (entry->count)
            *probe(&larger, entry->kmer, kmer_hash(entry->kmer)) = *entry;
    }
    free(shard->entries);
    *shard = larger;
}

static void count_one(uint32_t *counter)
{
    *counter += *counter != UINT32_MAX;
}

/* Returns the k-mer's entry, new with a count of 0 if there was none. */
static struct table_entry *claim(struct table *table, struct kmer kmer, uint64_t hash)
{
    struct table_shard *shard = shard_of(table, hash);
    if (shard->n_used * 10 >= shard->capacity * 7)
        grow(shard);
    struct table_entry *entry = probe(shard, kmer, hash);
    if (!entry->count) {
        entry->kmer = kmer;
        shard->n_used++;
    }
    return entry;
}

static void apply(struct table *table, const struct table_pending *pending)
{
    struct table_entry *entry = claim(table, pending->kmer, pending->hash);
    count_one(&entry->count);
    if (pending->left < NO_NEIGHBOUR)
        count_one(&entry->left[pending->left]);
    if (pending->right < NO_NEIGHBOUR)
        count_one(&entry->right[pending->right]);
}

void table_put(struct table *table, const struct table_entry *entry)
{
    *claim(table, entry->kmer, kmer_hash(entry->kmer)) = *entry;
}

static void prefetch(struct table *table, uint64_t hash)
{
    const struct table_shard *shard = shard_of(table, hash);
    if (shard->capacity)
        __builtin_prefetch(&shard->entries[hash >> TABLE_LOG_SHARDS & (shard->capacity - 1)], 1);
}

void table_insert(struct table *table, struct kmer kmer, uint32_t left, uint32_t right)
{
    struct table_pending *pending = &table->pending[table->n_given % TABLE_PENDING];
    if (table->n_given >= TABLE_PENDING)
        apply(table, pending);
    *pending = (struct table_pending){kmer, kmer_hash(kmer), left, right};
    prefetch(table, pending->hash);
    table->n_given++;
}

void table_finish(struct table *table)
{
    uint64_t n = table->n_given < TABLE_PENDING ? table->n_given : TABLE_PENDING;
    for (uint64_t i = 0; i < n; i++)
        apply(table, &table->pending[i]);
    table->n_given = 0;
}

const struct table_entry *table_find(const struct table *table, struct kmer kmer)
{
    uint64_t hash = kmer_hash(kmer);
    const struct table_shard *shard = &table->shards[hash & (TABLE_N_SHARDS - 1)];
    if (!shard->capacity)
        return NULL;
    const struct table_entry *entry = probe(shard, kmer, hash);
    return entry->count ? entry : NULL;
}

uint64_t table_n_used(const struct table *table)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < TABLE_N_SHARDS; i++)
        n += table->shards[i].n_used;
    return n;
}

void table_free(struct table *table)
{
    for (unsigned i = 0; i < TABLE_N_SHARDS; i++)
        free(table->shards[i].entries);
    memset(table, 0, sizeof *table);
}
