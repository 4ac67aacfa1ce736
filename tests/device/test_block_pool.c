/* SPDX-License-Identifier: MIT */
/*
 * Pools of blocks: each block is one work-item's, in every form; a full pool says so; messages reach a block; what is freed
 * twice, or is no block, is named. That nobody touches a block until it is freed, pools of blocks as C11 show.
 *
 * Path: meson test -> kernels/block_pool.cl -> cl/block_pool.cl.h, lib/node/block_pool.c
 */
#include "expect.h"

#include <gravel/block_pool.h>

#include <inttypes.h>

#define N 3000u
#define GROUP 100u
#define BLOCK_BYTES 64u
#define NO_BLOCK UINT64_MAX

extern const char block_pool_cl[];

static struct gravel *gravel;
static struct gravel_block_pool *pool;
static cl_program program;
static uint64_t blocks; /* [N] of the heap: what work-items have got */

static void begin(uint64_t n_blocks)
{
    gravel = open_loopback(2, NULL);
    OK(gravel_block_pool_create(&pool, gravel, BLOCK_BYTES, n_blocks));
    blocks = alloc_or_die(gravel, N * sizeof(uint64_t));
    program = build_or_die(gravel, block_pool_cl, "");
}

/* @param expected  what closing returns; a node that has failed frees its pool too. */
static void end(int expected)
{
    OK(clReleaseProgram(program));
    if (!expected)
        OK(gravel_free(gravel, blocks));
    assert_int_equal(gravel_block_pool_destroy(pool), expected);
    assert_int_equal(gravel_close(gravel), expected);
}

/* @return as run_kernel */
static int run(const char *name, uint64_t offset)
{
    const uint64_t own = gravel_block_pool_offset(pool);
    cl_kernel kernel = kernel_or_die(gravel, program, name);
    SET(kernel, 1, own);
    SET(kernel, 2, offset);
    const int code = run_kernel(gravel, kernel, N, GROUP);
    clReleaseKernel(kernel);
    return code;
}

static struct gravel_block_pool_stats stats(void)
{
    struct gravel_block_pool_stats read;
    OK(gravel_block_pool_stats_read(pool, &read, sizeof read));
    return read;
}

/* So many work-items have a block of the pool, each of its own: it holds the work-item's number. */
static void expect_blocks(uint32_t n)
{
    const uint64_t *got = read_map(gravel, 0, blocks, N * sizeof *got);
    uint32_t n_got = 0;
    for (uint32_t i = 0; i < N; i++)
        if (got[i] != NO_BLOCK) {
            assert_int_equal(got[i] % BLOCK_BYTES, 0);
            assert_int_equal(word32(gravel, 0, got[i]), i + 1);
            n_got++;
        }
    unmap(gravel, got);
    assert_int_equal(n_got, n);
}

static void take_and_give(const char *take, const char *give, uint32_t n)
{
    OK(run(take, blocks));
    expect_blocks(n);
    assert_int_equal(stats().n_used, n);
    OK(run(give, blocks));
    assert_int_equal(stats().n_used, 0);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* No more blocks than there are, and no fewer: of words that are not full too. */
TEST(each_block_is_one_work_items_in_every_form_and_a_full_pool_says_so)
{
    static const uint32_t sizes[] = {1, 31, 33, 1001, N};
    for (uint32_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        begin(sizes[k]);
        assert_int_equal(stats().n_blocks, sizes[k]);
        take_and_give("take_wg", "give_wg_if", sizes[k]);
        assert_int_equal(stats().n_failed, N - sizes[k]);
        take_and_give("take_wg", "give_wi", sizes[k]);
        take_and_give("take_wg_if", "give_wi", least(sizes[k], N / 3));
        take_and_give("take_wi", "give_wg_if", least(sizes[k], N / 3));
        end(0);
    }
}

TEST(messages_of_any_node_reach_a_block)
{
    const uint32_t value = 77;
    uint32_t got = 0;
    begin(N);
    OK(run("take_wg", blocks));
    const uint64_t block = word64(gravel, 0, blocks + 8 * 1234);
    OK(gravel_put(gravel, block, &value, sizeof value, 0));
    OK(gravel_get(gravel, block, &got, sizeof got, 0));
    assert_int_equal(got, 77);
    end(0);
}

/* @param spoil  the kernel. @param has_taken  whether blocks are allocated before. */
static void expect_named(const char *spoil, bool has_taken, uint64_t beyond, const char *what)
{
    char text[160];
    begin(N);
    OK(run("take_wg", blocks));
    const uint64_t block = word64(gravel, 0, blocks) + beyond;
    if (!has_taken)
        OK(run("give_wi", blocks));
    snprintf(text, sizeof text,
             "of node 0 frees heap offset %" PRIu64 ", which is %s of the pool at %" PRIu64, block,
             what, gravel_block_pool_offset(pool));
    const int code = run(spoil, block);
    expect_error(code, GRAVEL_EKERNEL, text);
    if (strcmp(spoil, "spoil_wg"))
        expect_error(code, GRAVEL_EKERNEL, "work-item at (5)");
    end(GRAVEL_EKERNEL);
}

TEST(what_is_freed_twice_or_is_no_block_is_named)
{
    expect_named("spoil_wi", false, 0, "a free block");
    expect_named("spoil_wg", true, 0, "a free block"); /* two work-items free one block */
    expect_named("spoil_wi", true, 4, "no block");
    expect_named("spoil_wi", true, (uint64_t)N * BLOCK_BYTES, "no block");
}

const struct fixture fixture = {.limit_s = 170};
