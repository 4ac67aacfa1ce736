/* SPDX-License-Identifier: MIT */
/*
 * Nodes exchange their plans by puts into the heap: how many words each wants of each other one, where these begin at
 * the other end, and then which ones. So the exchange rests on put and barrier alone.
 *
 * Path:    create.c -> this -> gravel_put, gravel_barrier, gravel_alloc.
 * Owner:   tables in the heap are freed here, when they have been read.
 */
#include "mirror/mirror.h"

#include <inttypes.h>
#include <stdlib.h>

/* What a node that wants words writes for their owner, and the owner for that node; in the heap. */
struct note {
    uint64_t n, first;
};

/* ---- how many ---------------------------------------------------------------------------------- */

/* Two tables [n_nodes]: of those that want words of the heap's node, and of the owners that it wants words of. */
static uint64_t table_bytes(const struct gravel_mirror *mirror, uint32_t n_tables)
{
    return (uint64_t)n_tables * gravel_n_nodes(mirror->gravel) * sizeof(struct note);
}

static int put_notes(struct gravel_mirror *mirror, uint64_t table)
{
    struct gravel *gravel = mirror->gravel;
    int code = 0;
    for (uint32_t node = 0; node < gravel_n_nodes(gravel) && !code; node++) {
        const struct gravel_mirror_block *near = &mirror->near[node];
        const struct note note = {near->n, near->first};
        if (near->n)
            code = gravel_put(gravel, table + gravel_node(gravel) * sizeof note, &note, sizeof note,
                              node);
    }
    return code;
}

static int read_given(struct gravel_mirror *mirror, uint32_t heap, uint64_t table,
                      struct note *notes)
{
    struct gravel_mirror_owner *owner = &mirror->owners[heap];
    int code =
        gravel_memory_read(&mirror->gravel->memory, heap, table, notes, table_bytes(mirror, 1));
    for (uint32_t node = 0; node < gravel_n_nodes(mirror->gravel) && !code; node++) {
        owner->given[node] = (struct gravel_mirror_block){
            .n = notes[node].n, .first = owner->n_given, .there = notes[node].first};
        owner->n_given += notes[node].n;
    }
    return code;
}

static int answer_notes(struct gravel_mirror *mirror, uint32_t heap, uint64_t table)
{
    struct gravel *gravel = mirror->gravel;
    uint64_t place = gravel_mirror_owner_node(mirror, heap) * sizeof(struct note);
    int code = 0;
    for (uint32_t node = 0; node < gravel_n_nodes(gravel) && !code; node++) {
        const struct gravel_mirror_block *given = &mirror->owners[heap].given[node];
        const struct note note = {given->n, given->first};
        if (given->n)
            code = gravel_put(gravel, table + place, &note, sizeof note, node);
    }
    return code;
}

static int read_near(struct gravel_mirror *mirror, uint64_t table, struct note *notes)
{
    int code = gravel_memory_read(&mirror->gravel->memory, gravel_mirror_own_heap(mirror), table,
                                  notes, table_bytes(mirror, 1));
    for (uint32_t node = 0; node < gravel_n_nodes(mirror->gravel) && !code; node++)
        mirror->near[node].there = notes[node].first;
    return code;
}

static int exchange_notes(struct gravel_mirror *mirror, uint64_t table, struct note *notes)
{
    struct gravel *gravel = mirror->gravel;
    uint64_t answers = table + table_bytes(mirror, 1);
    int code = put_notes(mirror, table), waited = gravel_barrier(gravel);
    for (uint32_t heap = 0; heap < gravel->n_heaps && !code && !waited; heap++)
        code = read_given(mirror, heap, table, notes);
    for (uint32_t heap = 0; heap < gravel->n_heaps && !code && !waited; heap++)
        code = answer_notes(mirror, heap, answers);
    if (!waited)
        waited = gravel_barrier(gravel);
    if (!code && !waited)
        code = read_near(mirror, answers, notes);
    return waited ? waited : code;
}

/* ---- which ones -------------------------------------------------------------------------------- */

/* @param at  heap offset of the indices of given words. */
static int put_indices(struct gravel_mirror *mirror, const uint32_t *indices, uint64_t at)
{
    struct gravel *gravel = mirror->gravel;
    int code = 0;
    for (uint32_t node = 0; node < gravel_n_nodes(gravel) && !code; node++) {
        const struct gravel_mirror_block *near = &mirror->near[node];
        if (near->n)
            code = gravel_put(gravel, at + near->there * sizeof *indices, indices + near->first,
                              near->n * sizeof *indices, node);
    }
    return code;
}

static int read_indices(struct gravel_mirror *mirror, uint32_t heap, uint64_t at)
{
    struct gravel_mirror_owner *owner = &mirror->owners[heap];
    uint64_t bytes = owner->n_given * sizeof *owner->indices;
    owner->indices = malloc(bytes ? bytes : 1);
    if (!owner->indices)
        return gravel_fail(GRAVEL_ENOMEM, "%s: %" PRIu64 " indices", mirror->call, owner->n_given);
    return gravel_memory_read(&mirror->gravel->memory, heap, at, owner->indices, bytes);
}

static int exchange_indices(struct gravel_mirror *mirror, const uint32_t *indices, uint64_t at)
{
    struct gravel *gravel = mirror->gravel;
    int code = put_indices(mirror, indices, at), waited = gravel_barrier(gravel);
    for (uint32_t heap = 0; heap < gravel->n_heaps && !code && !waited; heap++)
        code = read_indices(mirror, heap, at);
    return waited ? waited : code;
}

/* ---- room -------------------------------------------------------------------------------------- */

static uint64_t take(uint64_t *end, uint64_t bytes)
{
    uint64_t at = *end;
    *end += (bytes + GRAVEL_HEAP_ALIGNMENT - 1) & ~(uint64_t)(GRAVEL_HEAP_ALIGNMENT - 1);
    return at;
}

/* @param n_most  [near, given] of any node. */
static int make_room(struct gravel_mirror *mirror, const uint64_t n_most[2])
{
    uint64_t *at[2] = {mirror->near_at, mirror->given_at}, bytes = 0;
    for (int side = 0; side < 2; side++) {
        bool is_arriving = (side == 0) == mirror->is_read;
        at[side][0] = take(&bytes, n_most[side] * mirror->word_bytes);
        at[side][1] = is_arriving ? take(&bytes, n_most[side] * mirror->word_bytes) : at[side][0];
    }
    int code = gravel_alloc(mirror->gravel, bytes, &mirror->memory);
    if (code)
        return code;
    mirror->memory_bytes = bytes;
    for (int side = 0; side < 2; side++)
        for (int turn = 0; turn < 2; turn++)
            at[side][turn] += mirror->memory;
    return 0;
}

/* The most words of any node, near and given; 1 at least, as there is no empty allocation. */
static int find_most(struct gravel_mirror *mirror, uint64_t n_most[2])
{
    n_most[0] = mirror->n_near ? mirror->n_near : 1;
    n_most[1] = 1;
    for (uint32_t heap = 0; heap < mirror->gravel->n_heaps; heap++)
        if (mirror->owners[heap].n_given > n_most[1])
            n_most[1] = mirror->owners[heap].n_given;
    int code = gravel_reduce(mirror->gravel, GRAVEL_MAX, GRAVEL_ULONG, n_most, 2);
    if (code || n_most[1] <= GRAVEL_MIRROR_MOST_WORDS)
        return code;
    return gravel_fail(GRAVEL_ERANGE,
                       "%s: %" PRIu64 " words are wanted of one node, and %u at most", mirror->call,
                       n_most[1], GRAVEL_MIRROR_MOST_WORDS);
}

/* Free what was exchanged by, also where that failed: other nodes do. */
static int end_exchange(struct gravel_mirror *mirror, int code, uint64_t table)
{
    int freed = gravel_free(mirror->gravel, table);
    return gravel_mirror_agree(mirror, code ? code : freed);
}

int gravel_mirror_exchange(struct gravel_mirror *mirror, const struct gravel_words *words)
{
    struct gravel *gravel = mirror->gravel;
    uint64_t table, n_most[2];
    struct note *notes = malloc(table_bytes(mirror, 1));
    int code = gravel_mirror_agree(
        mirror, notes ? 0 : gravel_fail(GRAVEL_ENOMEM, "%s: notes to nodes", mirror->call));
    if (!code)
        code = gravel_alloc(gravel, table_bytes(mirror, 2), &table);
    if (!code)
        code = end_exchange(mirror, exchange_notes(mirror, table, notes), table);
    free(notes);
    if (!code)
        code = find_most(mirror, n_most);
    if (!code)
        code = gravel_alloc(gravel, n_most[1] * sizeof *words->indices, &table);
    if (!code)
        code = end_exchange(mirror, exchange_indices(mirror, words->indices, table), table);
    return code ? code : make_room(mirror, n_most);
}
