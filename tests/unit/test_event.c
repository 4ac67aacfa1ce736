/* SPDX-License-Identifier: MIT */
/*
 * The eventcount: wake-ups are not lost, and time limits hold. That idling costs nothing is device stats'.
 *
 * Path: lib/base/event.h. Time bounds are generous: the machine may be busy.
 */
#include "cases.h"
#include "base/event.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "base/clock.h"

#define MS UINT64_C(1000000)
#define LONG_NS (10 * GRAVEL_NS_PER_S) /* a wait that lasts this long was not woken */

static uint32_t n_waiters(struct gravel_event *event)
{
    return atomic_load_explicit(&event->n_waiters, memory_order_relaxed);
}

TEST(wait_without_signal_times_out)
{
    struct gravel_event event = {0};
    uint64_t start_ns = gravel_clock_ns();
    assert_false(gravel_event_wait(&event, gravel_event_prepare(&event), 20 * MS));
    assert_true(gravel_clock_ns() - start_ns >= 20 * MS);
    assert_false(gravel_event_wait(&event, gravel_event_prepare(&event), 0));
    gravel_event_signal(&event); /* no thread waits, and nothing changes */
    assert_int_equal(gravel_event_prepare(&event), 0);
    gravel_event_cancel(&event);
    assert_int_equal(n_waiters(&event), 0);
}

TEST(signal_between_prepare_and_wait_is_kept)
{
    struct gravel_event event = {.epoch = UINT32_MAX}; /* the epoch wraps */
    uint32_t key = gravel_event_prepare(&event);
    gravel_event_signal(&event);
    uint64_t start_ns = gravel_clock_ns();
    assert_true(gravel_event_wait(&event, key, LONG_NS));
    assert_true(gravel_clock_ns() - start_ns < LONG_NS / 2);
}

struct sleeper {
    struct gravel_event *event;
    bool was_signalled;
};

static void *sleep_long(void *argument)
{
    struct sleeper *sleeper = argument;
    uint32_t key = gravel_event_prepare(sleeper->event);
    sleeper->was_signalled = gravel_event_wait(sleeper->event, key, LONG_NS);
    return NULL;
}

TEST(one_signal_wakes_all_sleepers)
{
    struct gravel_event event = {0};
    struct sleeper sleepers[3] = {{&event, false}, {&event, false}, {&event, false}};
    pthread_t threads[3];
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, sleep_long, &sleepers[i]), 0);
    while (n_waiters(&event) < 3)
        sched_yield();
    usleep(10000); /* asleep by now, or about to: both must be woken */
    const uint64_t signalled_ns = gravel_clock_ns();
    gravel_event_signal(&event);
    for (size_t i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        assert_true(sleepers[i].was_signalled);
    }
    assert_true(gravel_clock_ns() - signalled_ns < LONG_NS / 2);
}
