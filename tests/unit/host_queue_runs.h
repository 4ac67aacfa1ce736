/* SPDX-License-Identifier: MIT */
/*
 * What both queues between host threads promise. The test defines QUEUE, CALL(name), and PUBLISH and RELEASE of an element.
 *
 * Path:    test_spsc.c, test_mpmc.c -> this. Linked with -Wl,--wrap=aligned_alloc.
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_HOST_QUEUE_RUNS_H
#define GRAVEL_TESTS_HOST_QUEUE_RUNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/* Of the first index; a queue whose indices have 32 bits takes the low half. */
static const uint64_t starts[] = {
    0,
    UINT32_MAX - UINT64_C(8),
    UINT32_MAX - UINT64_C(1),
    UINT32_MAX / 2,
    UINT64_MAX / 2,
    UINT64_MAX - 8,
    UINT64_MAX,
};
static const uint32_t capacities[] = {1, 2, 16, 4096};

static QUEUE *create(uint32_t capacity, uint32_t element_bytes, uint64_t start)
{
    QUEUE *queue;
    assert_int_equal(CALL(create)(&queue, capacity, element_bytes, start), 0);
    assert_non_null(queue);
    return queue;
}

static bool push(QUEUE *queue, uint64_t value)
{
    uint64_t *element = CALL(reserve)(queue);
    if (!element)
        return false;
    *element = value;
    PUBLISH(queue, element);
    return true;
}

static void expect(QUEUE *queue, uint64_t value)
{
    uint64_t *element = CALL(peek)(queue);
    assert_non_null(element);
    assert_int_equal(*element, value);
    RELEASE(queue, element);
}

static void create_with_bad_arguments_returns_einval(void **state)
{
    (void)state;
    QUEUE *queue = (void *)&queue;
    assert_int_equal(CALL(create)(NULL, 2, 8, 0), GRAVEL_EINVAL);
    assert_int_equal(CALL(create)(&queue, 0, 8, 0), GRAVEL_EINVAL);
    assert_null(queue);
    assert_int_equal(CALL(create)(&queue, 3, 8, 0), GRAVEL_EINVAL);
    assert_int_equal(CALL(create)(&queue, 6, 8, 0), GRAVEL_EINVAL);
    assert_int_equal(CALL(create)(&queue, 2, 0, 0), GRAVEL_EINVAL);
}

static void create_without_memory_returns_enomem(void **state)
{
    (void)state;
    QUEUE *queue = (void *)&queue;
    is_memory_out = true;
    int code = CALL(create)(&queue, 2, 8, 0);
    is_memory_out = false;
    assert_int_equal(code, GRAVEL_ENOMEM);
    assert_null(queue);
}

static void destroy_null_does_nothing(void **state)
{
    (void)state;
    CALL(destroy)(NULL);
}

static void peek_of_empty_returns_null(void **state)
{
    (void)state;
    QUEUE *queue = create(4, 8, 0);
    assert_null(CALL(peek)(queue));
    CALL(destroy)(queue);
}

static void reserve_of_full_returns_null_until_release(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(capacities) * LENGTH(starts); i++) {
        uint32_t capacity = capacities[i % LENGTH(capacities)];
        QUEUE *queue = create(capacity, 8, starts[i / LENGTH(capacities)]);
        for (uint32_t k = 0; k < capacity; k++)
            assert_true(push(queue, k));
        assert_false(push(queue, capacity));
        uint64_t *element = CALL(peek)(queue);
        assert_int_equal(*element, 0);
        assert_false(push(queue, capacity)); /* taken, but not released */
        RELEASE(queue, element);
        assert_true(push(queue, capacity));
        assert_false(push(queue, capacity + 1));
        for (uint32_t k = 1; k <= capacity; k++)
            expect(queue, k);
        assert_null(CALL(peek)(queue));
        CALL(destroy)(queue);
    }
}

static void order_survives_the_wrap_of_indices(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(capacities) * LENGTH(starts); i++) {
        uint32_t capacity = capacities[i % LENGTH(capacities)];
        QUEUE *queue = create(capacity, 8, starts[i / LENGTH(capacities)]);
        uint64_t in = 0, out = 0;
        for (uint32_t round = 0; round < 100; round++) {
            for (uint32_t k = 0; k < round % capacity + 1; k++)
                assert_true(push(queue, in++));
            while (out < in)
                expect(queue, out++);
            assert_null(CALL(peek)(queue));
        }
        CALL(destroy)(queue);
    }
}

#define HOST_QUEUE_RUNS                                                                            \
    cmocka_unit_test(create_with_bad_arguments_returns_einval),                                    \
        cmocka_unit_test(create_without_memory_returns_enomem),                                    \
        cmocka_unit_test(destroy_null_does_nothing), cmocka_unit_test(peek_of_empty_returns_null), \
        cmocka_unit_test(reserve_of_full_returns_null_until_release),                              \
        cmocka_unit_test(order_survives_the_wrap_of_indices)

#endif
