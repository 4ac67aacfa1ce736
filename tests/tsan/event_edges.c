/* SPDX-License-Identifier: MIT */
/*
 * What the eventcount promises beyond waking: a waiter that sees a new epoch sees what was stored
 * before the signal (E2), here plain data, so that ThreadSanitizer reports the edge's absence.
 *
 * Path:    lib/base/event.h -> event_edges.c.
 * Exit:    0; 1 if a signal is lost; the sanitizer's own code if it has a report.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/event.h"

#define N_ROUNDS 200u

static struct gravel_event event;
static uint32_t data[N_ROUNDS];
static uint32_t start_key;
static _Atomic bool is_waiting; /* relaxed: must not order what E2 is to order */
static _Atomic uint32_t n_done; /* relaxed, too */

static void *signal_once(void *argument)
{
    (void)argument;
    while (!atomic_load_explicit(&is_waiting, memory_order_relaxed))
        sched_yield();
    data[0] = 1;
    gravel_event_signal(&event);
    return NULL;
}

/* gravel_event_wait that returns true has seen the signal, and so the data. */
static void wait_for_signal(void)
{
    pthread_t thread;
    uint32_t key = gravel_event_prepare(&event);
    if (pthread_create(&thread, NULL, signal_once, NULL))
        exit(1);
    atomic_store_explicit(&is_waiting, true, memory_order_relaxed);
    if (!gravel_event_wait(&event, key, 5 * GRAVEL_NS_PER_S) || data[0] != 1) {
        fprintf(stderr, "a signal was lost\n");
        exit(1);
    }
    pthread_join(thread, NULL);
}

static void *signal_rounds(void *argument)
{
    (void)argument;
    for (uint32_t round = 0; round < N_ROUNDS; round++) {
        data[round] = round + 1;
        gravel_event_wake(&event);
        while (atomic_load_explicit(&n_done, memory_order_relaxed) <= round)
            sched_yield();
    }
    return NULL;
}

/* A prepare that returns a new key has seen the signals up to it. */
static void prepare_sees_signals(void)
{
    pthread_t thread;
    start_key = gravel_event_prepare(&event);
    gravel_event_cancel(&event);
    if (pthread_create(&thread, NULL, signal_rounds, NULL))
        exit(1);
    for (uint32_t round = 0; round < N_ROUNDS; round++) {
        while (gravel_event_prepare(&event) - start_key != round + 1)
            gravel_event_cancel(&event);
        gravel_event_cancel(&event);
        if (data[round] != round + 1) {
            fprintf(stderr, "round %u: old data behind a new key\n", round);
            exit(1);
        }
        atomic_store_explicit(&n_done, round + 1, memory_order_relaxed);
    }
    pthread_join(thread, NULL);
}

int main(void)
{
    wait_for_signal();
    prepare_sees_signals();
    printf("event: %u signals seen, with what they announced\n", N_ROUNDS + 1);
    return 0;
}
