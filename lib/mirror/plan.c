/* SPDX-License-Identifier: MIT */
/*
 * Nodes exchange their plans by puts into the heap: how many words each wants of each other one, where these begin at
 * the other end, and then which ones. So the exchange rests on put and barrier alone.
 *
 * Path:    create.c -> this -> gravel_put, gravel_barrier, gravel_alloc.
 * Owner:   tables in the heap, which are freed here when they have been read.
 */
#include "mirror/mirror.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- how many ---------------------------------------------------------------------------------- */

/* A table: of each node, its block for the node of the heap. */
static uint64_t table_bytes(const struct gravel_mirror *mirror)
{
    return gravel_n_nodes(mirror->object.gravel) * sizeof(struct gravel_mirror_block);
}

/* Puts blocks [n_nodes] that node `own` has to the nodes that they are for: into the tables there. */
static int put_blocks(struct gravel *gravel, const struct gravel_mirror_block *blocks, uint32_t own,
                      uint64_t table)
{
    for (uint32_t node = 0; node < gravel_n_nodes(gravel); node++)
        if (blocks[node].n)
            GRAVEL_TRY(gravel_put(gravel, table + own * sizeof *blocks, &blocks[node],
                                  sizeof *blocks, node));
    return 0;
}

/* Reads a local heap's table: blocks [n_nodes], in order, as large as those there. @return also their `n` */
static int read_blocks(const struct gravel_mirror *mirror, uint32_t heap, uint64_t table,
                       struct gravel_mirror_block *blocks, uint64_t *n)
{
    struct gravel *gravel = mirror->object.gravel;
    int code = gravel_memory_read(&gravel->memory, heap, table, blocks, table_bytes(mirror));
    *n = 0;
    for (uint32_t node = 0; node < gravel_n_nodes(gravel) && !code; node++) {
        blocks[node].there = blocks[node].first;
        blocks[node].first = *n;
        *n += blocks[node].n;
    }
    return code;
}

/* Owners learn how much is wanted of them, and answer with where it begins there. */
static int exchange_blocks(struct gravel_mirror *mirror, uint64_t table)
{
    struct gravel *gravel = mirror->object.gravel;
    const uint64_t answers = table + table_bytes(mirror);
    const uint32_t node = gravel_node(gravel);
    const bool is_loopback = gravel->network.transport->is_loopback;
    int code = put_blocks(gravel, mirror->near, node, table), waited = gravel_barrier(gravel);
    for (uint32_t heap = 0; heap < gravel->n_heaps && !code && !waited; heap++) {
        struct gravel_mirror_owner *owner = &mirror->owners[heap];
        code = read_blocks(mirror, heap, table, owner->given, &owner->n_given);
        if (!code)
            code = put_blocks(gravel, owner->given, is_loopback ? heap : node, answers);
    }
    if (!waited)
        waited = gravel_barrier(gravel);
    if (!code && !waited)
        code = read_blocks(mirror, gravel_mirror_own_heap(mirror), answers, mirror->near,
                           &mirror->n_near);
    return waited ? waited : code;
}

/* ---- which ones -------------------------------------------------------------------------------- */

/* @param at  heap offset of the indices of given words. */
static int put_indices(struct gravel_mirror *mirror, const uint32_t *indices, uint64_t at)
{
    struct gravel *gravel = mirror->object.gravel;
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
        return gravel_fail(GRAVEL_ENOMEM, "%s: %" PRIu64 " indices", mirror->object.name,
                           owner->n_given);
    return gravel_memory_read(&mirror->object.gravel->memory, heap, at, owner->indices, bytes);
}

static int exchange_indices(struct gravel_mirror *mirror, const uint32_t *indices, uint64_t at)
{
    struct gravel *gravel = mirror->object.gravel;
    int code = put_indices(mirror, indices, at), waited = gravel_barrier(gravel);
    for (uint32_t heap = 0; heap < gravel->n_heaps && !code && !waited; heap++)
        code = read_indices(mirror, heap, at);
    return waited ? waited : code;
}

/* ---- room -------------------------------------------------------------------------------------- */

/* @param n_most  [near, given] of any node. */
static int make_room(struct gravel_mirror *mirror, const uint64_t n_most[2])
{
    uint64_t *at[2] = {mirror->near_at, mirror->given_at}, bytes = 0;
    for (int side = 0; side < 2; side++) {
        bool is_arriving = (side == 0) == mirror->is_read;
        at[side][0] = gravel_object_take(&bytes, n_most[side] * mirror->word_bytes);
        at[side][1] = is_arriving ? gravel_object_take(&bytes, n_most[side] * mirror->word_bytes)
                                  : at[side][0];
    }
    int code = gravel_object_alloc(&mirror->object, bytes);
    for (int side = 0; side < 2; side++)
        for (int turn = 0; turn < 2; turn++)
            at[side][turn] += mirror->object.memory;
    return code;
}

/* The most words of any node, near and given; 1 at least, as there is no empty allocation. */
static int find_most(struct gravel_mirror *mirror, uint64_t n_most[2])
{
    n_most[0] = mirror->n_near ? mirror->n_near : 1;
    n_most[1] = 1;
    for (uint32_t heap = 0; heap < mirror->object.gravel->n_heaps; heap++)
        if (mirror->owners[heap].n_given > n_most[1])
            n_most[1] = mirror->owners[heap].n_given;
    int code = gravel_reduce(mirror->object.gravel, GRAVEL_MAX, GRAVEL_ULONG, n_most, 2);
    if (code || n_most[1] <= GRAVEL_MIRROR_MOST_WORDS)
        return code;
    return gravel_fail(GRAVEL_ERANGE,
                       "%s: %" PRIu64 " words are wanted of one node, and %u at most",
                       mirror->object.name, n_most[1], GRAVEL_MIRROR_MOST_WORDS);
}

/* Frees a table at all nodes, also where the exchange failed. @return what one of them met */
static int end_exchange(const struct gravel_mirror *mirror, int code, uint64_t table)
{
    struct gravel *gravel = mirror->object.gravel;
    int freed = gravel_node_release(gravel, mirror->object.name, table);
    return gravel_node_agree_on(gravel, &mirror->object.call, true, code ? code : freed);
}

int gravel_mirror_exchange(struct gravel_mirror *mirror, const uint32_t *indices)
{
    struct gravel *gravel = mirror->object.gravel;
    uint64_t table, n_most[2];
    GRAVEL_TRY(gravel_alloc(gravel, 2 * table_bytes(mirror), &table));
    GRAVEL_TRY(end_exchange(mirror, exchange_blocks(mirror, table), table));
    GRAVEL_TRY(find_most(mirror, n_most));
    GRAVEL_TRY(gravel_alloc(gravel, n_most[1] * sizeof *indices, &table));
    GRAVEL_TRY(end_exchange(mirror, exchange_indices(mirror, indices, table), table));
    return make_room(mirror, n_most);
}
