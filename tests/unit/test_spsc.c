/* SPDX-License-Identifier: MIT */
/*
 * The one-producer, one-consumer queue, against a plain count of what went in.
 *
 * Path:    lib/queue/spsc.h. Linked with -Wl,--wrap=aligned_alloc.
 */
#include "queue/spsc.h"

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

static const uint32_t starts[] = {0, UINT32_MAX - 8, UINT32_MAX - 1, UINT32_MAX, UINT32_MAX / 2};
static const uint32_t capacities[] = {1, 2, 16, 4096};

static struct gravel_spsc *create(uint32_t capacity, uint32_t element_bytes, uint32_t start)
{
    struct gravel_spsc *queue;
    assert_int_equal(gravel_spsc_create(&queue, capacity, element_bytes, start), 0);
    assert_non_null(queue);
    return queue;
}

static bool push(struct gravel_spsc *queue, uint64_t value)
{
    uint64_t *element = gravel_spsc_reserve(queue);
    if (!element)
        return false;
    *element = value;
    gravel_spsc_publish(queue);
    return true;
}

static void expect(struct gravel_spsc *queue, uint64_t value)
{
    uint64_t *element = gravel_spsc_peek(queue);
    assert_non_null(element);
    assert_int_equal(*element, value);
    gravel_spsc_release(queue);
}

static void create_with_bad_arguments_returns_einval(void **state)
{
    (void)state;
    struct gravel_spsc *queue = (void *)&queue;
    assert_int_equal(gravel_spsc_create(NULL, 2, 8, 0), GRAVEL_EINVAL);
    assert_int_equal(gravel_spsc_create(&queue, 0, 8, 0), GRAVEL_EINVAL);
    assert_null(queue);
    assert_int_equal(gravel_spsc_create(&queue, 3, 8, 0), GRAVEL_EINVAL);
    assert_int_equal(gravel_spsc_create(&queue, 2, 0, 0), GRAVEL_EINVAL);
}

static void create_without_memory_returns_enomem(void **state)
{
    (void)state;
    struct gravel_spsc *queue = (void *)&queue;
    is_memory_out = true;
    int code = gravel_spsc_create(&queue, 2, 8, 0);
    is_memory_out = false;
    assert_int_equal(code, GRAVEL_ENOMEM);
    assert_null(queue);
}

static void destroy_null_does_nothing(void **state)
{
    (void)state;
    gravel_spsc_destroy(NULL);
}

static void peek_of_empty_returns_null(void **state)
{
    (void)state;
    struct gravel_spsc *queue = create(4, 8, 0);
    assert_null(gravel_spsc_peek(queue));
    assert_null(gravel_spsc_pop_pointer(queue));
    gravel_spsc_destroy(queue);
}

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

static void reserve_of_full_returns_null_until_release(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(capacities) * LENGTH(starts); i++) {
        uint32_t capacity = capacities[i % LENGTH(capacities)];
        struct gravel_spsc *queue = create(capacity, 8, starts[i / LENGTH(capacities)]);
        for (uint32_t k = 0; k < capacity; k++)
            assert_true(push(queue, k));
        assert_false(push(queue, capacity));
        expect(queue, 0);
        assert_true(push(queue, capacity));
        assert_false(push(queue, capacity + 1));
        for (uint32_t k = 1; k <= capacity; k++)
            expect(queue, k);
        assert_null(gravel_spsc_peek(queue));
        gravel_spsc_destroy(queue);
    }
}

static void order_survives_the_wrap_of_indices(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(capacities) * LENGTH(starts); i++) {
        uint32_t capacity = capacities[i % LENGTH(capacities)];
        struct gravel_spsc *queue = create(capacity, 8, starts[i / LENGTH(capacities)]);
        uint64_t in = 0, out = 0;
        for (uint32_t round = 0; round < 100; round++) {
            for (uint32_t k = 0; k < round % capacity + 1; k++)
                assert_true(push(queue, in++));
            while (out < in)
                expect(queue, out++);
            assert_null(gravel_spsc_peek(queue));
        }
        gravel_spsc_destroy(queue);
    }
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

static void pointers_come_back_in_order(void **state)
{
    (void)state;
    char bytes[3];
    struct gravel_spsc *queue = create(2, sizeof(void *), UINT32_MAX);
    assert_true(gravel_spsc_push_pointer(queue, &bytes[0]));
    assert_true(gravel_spsc_push_pointer(queue, &bytes[1]));
    assert_false(gravel_spsc_push_pointer(queue, &bytes[2]));
    assert_ptr_equal(gravel_spsc_pop_pointer(queue), &bytes[0]);
    assert_ptr_equal(gravel_spsc_pop_pointer(queue), &bytes[1]);
    assert_null(gravel_spsc_pop_pointer(queue));
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
        cmocka_unit_test(create_with_bad_arguments_returns_einval),
        cmocka_unit_test(create_without_memory_returns_enomem),
        cmocka_unit_test(destroy_null_does_nothing),
        cmocka_unit_test(peek_of_empty_returns_null),
        cmocka_unit_test(peek_before_publish_returns_null),
        cmocka_unit_test(reserve_and_peek_repeat_until_done),
        cmocka_unit_test(reserve_of_full_returns_null_until_release),
        cmocka_unit_test(order_survives_the_wrap_of_indices),
        cmocka_unit_test(elements_of_odd_size_do_not_overlap),
        cmocka_unit_test(bulk_run_ends_where_the_array_ends),
        cmocka_unit_test(pointers_come_back_in_order),
        cmocka_unit_test(two_threads_lose_and_repeat_nothing),
    };
    return cmocka_run_group_tests_name("spsc", tests, NULL, NULL);
}
