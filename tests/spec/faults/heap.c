/* SPDX-License-Identifier: MIT */
/*
 * The symmetric heap, its block pools and constants after a call that cannot be made: nothing is left of it.
 *
 * Path: main.c -> this -> lib/node/heap.c, block_pool.c, agree.c, waits.c
 */
#include "after.h"

#include <gravel/block_pool.h>

#define MOST_BYTES (5u << 19) /* of a heap of 4 MiB: fits once */
#define BLOCK_BYTES 64u
#define N 20u /* allocations, more than the table has room for at first */

static struct gravel_block_pool *pool;
static uint64_t offsets[N];
static unsigned n_offsets;

static int make_pool(void)
{
    return gravel_block_pool_create(&pool, gravel, BLOCK_BYTES, MOST_BYTES / BLOCK_BYTES);
}

static int destroy_pool(void)
{
    return gravel_block_pool_destroy(pool);
}

/* Nothing is left of an allocation that failed: what fits once can be had. */
static void all_can_be_had(void)
{
    OK(gravel_free(gravel, alloc_or_die(gravel, MOST_BYTES)));
    OK(make_pool());
    OK(destroy_pool());
}

static void pool_can_be_had(void)
{
    if (!acted)
        OK(destroy_pool());
    all_can_be_had();
}

static void have_pool(void)
{
    OK(make_pool());
}

/* Until the allocation table has to grow. */
static int allocate_often(void)
{
    int code = 0;
    for (n_offsets = 0; n_offsets < N && !code; n_offsets += !code)
        code = gravel_alloc(gravel, 64, &offsets[n_offsets]);
    return code;
}

static void all_are_free(void)
{
    while (n_offsets > 0)
        OK(gravel_free(gravel, offsets[--n_offsets]));
    all_can_be_had();
}

static int set_another(void)
{
    return gravel_set_constant(gravel, 0, 24 + gravel_node(gravel));
}

static int read_pool(void)
{
    struct gravel_block_pool_stats stats;
    int code = gravel_block_pool_stats_read(pool, &stats, sizeof stats);
    MUST(code ||
         (stats.n_blocks == MOST_BYTES / BLOCK_BYTES && stats.n_used == 0 && stats.n_failed == 0));
    return code;
}

static void pool_is_destroyed(void)
{
    OK(destroy_pool());
}

const struct after_row heap_rows[] = {
    {"block pool", "gravel_block_pool_create", "no memory is lost", .act = make_pool,
     .hold = pool_can_be_had, .fails = AFTER_ALL, .is_of_all = true},
    {"heap", "gravel_alloc, many times", "no memory is lost", .act = allocate_often,
     .hold = all_are_free, .fails = AFTER_ALL, .is_of_all = true},
    {"constant", "gravel_set_constant", "the next sets it", .act = set_another, .fails = AFTER_ALL,
     .is_repeated = true},
    {"block pool", "gravel_block_pool_stats_read", "the next reads", .prepare = have_pool,
     .act = read_pool, .hold = pool_is_destroyed, .fails = AFTER_ALL, .is_repeated = true},
    {"block pool", "gravel_block_pool_destroy", "its memory is free", .prepare = have_pool,
     .act = destroy_pool, .hold = all_can_be_had, .fails = AFTER_ALL, .is_repeated = true},
    {0},
};
