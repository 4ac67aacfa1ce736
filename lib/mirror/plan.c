/* SPDX-License-Identifier: MIT */
/*
 * Nodes exchange their plans by puts into the heap: how many words each wants of each other one, where these begin at
 * the other end, and then which ones. So the exchange rests on put and barrier alone.
 *
 * Path:    create.c -> this -> gravel_put, gravel_node_barrier, gravel_object_alloc.
 * Owner:   the object has the tables first, then the words in their place.
 */
#include "mirror/mirror.h"

#include <inttypes.h>

/* Ends a step of all nodes, or fails at all of them with what one of them met. What they have put has arrived then. */
static int meet(const struct gravel_mirror *mirror, int code)
{
    const struct gravel_object *object = &mirror->object;
    code = gravel_node_agree_on(object->gravel, &object->call, true, code);
    if (!code)
        return gravel_node_barrier(object->gravel, &object->call, true);
    const struct gravel_kept met = gravel_keep(code);
    gravel_node_barrier(object->gravel, &object->call, true);
    return gravel_fail_again(&met);
}

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
static int exchange_blocks(struct gravel_mirror *mirror)
{
    struct gravel *gravel = mirror->object.gravel;
    const uint64_t table = mirror->object.memory, answers = table + table_bytes(mirror);
    const uint32_t node = gravel_node(gravel);
    const bool is_loopback = gravel->network.transport->is_loopback;
    int code = 0;
    GRAVEL_TRY(meet(mirror, put_blocks(gravel, mirror->near, node, table)));
    for (uint32_t heap = 0; heap < gravel->n_heaps && !code; heap++) {
        struct gravel_mirror_owner *owner = &mirror->owners[heap];
        code = read_blocks(mirror, heap, table, owner->given, &owner->n_given);
        if (!code)
            code = put_blocks(gravel, owner->given, is_loopback ? heap : node, answers);
    }
    GRAVEL_TRY(meet(mirror, code));
    return meet(mirror, read_blocks(mirror, gravel_mirror_own_heap(mirror), answers, mirror->near,
                                    &mirror->n_near));
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

int gravel_mirror_exchange(struct gravel_mirror *mirror, const uint32_t *indices)
{
    uint64_t n_most[2];
    GRAVEL_TRY(gravel_object_alloc(&mirror->object, 2 * table_bytes(mirror)));
    GRAVEL_TRY(exchange_blocks(mirror));
    GRAVEL_TRY(find_most(mirror, n_most));
    GRAVEL_TRY(make_room(mirror, n_most));
    int code = 0; /* indices of given words go to where these are packed from */
    for (uint32_t node = 0; node < gravel_n_nodes(mirror->object.gravel) && !code; node++) {
        const struct gravel_mirror_block *near = &mirror->near[node];
        if (near->n)
            code = gravel_put(mirror->object.gravel,
                              mirror->given_at[0] + near->there * sizeof *indices,
                              indices + near->first, near->n * sizeof *indices, node);
    }
    return meet(mirror, code);
}
