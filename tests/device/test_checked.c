/* SPDX-License-Identifier: MIT */
/*
 * Checked mode of host calls: the heap is not shown before what was launched is applied, a write to a map that
 * is to be read is named, and threads that launch and wait side by side are not accused.
 *
 * Path: meson test -> this -> lib/node/checked.c, lib/node/maps.c, lib/aggregate/guard.c
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "expect.h"

#include <gravel/accumulator.h>

#define N 256u

static struct gravel *gravel;
static _Atomic unsigned n_texts; /* written of messages */

void __real_gravel_check_write_group(void *, const void *, char *, size_t);
void __wrap_gravel_check_write_group(void *, const void *, char *, size_t);
void __wrap_gravel_check_write_group(void *check, const void *arrival, char *text, size_t bytes)
{
    atomic_fetch_add(&n_texts, 1);
    __real_gravel_check_write_group(check, arrival, text, bytes);
}

static void open_node(void)
{
    setenv("GRAVEL_CHECK", "1", 1);
    gravel = open_loopback(2, NULL);
}

static void close_node(void)
{
    OK(gravel_close(gravel));
}

/* @param n_calls  of each work-item, which makes them all before its neighbour's first, where groups are loops. */
static cl_kernel count_kernel(uint64_t words, uint64_t n_calls)
{
    cl_kernel kernel =
        scoped_body(gravel, BODY("for (uint n = 0; n < b; n++) gravel_inc_uint_wg(g, a, i, 1);"),
                    words, n_calls, 0);
    set_body_size(kernel, N, 1);
    return kernel;
}

static void launch(cl_kernel kernel)
{
    const size_t global = N, local = 64;
    OK(gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, NULL));
}

static void expect_no_map(uint64_t words, const char *part)
{
    void *pointer;
    expect_error(gravel_map(gravel, words, 4, CL_MAP_READ, 1, &pointer), GRAVEL_EINVAL, part);
    assert_null(pointer);
}

/* Until a message is for a range of an accumulator, nobody writes who sent it. */
TEST(messages_that_no_range_needs_cost_no_text)
{
    const uint64_t words = alloc_or_die(gravel, 4 * N);
    struct gravel_accumulator *accumulator = NULL;
    cl_kernel kernel = count_kernel(words, 4);
    for (int has_accumulator = 0; has_accumulator < 2; has_accumulator++) {
        atomic_store(&n_texts, 0);
        launch(kernel);
        OK(gravel_barrier(gravel));
        assert_int_equal(atomic_load(&n_texts) > 0, has_accumulator);
        if (!has_accumulator)
            OK(gravel_accumulator_create(&accumulator, gravel, words, N, GRAVEL_ADD, GRAVEL_UINT));
    }
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, words));
}

TEST(map_of_what_may_not_be_applied_is_refused)
{
    const uint64_t words = alloc_or_die(gravel, 4 * N);
    cl_kernel kernel = count_kernel(words, 1);
    launch(kernel);
    expect_no_map(words, "gravel_map: kernel body");
    OK(gravel_fence(gravel));
    expect_no_map(words, "gravel_map: kernel body");
    OK(gravel_quiet(gravel));
    expect_words(gravel, 1, words, 1, N);
    launch(kernel);
    expect_no_map(words, "gravel_map: kernel body");
    OK(gravel_free(gravel, words)); /* a barrier */
}

TEST(write_to_a_map_to_be_read_is_told)
{
    const uint64_t words = alloc_or_die(gravel, 4 * N);
    uint32_t *map = map_or_die(gravel, 1, words, 4 * N, CL_MAP_READ);
    map[N - 1] = 1;
    expect_error(gravel_unmap(gravel, map), GRAVEL_EINVAL, "is CL_MAP_READ and was written");
    map = map_or_die(gravel, 1, words, 4 * N, CL_MAP_READ | CL_MAP_WRITE);
    map[0] = 1;
    OK(gravel_unmap(gravel, map));
    map = map_or_die(gravel, 1, words, 4 * N, CL_MAP_READ);
    assert_int_equal(map[0], 1);
    OK(gravel_unmap(gravel, map));
    OK(gravel_free(gravel, words));
}

/* Not the host's write: a kernel's, which a map that points into the heap may show. */
TEST(map_that_others_change_is_no_fault)
{
    const uint64_t words = alloc_or_die(gravel, 4 * N);
    cl_kernel kernel = count_kernel(words, 1);
    uint32_t *map = map_or_die(gravel, 1, words, 4 * N, CL_MAP_READ);
    launch(kernel);
    OK(gravel_barrier(gravel));
    OK(gravel_unmap(gravel, map));
    OK(gravel_free(gravel, words));
}

/* ---- threads -------------------------------------------------------------------------------- */

static _Atomic int is_over;

static void *wait_again_and_again(void *unused)
{
    while (!atomic_load_explicit(&is_over, memory_order_relaxed))
        if (gravel_fence(gravel))
            return (void *)gravel_last_error();
    return unused;
}

/* Calls of a kernel that runs while another thread waits are not final. */
TEST(threads_that_wait_beside_launches_accuse_none)
{
    const uint64_t words = alloc_or_die(gravel, 4 * N);
    cl_kernel kernel = count_kernel(words, 64);
    void *error;
    pthread_t thread;
    atomic_store_explicit(&is_over, 0, memory_order_relaxed);
    assert_int_equal(pthread_create(&thread, NULL, wait_again_and_again, NULL), 0);
    for (int i = 0; i < 150; i++) {
        launch(kernel);
        OK(gravel_fence(gravel));
    }
    atomic_store_explicit(&is_over, 1, memory_order_relaxed);
    assert_int_equal(pthread_join(thread, &error), 0);
    if (error)
        fail_msg("%s", (const char *)error);
    OK(gravel_barrier(gravel));
    expect_words(gravel, 1, words, 150 * 64, N);
    OK(gravel_free(gravel, words));
}

/* ---- names of allocations -------------------------------------------------------------------- */

TEST(names_of_allocations_are_checked)
{
    char long_name[] = "a name of forty-eight characters is one too many";
    uint64_t offset;
    assert_int_equal(strlen(long_name), 48);
    expect_error(gravel_alloc_named(gravel, NULL, 64, &offset), GRAVEL_EINVAL,
                 "gravel_alloc_named: name is NULL");
    expect_error(gravel_alloc_named(gravel, "", 64, &offset), GRAVEL_EINVAL, "0 characters");
    expect_error(gravel_alloc_named(gravel, long_name, 64, &offset), GRAVEL_EINVAL,
                 "48 characters; 1 to 47 allowed");
    expect_error(gravel_alloc_named(gravel, "counters", 0, &offset), GRAVEL_EINVAL,
                 "gravel_alloc_named: 0 bytes");
    expect_error(gravel_alloc_named(gravel, "counters", 64, NULL), GRAVEL_EINVAL, "offset is NULL");
    long_name[47] = 0;
    OK(gravel_alloc_named(gravel, long_name, 64, &offset));
    assert_int_equal(word32(gravel, 1, offset), 0);
    OK(gravel_free(gravel, offset));
}

const struct fixture fixture = {.open = open_node, .close = close_node};
