/* SPDX-License-Identifier: MIT */
/*
 * The list of node buffers, which many threads fill and one empties: none is lost or repeated, and each thread's come in order.
 *
 * Path: meson test -> this -> lib/transport/list.h
 */
#include <pthread.h>
#include <sched.h>

#include "cases.h"
#include "transport/list.h"

#define N_THREADS 4u
#define N_EACH 30000u

static struct producer {
    pthread_t thread;
    struct gravel_buffer buffers[N_EACH];
    uint32_t n_taken;
} producers[N_THREADS];

static struct gravel_list list;

static void *push_all(void *argument)
{
    struct producer *producer = argument;
    for (uint32_t i = 0; i < N_EACH; i++)
        gravel_list_push(&list, &producer->buffers[i]);
    return NULL;
}

/* Takes the next buffer of its thread. */
static void take(const struct gravel_buffer *buffer)
{
    uint32_t number = 0;
    while (number < N_THREADS &&
           (buffer < producers[number].buffers || buffer >= producers[number].buffers + N_EACH))
        number++;
    assert_in_range(number, 0, N_THREADS - 1);
    assert_ptr_equal(buffer, &producers[number].buffers[producers[number].n_taken++]);
}

TEST(buffers_of_each_thread_come_once_and_in_order)
{
    for (uint32_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&producers[i].thread, NULL, push_all, &producers[i]), 0);
    for (uint32_t n = 0; n < N_THREADS * N_EACH;) {
        const struct gravel_buffer *buffer = gravel_list_take(&list);
        if (buffer)
            take(buffer), n++;
        else
            sched_yield();
    }
    for (uint32_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_join(producers[i].thread, NULL), 0);
    assert_null(gravel_list_take(&list));
}
