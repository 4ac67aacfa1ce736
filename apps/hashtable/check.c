/* SPDX-License-Identifier: MIT */
/*
 * What a serial program makes of the same operations, and how the tables differ from that.
 *
 * Lists have no order, so they are compared as sets: each entry is in one list once, the right one.
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
    uint64_t random = random_at(random_key(table->options.seed), i) >> 32;
    return (uint32_t)(table->operation == HASHTABLE_INSERT ? random : random * table->n_keys >> 32);
}

static uint64_t bucket_of(const struct hashtable *table, uint32_t key)
{
    return key & (table->n_buckets - 1);
}

/* A local node's table. */
struct view {
    const struct hashtable *table;
    uint32_t number; /* of the node */
    uint32_t *heads, *next, *keys, *values;
};

static uint32_t *map_words(struct hashtable *table, uint32_t number, uint64_t offset, uint64_t n,
                           cl_map_flags flags)
{
    void *words;
    TRY(gravel_map(table->node.gravel, offset, 4 * n, flags, number, &words));
    return words;
}

static struct view map(struct hashtable *table, uint32_t number, cl_map_flags flags)
{
    const uint64_t n = hashtable_n_entries(table);
    return (struct view){
        table,
        number,
        map_words(table, number, table->heads, hashtable_n_local_buckets(table), flags),
        map_words(table, number, table->next, n, flags),
        map_words(table, number, table->keys, n, flags),
        map_words(table, number, table->values, n, flags)};
}

static void unmap(struct hashtable *table, struct view *view)
{
    TRY(gravel_unmap(table->node.gravel, view->heads));
    TRY(gravel_unmap(table->node.gravel, view->next));
    TRY(gravel_unmap(table->node.gravel, view->keys));
    TRY(gravel_unmap(table->node.gravel, view->values));
}

static bool is_here(const struct view *view, uint32_t key)
{
    return bucket_of(view->table, key) % view->table->node.n_nodes == view->number;
}

/* ---- find -------------------------------------------------------------------------------------- */

/* Entry key / 2 has an even key. */
static void fill(struct view *view)
{
    for (uint64_t key = 0; key < view->table->n_keys; key += 2) {
        if (!is_here(view, (uint32_t)key))
            continue;
        uint32_t *head =
            &view->heads[bucket_of(view->table, (uint32_t)key) / view->table->node.n_nodes];
        view->keys[key / 2] = (uint32_t)key;
        view->next[key / 2] = *head;
        *head = (uint32_t)(key / 2 + 1);
    }
}

void hashtable_fill(struct hashtable *table)
{
    for (uint32_t i = 0; i < table->node.n_local; i++) {
        struct view view = map(table, table->node.number + i, CL_MAP_READ | CL_MAP_WRITE);
        fill(&view);
        unmap(table, &view);
    }
}

static uint64_t check_found(const struct view *view)
{
    uint64_t n_wrong = 0;
    for (uint64_t i = 0; i < hashtable_n_entries(view->table); i++) {
        uint32_t key = hashtable_key(view->table, i);
        if (is_here(view, key))
            n_wrong += view->values[i] != (key % 2 ? 0 : key / 2 + 1);
    }
    return n_wrong;
}

/* ---- insert and upsert --------------------------------------------------------------------------- */

/* Go through all lists: `seen` counts how often an entry was met. @return entries in a wrong list. */
static uint64_t walk(const struct view *view, uint32_t *seen)
{
    const struct hashtable *table = view->table;
    const bool is_upsert = table->operation == HASHTABLE_UPSERT;
    uint64_t n_wrong = 0, n_met = 0, n_entries = hashtable_n_entries(table);
    for (uint64_t bucket = 0; bucket < hashtable_n_local_buckets(table); bucket++)
        for (uint32_t at = view->heads[bucket]; at; at = view->next[at - 1]) {
            if (at > n_entries || n_met++ > n_entries) /* no entry, or a ring */
                return n_wrong + 1;
            uint32_t key = hashtable_key(table, at - 1);
            n_wrong += !is_here(view, key) || bucket_of(table, key) / table->node.n_nodes != bucket;
            n_wrong += is_upsert && view->keys[at - 1] != key;
            seen[at - 1]++;
        }
    return n_wrong;
}

/* Every operation's entry is here once if its key is, and nowhere else. */
static uint64_t check_inserted(const struct view *view, const uint32_t *seen)
{
    uint64_t n_wrong = 0;
    for (uint64_t i = 0; i < hashtable_n_entries(view->table); i++)
        n_wrong += seen[i] != is_here(view, hashtable_key(view->table, i));
    return n_wrong;
}

/* Each key that came has one entry, whose value says how often: of two one would be of no use. */
static uint64_t check_upserted(const struct view *view, const uint32_t *seen)
{
    const struct hashtable *table = view->table;
    uint32_t *came = app_array(table->n_keys, sizeof *came, "keys");
    uint8_t *has_entry = app_array(table->n_keys, sizeof *has_entry, "keys");
    uint64_t n_wrong = 0;
    for (uint64_t i = 0; i < hashtable_n_entries(table); i++) {
        uint32_t key = hashtable_key(table, i);
        came[key] += is_here(view, key);
        came[key] -= seen[i] ? view->values[i] : 0;
        n_wrong += seen[i] > 1;
        n_wrong += seen[i] && has_entry[key]++ != 0;
    }
    for (uint64_t key = 0; key < table->n_keys; key++)
        n_wrong += came[key] != 0;
    free(came);
    free(has_entry);
    return n_wrong;
}

static uint64_t check_lists(const struct view *view)
{
    uint32_t *seen = app_array(hashtable_n_entries(view->table), sizeof *seen, "entries");
    uint64_t n_wrong = walk(view, seen);
    if (view->table->operation == HASHTABLE_INSERT)
        n_wrong += check_inserted(view, seen);
    else
        n_wrong += check_upserted(view, seen);
    free(seen);
    return n_wrong;
}

uint64_t hashtable_check(void *self, struct trials *trials)
{
    struct hashtable *table = self;
    (void)trials;
    uint64_t n_wrong = 0;
    for (uint32_t i = 0; i < table->node.n_local; i++) {
        struct view view = map(table, table->node.number + i, CL_MAP_READ);
        n_wrong += table->operation == HASHTABLE_FIND ? check_found(&view) : check_lists(&view);
        unmap(table, &view);
    }
    return n_wrong;
}
