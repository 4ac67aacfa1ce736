/* SPDX-License-Identifier: MIT */
/*
 * Whether each operation's entry is in one list once, the right one: lists have no order, so they are compared as sets.
 *
 * Path: hashtable.c -> this
 * Owner: what is mapped is unmapped here.
 * Threads: main's.
 */
#include "frame/die.h"
#include "frame/random.h"
#include "hashtable.h"

#include <stdlib.h>

uint32_t hashtable_key(const struct hashtable *table, uint64_t i)
{
    return (uint32_t)(random_at(random_key(table->options.seed), i) >> 32);
}

static uint64_t bucket_of(const struct hashtable *table, uint64_t entry)
{
    return hashtable_key(table, entry) & (table->n_buckets - 1);
}

static uint32_t *map(struct hashtable *table, uint32_t number, uint64_t offset, uint64_t n)
{
    void *words;
    TRY(gravel_map(table->node.gravel, offset, 4 * n, CL_MAP_READ, number, &words));
    return words;
}

/* Goes through a local node's lists: `seen` counts how often an entry was met. @return entries in a wrong list. */
static uint64_t walk(const struct hashtable *table, uint32_t number, const uint32_t *heads,
                     const uint32_t *next, uint32_t *seen)
{
    uint64_t n_wrong = 0, n_met = 0, n_entries = hashtable_n_entries(table);
    for (uint64_t bucket = 0; bucket < hashtable_n_local_buckets(table); bucket++)
        for (uint32_t at = heads[bucket]; at; at = next[at - 1]) {
            if (at > n_entries || n_met++ > n_entries) /* no entry, or a ring */
                return n_wrong + 1;
            n_wrong += bucket_of(table, at - 1) != bucket * table->node.n_nodes + number;
            seen[at - 1]++;
        }
    return n_wrong;
}

/* Every operation's entry is here once if its bucket is, and nowhere else. */
static uint64_t check_node(struct hashtable *table, uint32_t number)
{
    const uint64_t n = hashtable_n_entries(table);
    uint32_t *heads = map(table, number, table->heads, hashtable_n_local_buckets(table));
    uint32_t *next = map(table, number, table->next, n);
    uint32_t *seen = app_array(n, sizeof *seen, "entries");
    uint64_t n_wrong = walk(table, number, heads, next, seen);
    for (uint64_t i = 0; i < n; i++)
        n_wrong += seen[i] != (bucket_of(table, i) % table->node.n_nodes == number);
    free(seen);
    TRY(gravel_unmap(table->node.gravel, heads));
    TRY(gravel_unmap(table->node.gravel, next));
    return n_wrong;
}

uint64_t hashtable_check(void *self, struct trials *trials)
{
    struct hashtable *table = self;
    (void)trials;
    uint64_t n_wrong = 0;
    for (uint32_t i = 0; i < table->node.n_local; i++)
        n_wrong += check_node(table, table->node.number + i);
    return n_wrong;
}
