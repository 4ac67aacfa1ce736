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
#define BLOCK_BYTES 64u

static struct gravel_block_pool *pool;
static uint64_t words;

/* Node 0 of several processes; where one process is all nodes, that one. */
static bool refuses(struct gravel *gravel)
{
    return gravel_node(gravel) == 0;
}

static void expect_refusal(struct gravel *gravel, int code, int own, const char *own_part,
                           int others, const char *others_part)
{
    after_expect(code, refuses(gravel) ? own : others, refuses(gravel) ? own_part : others_part);
}

/* Nothing is left of an allocation that failed: what fits once can be had. */
static void all_can_be_had(struct gravel *gravel)
{
    OK(gravel_free(gravel, alloc_or_die(gravel, MOST_BYTES)));
    OK(gravel_block_pool_create(&pool, gravel, BLOCK_BYTES, MOST_BYTES / BLOCK_BYTES));
    OK(gravel_block_pool_destroy(pool));
}

static void had_or_ended(struct gravel *gravel, int code)
{
    if (!code)
        OK(gravel_block_pool_destroy(pool));
    if (gravel_barrier(gravel) == 0)
        all_can_be_had(gravel);
}

static void freed_or_ended(struct gravel *gravel, int code)
{
    if (gravel_barrier(gravel))
        return;
    if (!code)
        OK(gravel_free(gravel, words));
    all_can_be_had(gravel);
}

/* ---- acts ---------------------------------------------------------------------------------------- */

static int make_pool(struct gravel *gravel)
{
    return gravel_block_pool_create(&pool, gravel, BLOCK_BYTES, MOST_BYTES / BLOCK_BYTES);
}

static int make_odd_pool(struct gravel *gravel)
{
    return gravel_block_pool_create(&pool, gravel, refuses(gravel) ? 48 : BLOCK_BYTES, 100);
}

static int make_other_pools(struct gravel *gravel)
{
    return gravel_block_pool_create(&pool, gravel, BLOCK_BYTES, 100 + refuses(gravel));
}

static int make_pool_nowhere(struct gravel *gravel)
{
    return gravel_block_pool_create(refuses(gravel) ? NULL : &pool, gravel, BLOCK_BYTES, 100);
}

static int allocate(struct gravel *gravel)
{
    return gravel_alloc(gravel, MOST_BYTES, &words);
}

static int allocate_nowhere(struct gravel *gravel)
{
    return gravel_alloc(gravel, MOST_BYTES, refuses(gravel) ? NULL : &words);
}

static int allocate_without_name(struct gravel *gravel)
{
    return gravel_alloc_named(gravel, refuses(gravel) ? "" : "words", MOST_BYTES, &words);
}

static int reduce_nothing(struct gravel *gravel)
{
    uint64_t value = 1;
    return gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, refuses(gravel) ? NULL : &value, 1);
}

static int sum_nothing(struct gravel *gravel)
{
    uint64_t sum;
    return gravel_barrier_sum(gravel, words, refuses(gravel) ? 0 : 1, NULL, &sum);
}

/* The number or the value of a constant that all have. */
static void set_constant(struct gravel *gravel)
{
    words = alloc_or_die(gravel, sizeof(uint64_t));
    OK(gravel_set_constant(gravel, 0, 23));
}

static int set_another(struct gravel *gravel)
{
    return gravel_set_constant(gravel, 0, 24 + gravel_node(gravel));
}

static int set_beyond(struct gravel *gravel)
{
    return gravel_set_constant(gravel, refuses(gravel) ? GRAVEL_N_CONSTANTS : 0, 24);
}

/* ---- what holds ---------------------------------------------------------------------------------- */

static void odd_pool_is_none(struct gravel *gravel, int code)
{
    expect_refusal(gravel, code, GRAVEL_EINVAL, "blocks of 48 bytes", GRAVEL_EINVAL,
                   "gravel_block_pool_create: node 0 cannot");
    MUST(!pool);
    all_can_be_had(gravel);
}

static void other_pools_are_none(struct gravel *gravel, int code)
{
    const bool differ =
        gravel_n_nodes(gravel) > 1 && !gravel_is_local(gravel, 1 - gravel_node(gravel));
    after_expect(
        code, differ ? GRAVEL_EMISMATCH : 0,
        "gravel_block_pool_create of 101 blocks of 64 bytes at node 0, of 100 blocks of 64 "
        "bytes at node 1");
    OK(gravel_block_pool_destroy(pool));
    all_can_be_had(gravel);
}

static void pool_nowhere_is_none(struct gravel *gravel, int code)
{
    expect_refusal(gravel, code, GRAVEL_EINVAL, "out is NULL", GRAVEL_EINVAL,
                   "gravel_block_pool_create: node 0 cannot");
    all_can_be_had(gravel);
}

static void nowhere_is_none(struct gravel *gravel, int code)
{
    expect_refusal(gravel, code, GRAVEL_EINVAL, "offset is NULL", GRAVEL_EINVAL,
                   "gravel_alloc: node 0 cannot");
    all_can_be_had(gravel);
}

static void nameless_is_none(struct gravel *gravel, int code)
{
    expect_refusal(gravel, code, GRAVEL_EINVAL, "a name of 0 characters", GRAVEL_EMISMATCH,
                   "bytes at node 0, of 2621440 for words at node 1");
    all_can_be_had(gravel);
}

static void reduction_is_none(struct gravel *gravel, int code)
{
    expect_refusal(gravel, code, GRAVEL_EINVAL, "values is NULL", GRAVEL_EMISMATCH,
                   "gravel_reduce refused at node 0, of 1 values of type ulong (sum) at node 1");
}

static void sum_is_none(struct gravel *gravel, int code)
{
    expect_refusal(gravel, code, GRAVEL_EINVAL, "0 counters", GRAVEL_EMISMATCH,
                   "gravel_barrier_sum refused at node 0, of 1 counters at offset ");
    OK(gravel_free(gravel, words));
}

static void expect_constant(struct gravel *gravel, uint64_t value)
{
    OK(run_body(gravel,
                BODY("if (i == 0) *(volatile global ulong *)gravel_local(g, a) = "
                     "gravel_arena_->constants[0];"),
                64, 64, words, 0, 0));
    MUST(word64(gravel, gravel_node(gravel), words) == value);
    OK(gravel_free(gravel, words));
}

static void constant_is_as_before(struct gravel *gravel, int code)
{
    const bool differ =
        gravel_n_nodes(gravel) > 1 && !gravel_is_local(gravel, 1 - gravel_node(gravel));
    after_expect(code, differ ? GRAVEL_EMISMATCH : 0,
                 "gravel_set_constant of number 0, value 24 at node 0, of number 0, value 25");
    expect_constant(gravel, differ ? 23 : 24);
}

static void constant_beyond_is_none(struct gravel *gravel, int code)
{
    expect_refusal(gravel, code, GRAVEL_ERANGE, "number 8 of 8", GRAVEL_EMISMATCH,
                   "gravel_set_constant of number 8");
    expect_constant(gravel, 23);
}

static void make_words(struct gravel *gravel)
{
    words = alloc_or_die(gravel, 64);
}

const struct after_row heap_rows[] = {
    {"block pool", "one node refuses its size", "no node has it", .act = make_odd_pool,
     .hold = odd_pool_is_none},
    {"block pool", "nodes ask for pools of other sizes", "no node has it", .act = make_other_pools,
     .hold = other_pools_are_none},
    {"block pool", "one node has no place for it", "no node has it", .act = make_pool_nowhere,
     .hold = pool_nowhere_is_none},
    {"block pool", "a call of the driver fails in gravel_block_pool_create", "no memory is lost",
     .act = make_pool, .hold = had_or_ended, .fails = AFTER_DRIVER, .step = "pump"},
    {"block pool", "memory runs out in gravel_block_pool_create", "no memory is lost",
     .act = make_pool, .hold = had_or_ended, .fails = AFTER_MEMORY},
    {"heap", "one node refuses gravel_alloc", "no node allocates", .act = allocate_nowhere,
     .hold = nowhere_is_none},
    {"heap", "one node refuses gravel_alloc_named", "no node allocates",
     .act = allocate_without_name, .hold = nameless_is_none},
    {"heap", "a call of the driver fails in gravel_alloc", "no memory is lost", .act = allocate,
     .hold = freed_or_ended, .fails = AFTER_DRIVER, .step = "pump"},
    {"heap", "one node refuses gravel_reduce", "no node reduces", .act = reduce_nothing,
     .hold = reduction_is_none},
    {"heap", "one node refuses gravel_barrier_sum", "no node takes counters", .prepare = make_words,
     .act = sum_nothing, .hold = sum_is_none},
    {"constant", "nodes differ in its value", "kernels read what it was", .prepare = set_constant,
     .act = set_another, .hold = constant_is_as_before},
    {"constant", "one node refuses its number", "kernels read what it was", .prepare = set_constant,
     .act = set_beyond, .hold = constant_beyond_is_none},
    {0},
};
