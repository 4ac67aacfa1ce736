/* SPDX-License-Identifier: MIT */
/*
 * The pool of node buffers: how many it makes, where their frames lie, and that taking never waits.
 *
 * Path: meson test -> lib/transport/pool.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "transport/pool.h"

#define BYTES 200u /* of a frame; not a multiple of a cache line */
#define N_BUFFERS 5u

static struct gravel_pool pool;

static void make_pool(uint32_t n_buffers, unsigned char *frames, struct gravel_event *returned)
{
    const struct gravel_pool_shape shape = {
        .buffer_bytes = BYTES, .n_buffers = n_buffers, .frames = frames};
    gravel_pool_init(&pool, &shape, returned);
}

static void pool_gives_so_many_buffers_and_no_more(void **state)
{
    (void)state;
    struct gravel_buffer *buffers[N_BUFFERS];
    make_pool(N_BUFFERS, NULL, NULL);
    for (uint32_t i = 0; i < N_BUFFERS; i++) {
        assert_non_null(buffers[i] = gravel_pool_take(&pool));
        assert_ptr_equal(buffers[i]->home, &pool);
        assert_int_equal(buffers[i]->capacity, BYTES);
    }
    for (uint32_t i = 0; i < 3 * N_BUFFERS; i++) {
        assert_null(gravel_pool_take(&pool));
        gravel_pool_return(buffers[i % N_BUFFERS]);
        assert_ptr_equal(gravel_pool_take(&pool), buffers[i % N_BUFFERS]);
    }
    for (uint32_t i = 0; i < N_BUFFERS; i++)
        gravel_pool_return(buffers[i]);
    gravel_pool_destroy(&pool);
}

static void frames_lie_apart_in_the_memory_given(void **state)
{
    (void)state;
    uint64_t bytes = gravel_pool_frames_bytes(BYTES, N_BUFFERS);
    unsigned char *frames = aligned_alloc(GRAVELP_CACHELINE, bytes);
    struct gravel_buffer *buffers[N_BUFFERS];
    make_pool(N_BUFFERS, frames, NULL);
    for (uint32_t i = 0; i < N_BUFFERS; i++) {
        buffers[i] = gravel_pool_take(&pool);
        unsigned char *frame = (unsigned char *)buffers[i]->frame;
        assert_ptr_equal(frame, frames + i * gravel_pool_frame_bytes(BYTES));
        assert_int_equal((uintptr_t)frame % GRAVELP_CACHELINE, 0);
        assert_true(frame + BYTES <= frames + bytes);
    }
    for (uint32_t i = 0; i < N_BUFFERS; i++)
        gravel_pool_return(buffers[i]);
    gravel_pool_destroy(&pool);
    free(frames);
}

static void who_waits_hears_of_each_return(void **state)
{
    (void)state;
    struct gravel_event returned = {0};
    make_pool(1, NULL, &returned);
    struct gravel_buffer *buffer = gravel_pool_take(&pool);
    uint32_t key = gravel_event_prepare(&returned);
    gravel_pool_return(buffer);
    assert_true(gravel_event_wait(&returned, key, 60 * UINT64_C(1000000000)));
    gravel_pool_destroy(&pool);
}

static void pool_without_a_limit_frees_what_returns(void **state)
{
    (void)state;
    struct gravel_buffer *buffers[3 * N_BUFFERS];
    make_pool(0, NULL, NULL);
    for (uint32_t i = 0; i < 3 * N_BUFFERS; i++) {
        assert_non_null(buffers[i] = gravel_pool_take(&pool));
        assert_null(buffers[i]->home);
    }
    for (uint32_t i = 0; i < 3 * N_BUFFERS; i++)
        gravel_pool_return(buffers[i]);
    gravel_pool_destroy(&pool);
}

static void pool_that_was_not_created_is_destroyed(void **state)
{
    (void)state;
    struct gravel_pool none = {.n_made = 0};
    gravel_pool_destroy(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pool_gives_so_many_buffers_and_no_more),
        cmocka_unit_test(frames_lie_apart_in_the_memory_given),
        cmocka_unit_test(who_waits_hears_of_each_return),
        cmocka_unit_test(pool_without_a_limit_frees_what_returns),
        cmocka_unit_test(pool_that_was_not_created_is_destroyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
