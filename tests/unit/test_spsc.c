/* SPDX-License-Identifier: MIT */
/*
 * The one-producer, one-consumer queue, against a plain count of what went in.
 *
 * Path:    bench/queue/spsc.h, host_queue_runs.h -> this.
 */
#include "queue/spsc.h"

#include <pthread.h>
#include <sched.h>

#define QUEUE struct gravel_spsc
#define CALL(name) gravel_spsc_##name
#define PUBLISH(queue, element) gravel_spsc_publish(queue)
#define RELEASE(queue, element) gravel_spsc_release(queue)
#include "host_queue_runs.h"

static void peek_before_publish_returns_null(void **state)
{
    (void)state;
    struct gravel_spsc *queue = create(4, 8, 0);
    assert_non_null(gravel_spsc_reserve(queue));
    assert_null(gravel_spsc_peek(queue));
    gravel_spsc_publish(queue);
    assert_non_null(gravel_spsc_peek(queue));
    gravel_spsc_destroy(queue);
}

static void reserve_and_peek_repeat_until_done(void **state)
{
    (void)state;
    struct gravel_spsc *queue = create(4, 8, 0);
    void *element = gravel_spsc_reserve(queue);
    assert_ptr_equal(gravel_spsc_reserve(queue), element);
    gravel_spsc_publish(queue);
    assert_ptr_equal(gravel_spsc_peek(queue), element);
    assert_ptr_equal(gravel_spsc_peek(queue), element);
    gravel_spsc_release(queue);
    assert_null(gravel_spsc_peek(queue));
    gravel_spsc_destroy(queue);
}

static void elements_of_odd_size_do_not_overlap(void **state)
{
    (void)state;
    struct triple {
        uint32_t word[3];
    };
    struct gravel_spsc *queue = create(8, sizeof(struct triple), 5);
    for (uint32_t k = 0; k < 8; k++) {
        *(struct triple *)gravel_spsc_reserve(queue) = (struct triple){{k, k + 100, k + 200}};
        gravel_spsc_publish(queue);
    }
    for (uint32_t k = 0; k < 8; k++) {
        struct triple *triple = gravel_spsc_peek(queue);
        assert_int_equal(triple->word[0], k);
        assert_int_equal(triple->word[1], k + 100);
        assert_int_equal(triple->word[2], k + 200);
        gravel_spsc_release(queue);
    }
    gravel_spsc_destroy(queue);
}

static void bulk_run_ends_where_the_array_ends(void **state)
{
    (void)state;
    struct gravel_spsc *queue = create(8, 8, UINT32_MAX - 2); /* position 5 */
    void *first = NULL;
    assert_int_equal(gravel_spsc_reserve_n(queue, 0, &first), 0);
    assert_null(first);
    assert_int_equal(gravel_spsc_reserve_n(queue, 100, &first), 3);
    assert_ptr_equal(first, queue->elements + 5 * 8);
    gravel_spsc_publish_n(queue, 3);
    assert_int_equal(gravel_spsc_reserve_n(queue, 100, &first), 5);
    assert_ptr_equal(first, queue->elements);
    gravel_spsc_publish_n(queue, 4);
    assert_int_equal(gravel_spsc_reserve_n(queue, 2, &first), 1);
    assert_int_equal(gravel_spsc_peek_n(queue, 100, &first), 3);
    gravel_spsc_release_n(queue, 2); /* fewer than peeked */
    assert_int_equal(gravel_spsc_peek_n(queue, 100, &first), 1);
    assert_ptr_equal(first, queue->elements + 7 * 8);
    gravel_spsc_release_n(queue, 1);
    assert_int_equal(gravel_spsc_peek_n(queue, 100, &first), 4);
    gravel_spsc_release_n(queue, 4);
    assert_int_equal(gravel_spsc_peek_n(queue, 1, &first), 0);
    gravel_spsc_destroy(queue);
}

#define N_THREADED 20000u

static void *produce(void *argument)
{
    for (uint64_t k = 0; k < N_THREADED; k++)
        while (!push(argument, k))
            sched_yield();
    return NULL;
}

static void two_threads_lose_and_repeat_nothing(void **state)
{
    (void)state;
    struct gravel_spsc *queue = create(16, 8, UINT32_MAX - 100);
    pthread_t producer;
    assert_int_equal(pthread_create(&producer, NULL, produce, queue), 0);
    for (uint64_t k = 0; k < N_THREADED; k++) {
        while (!gravel_spsc_peek(queue))
            sched_yield();
        expect(queue, k);
    }
    pthread_join(producer, NULL);
    assert_null(gravel_spsc_peek(queue));
    gravel_spsc_destroy(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOST_QUEUE_RUNS,
        cmocka_unit_test(peek_before_publish_returns_null),
        cmocka_unit_test(reserve_and_peek_repeat_until_done),
        cmocka_unit_test(elements_of_odd_size_do_not_overlap),
        cmocka_unit_test(bulk_run_ends_where_the_array_ends),
        cmocka_unit_test(two_threads_lose_and_repeat_nothing),
    };
    return cmocka_run_group_tests_name("spsc", tests, NULL, NULL);
}
