/* SPDX-License-Identifier: MIT */
/*
 * The many-producer, many-consumer queue, against a plain count of what went in.
 *
 * Path:    bench/queue/mpmc.h, host_queue_runs.h -> this.
 */
#include "queue/mpmc.h"

#include <pthread.h>
#include <sched.h>

#define QUEUE struct gravel_mpmc
#define CALL(name) gravel_mpmc_##name
#define PUBLISH(queue, element) gravel_mpmc_publish(queue, element)
#define RELEASE(queue, element) gravel_mpmc_release(queue, element)
#include "host_queue_runs.h"

static void create_with_more_bytes_than_memory_returns_enomem(void **state)
{
    (void)state;
    struct gravel_mpmc *queue = (void *)&queue;
    assert_int_equal(gravel_mpmc_create(&queue, 2, UINT32_MAX, 0), GRAVEL_ENOMEM);
    assert_null(queue);
}

static void peek_before_publish_of_the_oldest_returns_null(void **state)
{
    (void)state;
    struct gravel_mpmc *queue = create(4, 8, UINT64_MAX);
    void *oldest = gravel_mpmc_reserve(queue);
    void *second = gravel_mpmc_reserve(queue);
    assert_ptr_not_equal(oldest, second);
    gravel_mpmc_publish(queue, second);
    assert_null(gravel_mpmc_peek(queue));
    gravel_mpmc_publish(queue, oldest);
    assert_ptr_equal(gravel_mpmc_peek(queue), oldest);
    assert_ptr_equal(gravel_mpmc_peek(queue), second);
    assert_null(gravel_mpmc_peek(queue));
    gravel_mpmc_destroy(queue);
}

static void elements_keep_their_size_and_alignment(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 8, 48, 49, 200};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        struct gravel_mpmc *queue = create(4, sizes[i], 0);
        unsigned char *element[4];
        for (unsigned char k = 0; k < 4; k++) {
            element[k] = gravel_mpmc_reserve(queue);
            assert_int_equal((uintptr_t)element[k] % _Alignof(max_align_t), 0);
            for (uint32_t b = 0; b < sizes[i]; b++)
                element[k][b] = k;
        }
        for (unsigned char k = 0; k < 4; k++)
            gravel_mpmc_publish(queue, element[k]);
        for (unsigned char k = 0; k < 4; k++) {
            unsigned char *peeked = gravel_mpmc_peek(queue);
            assert_non_null(peeked);
            for (uint32_t b = 0; b < sizes[i]; b++)
                assert_int_equal(peeked[b], k);
        }
        gravel_mpmc_destroy(queue);
    }
}

#define N_THREADED UINT64_C(10000)

struct producer {
    struct gravel_mpmc *queue;
    uint64_t number;
};

static void *produce(void *argument)
{
    const struct producer *producer = argument;
    for (uint64_t k = 0; k < N_THREADED; k++)
        while (!push(producer->queue, producer->number << 32 | k))
            sched_yield();
    return NULL;
}

static void two_producers_keep_their_order(void **state)
{
    (void)state;
    struct gravel_mpmc *queue = create(16, 8, UINT64_MAX - 100);
    struct producer producers[2] = {{queue, 0}, {queue, 1}};
    pthread_t threads[2];
    uint64_t next[2] = {0, 0};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, produce, &producers[i]), 0);
    for (uint64_t n = 0; n < 2 * N_THREADED; n++) {
        uint64_t *element;
        while (!(element = gravel_mpmc_peek(queue)))
            sched_yield();
        uint64_t number = *element >> 32;
        assert_in_range(number, 0, 1);
        assert_int_equal(*element & UINT32_MAX, next[number]++);
        gravel_mpmc_release(queue, element);
    }
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_null(gravel_mpmc_peek(queue));
    gravel_mpmc_destroy(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOST_QUEUE_RUNS,
        cmocka_unit_test(create_with_more_bytes_than_memory_returns_enomem),
        cmocka_unit_test(peek_before_publish_of_the_oldest_returns_null),
        cmocka_unit_test(elements_keep_their_size_and_alignment),
        cmocka_unit_test(two_producers_keep_their_order),
    };
    return cmocka_run_group_tests_name("mpmc", tests, NULL, NULL);
}
