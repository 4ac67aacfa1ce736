/* SPDX-License-Identifier: MIT */
/*
 * The symmetric heap, its block pools and constants after a call that one node refuses or cannot make: it fails at every
 * node, nothing is left of it, and the nodes are in step.
 *
 * Path: main.c -> this -> lib/node/heap.c, block_pool.c, agree.c, waits.c
 */
#include "after.h"

#include <gravel/block_pool.h>

#define MOST_BYTES (5u << 19) /* of a heap of 4 MiB: fits once */
#define N 256u                /* words */
#define BLOCK_BYTES 64u

static struct gravel_block_pool *pool;
static uint64_t words;

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

static void words_can_be_had(void)
{
    if (!acted)
        OK(gravel_free(gravel, words));
    all_can_be_had();
}

static void make_words(void)
{
    words = alloc_or_die(gravel, N * sizeof(uint32_t));
}

static void have_pool(void)
{
    OK(make_pool());
}

/* ---- acts ---------------------------------------------------------------------------------------- */

static int make_odd_pool(void)
{
    return gravel_block_pool_create(&pool, gravel, after_is_first() ? 48 : BLOCK_BYTES, 100);
}

static int make_pool_nowhere(void)
{
    return gravel_block_pool_create(after_is_first() ? NULL : &pool, gravel, BLOCK_BYTES, 100);
}

static int allocate(void)
{
    return gravel_alloc(gravel, MOST_BYTES, &words);
}

static int allocate_nowhere(void)
{
    return gravel_alloc(gravel, MOST_BYTES, after_is_first() ? NULL : &words);
}

static int allocate_without_name(void)
{
    return gravel_alloc_named(gravel, after_is_first() ? "" : "words", MOST_BYTES, &words);
}

static int reduce_nothing(void)
{
    uint64_t value = 1;
    return gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, after_is_first() ? NULL : &value, 1);
}

static int sum_nothing(void)
{
    uint64_t sum;
    return gravel_barrier_sum(gravel, words, after_is_first() ? 0 : 1, NULL, &sum);
}

/* The number or the value of a constant that all have. */
static void set_constant(void)
{
    words = alloc_or_die(gravel, sizeof(uint64_t));
    OK(gravel_set_constant(gravel, 0, 23));
}

static int set_another(void)
{
    return gravel_set_constant(gravel, 0, 24 + gravel_node(gravel));
}

static int set_beyond(void)
{
    return gravel_set_constant(gravel, after_is_first() ? GRAVEL_N_CONSTANTS : 0, 24);
}

static int read_pool(void)
{
    struct gravel_block_pool_stats stats;
    int code = gravel_block_pool_stats_read(pool, &stats, sizeof stats);
    MUST(code ||
         (stats.n_blocks == MOST_BYTES / BLOCK_BYTES && stats.n_used == 0 && stats.n_failed == 0));
    return code;
}

/* ---- what holds ---------------------------------------------------------------------------------- */

static void no_pool_is_there(void)
{
    MUST(!pool);
    all_can_be_had();
}

static void pool_is_destroyed(void)
{
    OK(destroy_pool());
}

static void words_are_free(void)
{
    OK(gravel_free(gravel, words));
}

static void constant_is_as_before(void)
{
    OK(run_body(gravel,
                BODY("if (i == 0) *(volatile global ulong *)gravel_local(g, a) = "
                     "gravel_arena_->constants[0];"),
                64, 64, words, 0, 0));
    MUST(word64(gravel, gravel_node(gravel), words) == 23);
    OK(gravel_free(gravel, words));
}

const struct after_row heap_rows[] = {
    {"block pool", "one node refuses its size", "no node has it", .act = make_odd_pool,
     .code = GRAVEL_EINVAL, .part = "blocks of 48 bytes", .others_code = GRAVEL_EINVAL,
     .others_part = "gravel_block_pool_create: node 0 cannot", .hold = no_pool_is_there},
    {"block pool", "one node has no place for it", "no node has it", .act = make_pool_nowhere,
     .code = GRAVEL_EINVAL, .part = "out is NULL", .others_code = GRAVEL_EINVAL,
     .others_part = "gravel_block_pool_create: node 0 cannot", .hold = all_can_be_had},
    {"block pool", "gravel_block_pool_create", "no memory is lost", .act = make_pool,
     .hold = pool_can_be_had, .fails = AFTER_DRIVER, .step = "pump"},
    {"block pool", "gravel_block_pool_create", "no memory is lost", .act = make_pool,
     .hold = pool_can_be_had, .fails = AFTER_MEMORY},
    {"heap", "one node refuses gravel_alloc", "no node allocates", .act = allocate_nowhere,
     .code = GRAVEL_EINVAL, .part = "offset is NULL", .others_code = GRAVEL_EINVAL,
     .others_part = "gravel_alloc: node 0 cannot", .hold = all_can_be_had},
    {"heap", "one node refuses gravel_alloc_named", "no node allocates",
     .act = allocate_without_name, .code = GRAVEL_EINVAL, .part = "a name of 0 characters",
     .others_code = GRAVEL_EMISMATCH,
     .others_part = "bytes at node 0, of 2621440 bytes for words at node 1",
     .hold = all_can_be_had},
    {"heap", "gravel_alloc", "no memory is lost", .act = allocate, .hold = words_can_be_had,
     .fails = AFTER_DRIVER, .step = "pump"},
    {"heap", "one node refuses gravel_reduce", "no node reduces", .act = reduce_nothing,
     .code = GRAVEL_EINVAL, .part = "values is NULL", .others_code = GRAVEL_EMISMATCH,
     .others_part = "gravel_reduce refused at node 0, of 1 values of type ulong (sum) at node 1"},
    {"heap", "one node refuses gravel_barrier_sum", "no node takes counters", .prepare = make_words,
     .act = sum_nothing, .code = GRAVEL_EINVAL, .part = "0 counters",
     .others_code = GRAVEL_EMISMATCH,
     .others_part = "gravel_barrier_sum refused at node 0, of 1 counters at offset ",
     .hold = words_are_free},
    {"constant", "one node refuses its number", "kernels read what it was", .prepare = set_constant,
     .act = set_beyond, .code = GRAVEL_ERANGE, .part = "number 8 out of range",
     .others_code = GRAVEL_EMISMATCH, .others_part = "gravel_set_constant of number 8",
     .hold = constant_is_as_before},
    {"constant", "gravel_set_constant", "the next sets it", .act = set_another, .fails = AFTER_ALL,
     .is_repeated = true},
    {"block pool", "gravel_block_pool_stats_read", "the next reads", .prepare = have_pool,
     .act = read_pool, .hold = pool_is_destroyed, .fails = AFTER_ALL, .is_repeated = true},
    {"block pool", "gravel_block_pool_destroy", "its memory is free", .prepare = have_pool,
     .act = destroy_pool, .hold = all_can_be_had, .fails = AFTER_ALL, .is_repeated = true},
    {0},
};
