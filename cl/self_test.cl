/* SPDX-License-Identifier: MIT */
/*
 * Proves what a step needs of a device: host and kernel hand over while the kernel runs, in order, and device
 * atomics are exact; and that other commands run beside a kernel that waits. Measures how long a poll takes.
 *
 * Path:    lib/device/self_test.c and self_test_copies.c build and launch these.
 */
#include "gravel.cl.h"

/*
 * Global and local size 1. words [4 lines of 16]: 0 host's turn, 1 kernel's turn, 2 host's payload [16],
 * 3 kernel's payload [16]. Each round: wait for turn r, check that the payload is r + i, answer r * 3 + i.
 * result[0] is the number of rounds done, result[1] of wrong payload words.
 */
kernel void hand_over(global uint *words, global uint *result, uint n_rounds, uint max_polls)
{
    uint wrong = 0;
    for (uint r = 1; r <= n_rounds; r++) {
        uint polls = 0;
        while (gravel_load_acquire(words) != r && ++polls < max_polls) /* T1, pairs with T2 */
            gravel_pause(polls, false);
        if (polls >= max_polls)
            break;
        for (uint i = 0; i < 16; i++)
            wrong += words[32 + i] != r + i;
        for (uint i = 0; i < 16; i++)
            words[48 + i] = r * 3 + i;
        gravel_store_release(words + 16, r); /* T3, pairs with T4 */
        result[0] = r;
    }
    result[1] = wrong;
}

/* Any size: every work-item adds 1 to counter[0] n times. */
kernel void count_up(global uint *counter, uint n)
{
    for (uint i = 0; i < n; i++)
        gravel_device_fetch_add_relaxed(counter, 1);
}

/* Any size: every group stays until the host sets word[0], or for max_polls. ended[0] counts those that gave up. */
kernel void hold(global uint *word, global uint *ended, uint max_polls)
{
    uint polls = 0;
    if (get_local_id(0) == 0) {
        while (gravel_load_acquire(word) == 0 && ++polls < max_polls) /* T1, pairs with T2 */
            gravel_pause(polls, false);
        if (polls >= max_polls)
            gravel_device_fetch_add_relaxed(ended, 1);
    }
}

/* Local size 1: look n times, as a leader does that waits for room and finds none. words [3 lines], all 0. */
kernel void look(global uint *words, uint n)
{
    for (uint polls = 0;
         polls < n && gravel_load_acquire(words) == 0 && gravel_load_relaxed(words + 16) == 0 &&
         gravel_load_relaxed(words + 32) == 0;
         polls++)
        gravel_pause(polls, false);
}
