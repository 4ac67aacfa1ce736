/* SPDX-License-Identifier: MIT */
/*
 * Proves what a step needs of a device: host and kernel hand over while the kernel runs, in order, and device
 * atomics are exact; and that other commands run beside a kernel that waits. Measures how long a look takes.
 *
 * Path:    lib/self_test/self_test.c and self_test/copies.c build and launch these.
 */
#include "gravel.cl.h"

/* A wait of this file: it ends after looks that take max_ms at least, for hosts whose words cannot be seen. */
GRAVELP_INLINE bool goes_on(struct gravelp_patience *patience, uint look_ns, uint max_ms)
{
    patience->least_ns += look_ns + gravelp_pause(patience->looks++, false);
    return patience->least_ns < (ulong)max_ms * 1000000u;
}

/*
 * Global and local size 1. words [4 lines of 16]: 0 host's turn, 1 kernel's turn, 2 host's payload [16],
 * 3 kernel's payload [16]. Each round: wait for turn r, check that the payload is r + i, answer r * 3 + i.
 * result[0] is the number of rounds done, result[1] of wrong payload words. Ends early at a turn of all ones, by which
 * the host gives up.
 */
kernel void hand_over(global uint *words, global uint *result, uint n_rounds, uint max_ms,
                      uint look_ns)
{
    uint wrong = 0;
    for (uint r = 1; r <= n_rounds; r++) {
        struct gravelp_patience patience = {0, 0, 0, 0, 0};
        uint turn = 0;
        while ((turn = gravelp_load_acquire(words)) != r &&
               turn != 0xffffffffu) /* T1, pairs with T2 */
            if (!goes_on(&patience, look_ns, max_ms))
                break;
        if (turn != r)
            break;
        for (uint i = 0; i < 16; i++)
            wrong += words[32 + i] != r + i;
        for (uint i = 0; i < 16; i++)
            words[48 + i] = r * 3 + i;
        gravelp_store_release(words + 16, r); /* T3, pairs with T4 */
        result[0] = r;
    }
    result[1] = wrong;
}

/* Any size: every work-item adds 1 to counter[0] n times. */
kernel void count_up(global uint *counter, uint n)
{
    for (uint i = 0; i < n; i++)
        gravelp_device_fetch_add_relaxed(counter, 1);
}

/* Any size: every group stays until the host sets word[0], or for max_ms. ended[0] counts those that gave up. */
kernel void hold(global uint *word, global uint *ended, uint max_ms, uint look_ns)
{
    struct gravelp_patience patience = {0, 0, 0, 0, 0};
    if (get_local_id(0) == 0)
        while (gravelp_load_acquire(word) == 0) /* T1, pairs with T2 */
            if (!goes_on(&patience, look_ns, max_ms)) {
                gravelp_device_fetch_add_relaxed(ended, 1);
                break;
            }
}

/* Local size 1: look n times, as a leader does that waits for room and finds none. words [3 lines], all 0. */
kernel void look(global uint *words, uint n)
{
    uint looks = 0;
    while (looks < n && gravelp_load_acquire(words) == 0 && gravelp_load_relaxed(words + 16) == 0 &&
           gravelp_load_relaxed(words + 32) == 0)
        looks++;
}
