/* SPDX-License-Identifier: MIT */
/*
 * The many-producer, many-consumer queue, against a plain count of what went in.
 *
 * Path:    lib/queue/mpmc.h. Linked with -Wl,--wrap=aligned_alloc.
 */
#include "queue/mpmc.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gravel/gravel.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static bool is_memory_out;
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return is_memory_out ? NULL : __real_aligned_alloc(alignment, bytes);
}

static const uint64_t starts[] = {0, UINT32_MAX - UINT64_C(8), UINT64_MAX / 2, UINT64_MAX - 8,
                                  UINT64_MAX};
static const uint32_t capacities[] = {1, 2, 16, 4096};

static struct gravel_mpmc *create(uint32_t capacity, uint32_t element_bytes, uint64_t start)
{
    struct gravel_mpmc *queue;
    assert_int_equal(gravel_mpmc_create(&queue, capacity, element_bytes, start), 0);
    assert_non_null(queue);
    return queue;
}

static bool push(struct gravel_mpmc *queue, uint64_t value)
{
    uint64_t *element = gravel_mpmc_reserve(queue);
    if (!element)
        return false;
    *element = value;
    gravel_mpmc_publish(queue, element);
    return true;
}

static void expect(struct gravel_mpmc *queue, uint64_t value)
{
    uint64_t *element = gravel_mpmc_peek(queue);
    assert_non_null(element);
    assert_int_equal(*element, value);
    gravel_mpmc_release(queue, element);
}

static void create_with_bad_arguments_returns_einval(void **state)
{
    (void)state;
    struct gravel_mpmc *queue = (void *)&queue;
    assert_int_equal(gravel_mpmc_create(NULL, 2, 8, 0), GRAVEL_EINVAL);
    assert_int_equal(gravel_mpmc_create(&queue, 0, 8, 0), GRAVEL_EINVAL);
    assert_null(queue);
    assert_int_equal(gravel_mpmc_create(&queue, 6, 8, 0), GRAVEL_EINVAL);
    assert_int_equal(gravel_mpmc_create(&queue, 2, 0, 0), GRAVEL_EINVAL);
}

static void create_without_memory_returns_enomem(void **state)
{
    (void)state;
    struct gravel_mpmc *queue = (void *)&queue;
    is_memory_out = true;
    int code = gravel_mpmc_create(&queue, 2, 8, 0);
    is_memory_out = false;
    assert_int_equal(code, GRAVEL_ENOMEM);
    assert_null(queue);
    assert_int_equal(gravel_mpmc_create(&queue, 2, UINT32_MAX, 0), GRAVEL_ENOMEM);
    assert_null(queue);
}

static void destroy_null_does_nothing(void **state)
{
    (void)state;
    gravel_mpmc_destroy(NULL);
}

static void peek_of_empty_returns_null(void **state)
{
    (void)state;
    struct gravel_mpmc *queue = create(4, 8, 0);
    assert_null(gravel_mpmc_peek(queue));
    assert_null(gravel_mpmc_pop_pointer(queue));
    gravel_mpmc_destroy(queue);
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

static void reserve_of_full_returns_null_until_release(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(capacities) * LENGTH(starts); i++) {
        uint32_t capacity = capacities[i % LENGTH(capacities)];
        struct gravel_mpmc *queue = create(capacity, 8, starts[i / LENGTH(capacities)]);
        for (uint32_t k = 0; k < capacity; k++)
            assert_true(push(queue, k));
        assert_false(push(queue, capacity));
        void *element = gravel_mpmc_peek(queue);
        assert_false(push(queue, capacity)); /* taken, but not released */
        gravel_mpmc_release(queue, element);
        assert_true(push(queue, capacity));
        assert_false(push(queue, capacity + 1));
        for (uint32_t k = 1; k <= capacity; k++)
            expect(queue, k);
        assert_null(gravel_mpmc_peek(queue));
        gravel_mpmc_destroy(queue);
    }
}

static void order_survives_the_wrap_of_tickets(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(capacities) * LENGTH(starts); i++) {
        uint32_t capacity = capacities[i % LENGTH(capacities)];
        struct gravel_mpmc *queue = create(capacity, 8, starts[i / LENGTH(capacities)]);
        uint64_t in = 0, out = 0;
        for (uint32_t round = 0; round < 100; round++) {
            for (uint32_t k = 0; k < round % capacity + 1; k++)
                assert_true(push(queue, in++));
            while (out < in)
                expect(queue, out++);
            assert_null(gravel_mpmc_peek(queue));
        }
        gravel_mpmc_destroy(queue);
    }
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

static void pointers_come_back_in_order(void **state)
{
    (void)state;
    char bytes[3];
    struct gravel_mpmc *queue = create(2, sizeof(void *), UINT64_MAX);
    assert_true(gravel_mpmc_push_pointer(queue, &bytes[0]));
    assert_true(gravel_mpmc_push_pointer(queue, &bytes[1]));
    assert_false(gravel_mpmc_push_pointer(queue, &bytes[2]));
    assert_ptr_equal(gravel_mpmc_pop_pointer(queue), &bytes[0]);
    assert_ptr_equal(gravel_mpmc_pop_pointer(queue), &bytes[1]);
    assert_null(gravel_mpmc_pop_pointer(queue));
    gravel_mpmc_destroy(queue);
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
        cmocka_unit_test(create_with_bad_arguments_returns_einval),
        cmocka_unit_test(create_without_memory_returns_enomem),
        cmocka_unit_test(destroy_null_does_nothing),
        cmocka_unit_test(peek_of_empty_returns_null),
        cmocka_unit_test(peek_before_publish_of_the_oldest_returns_null),
        cmocka_unit_test(reserve_of_full_returns_null_until_release),
        cmocka_unit_test(order_survives_the_wrap_of_tickets),
        cmocka_unit_test(elements_keep_their_size_and_alignment),
        cmocka_unit_test(pointers_come_back_in_order),
        cmocka_unit_test(two_producers_keep_their_order),
    };
    return cmocka_run_group_tests_name("mpmc", tests, NULL, NULL);
}
