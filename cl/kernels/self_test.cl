/* SPDX-License-Identifier: MIT */
/*
 * Proves what a step needs of a device: host and kernel hand over while the kernel runs, in order, and device
 * atomics are exact; that other commands run while a kernel waits; and that groups that have started continue.
 * Measures how long a poll takes.
 *
 * Path:    lib/self_test builds and launches these. Each takes the words of layout/self_test.h.
 */
#include "gravel.cl.h"

#include "layout/self_test.h"

/* Waits until a word is not `value`. Returns false once the host has said go for another one, or after polls that take
 * max_ms at least, for hosts whose words cannot be seen. */
GRAVELP_INLINE bool wait_while(global uint *words, global uint *word, uint value, uint max_ms,
                               uint poll_ns)
{
    ulong waited_ns = 0;
    uint polls = 0;
    while (gravelp_load_acquire(word) == value) { /* T1, pairs with T2; K6, K7 */
        waited_ns += poll_ns + gravelp_pause(polls++, false);
        if (waited_ns >= (ulong)max_ms * 1000000u || gravelp_load_relaxed(words + GRAVELP_TEST_GO))
            return gravelp_load_acquire(word) != value; /* as above */
    }
    return true;
}

/*
 * Global and local size 1. Each round: wait for turn r, check that the payload is r + i, answer r * 3 + i. Ends early
 * at a turn of all ones, by which the host gives up.
 */
kernel void hand_over(global uint *words, uint n_rounds, uint max_ms, uint poll_ns)
{
    global uint *turn = words + GRAVELP_TEST_TURN;
    uint wrong = 0;
    for (uint r = 1; r <= n_rounds; r++) {
        if (!wait_while(words, turn, r - 1, max_ms, poll_ns) || gravelp_load_relaxed(turn) != r)
            break; /* relaxed: the host gives up */
        for (uint i = 0; i < GRAVELP_TEST_LINE; i++)
            wrong += words[GRAVELP_TEST_SENT + i] != r + i;
        for (uint i = 0; i < GRAVELP_TEST_LINE; i++)
            words[GRAVELP_TEST_BACK + i] = r * 3 + i;
        gravelp_store_release(words + GRAVELP_TEST_ANSWER, r); /* T3, pairs with T4 */
    }
    words[GRAVELP_TEST_WRONG] = wrong;
}

/* Any size: every work-item counts n times. */
kernel void count_up(global uint *words, uint n)
{
    for (uint i = 0; i < n; i++)
        gravelp_device_fetch_add_relaxed(words + GRAVELP_TEST_COUNT, 1);
}

/* Any size: every group stays until the host says go, or for max_ms. */
kernel void hold(global uint *words, uint max_ms, uint poll_ns)
{
    if (get_local_id(0) == 0 &&
        !wait_while(words, words + GRAVELP_TEST_GO, 0, max_ms, poll_ns)) /* T1, pairs with T2 */
        gravelp_device_fetch_add_relaxed(words + GRAVELP_TEST_ENDED, 1);
}

#define ENROL_POLLS (1u << 13) /* a busy machine may start the second group late */

/*
 * Any size: groups that have started when the list of members is closed meet n_rounds times, and the last one out of
 * each counts, without atomics. A member that waits for too long leaves, and is counted too.
 */
kernel void meet(global uint *words, uint n_groups, uint n_rounds, uint max_ms, uint poll_ns)
{
    global struct gravelp_members *members =
        (global struct gravelp_members *)(words + GRAVELP_TEST_MEMBERS);
    if (get_local_id(0) == 0 &&
        gravelp_members_enrol(members, n_groups, ENROL_POLLS) < GRAVELP_MEMBERS_CLOSED) {
        bool goes_on = wait_while(words, &members->n, 0, max_ms, poll_ns); /* K7 */
        uint n = gravelp_device_load_relaxed(&members->n);
        for (uint round = 0; goes_on && round < n_rounds; round++) {
            if (gravelp_members_leave(members, n)) {
                words[GRAVELP_TEST_COUNT]++;
                gravelp_members_advance(members, round + 1); /* K6 */
            }
            goes_on = wait_while(words, &members->phase, round, max_ms, poll_ns); /* K6 */
        }
        if (!goes_on)
            gravelp_device_fetch_add_relaxed(words + GRAVELP_TEST_ENDED, 1);
    }
}

/* Local size 1: poll n times, as a leader does that waits for room and finds none. All words are 0. */
kernel void poll(global uint *words, uint n)
{
    uint polls = 0;
    while (polls < n && gravelp_load_acquire(words) == 0 && gravelp_load_relaxed(words + 16) == 0 &&
           gravelp_load_relaxed(words + 32) == 0)
        polls++;
}
