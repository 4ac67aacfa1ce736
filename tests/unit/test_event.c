/* SPDX-License-Identifier: MIT */
/*
 * The eventcount and the waiting policy: wake-ups are not lost, time limits hold, idling costs
 * nothing.
 *
 * Path:    lib/base/event.h, lib/base/await.h. Time bounds are generous: the machine may be busy.
 */
#include "cases.h"
#include "base/await.h"
#include "base/counter.h"

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

/* As base/thread.h has it: no lock of the library is initialised. */
TEST(a_lock_filled_with_zeros_is_ready)
{
    static const pthread_mutex_t zeros;
    const pthread_mutex_t ready = PTHREAD_MUTEX_INITIALIZER;
    assert_memory_equal(&zeros, &ready, sizeof ready);
}

TEST(wait_without_signal_times_out)
{
    struct gravel_event event = {0};
    uint64_t start_ns = gravel_clock_ns();
    assert_false(gravel_event_wait(&event, gravel_event_prepare(&event), 20 * MS));
    assert_true(gravel_clock_ns() - start_ns >= 20 * MS);
    assert_false(gravel_event_wait(&event, gravel_event_prepare(&event), 0));
    gravel_event_signal(&event); /* nobody waits, and nothing changes */
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

/* Wait until the idle thread is past its spins and yields: the next wait sleeps. */
static void become_sleepy(struct gravel_idle *idle, struct gravel_event *event)
{
    while (!idle->wait.is_prepared)
        gravel_idle_wait(idle, event, LONG_NS);
}

TEST(idle_sleeps_grow_up_to_their_bound)
{
    struct gravel_event event = {0};
    struct gravel_idle idle = {0};
    uint64_t start_ns = gravel_clock_ns();
    become_sleepy(&idle, &event);
    assert_int_equal(gravel_counter_load(&idle.polls), GRAVEL_IDLE_SPINS + GRAVEL_WAIT_YIELDS + 1);
    while (gravel_clock_ns() - start_ns < 300 * MS)
        gravel_idle_wait(&idle, &event, LONG_NS);
    uint64_t before_ns = gravel_clock_ns();
    gravel_idle_wait(&idle, &event, LONG_NS);
    assert_true(gravel_clock_ns() - before_ns >= GRAVEL_IDLE_MAX_NS);
    /* ln(16 ms / 0.16 ms) * 8 sleeps to reach the bound, then 8 ms each. */
    assert_in_range(gravel_counter_load(&idle.polls), GRAVEL_IDLE_SPINS, 300);
    gravel_idle_reset(&idle);
    assert_int_equal(n_waiters(&event), 0);
}

/* After a reset it begins with spins, and keeps nobody's signal. */
TEST(idle_keeps_a_signal_that_comes_while_it_polls)
{
    struct gravel_event event = {0};
    struct gravel_idle idle = {0};
    for (uint32_t cycle = 1; cycle <= 2; cycle++) {
        become_sleepy(&idle, &event);
        assert_int_equal(gravel_counter_load(&idle.polls),
                         cycle * (GRAVEL_IDLE_SPINS + GRAVEL_WAIT_YIELDS + 1) + (cycle - 1) * 3);
        idle.wait.awake.begin_ns = 1;
        for (int k = 0; k < 3; k++) {
            gravel_event_signal(&event); /* after the poll, before the sleep */
            uint32_t old_key = idle.wait.key;
            gravel_idle_wait(&idle, &event, LONG_NS);
            assert_int_not_equal(idle.wait.key, old_key);
            assert_int_not_equal(idle.wait.awake.begin_ns, 1); /* the idle time starts anew */
        }
        gravel_idle_reset(&idle);
        gravel_idle_reset(&idle);
        assert_false(idle.wait.is_prepared);
        assert_int_equal(n_waiters(&event), 0);
    }
}
