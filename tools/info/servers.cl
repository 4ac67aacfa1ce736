/* SPDX-License-Identifier: MIT */
/*
 * One critical section in each way to have it: a key's count and sum of items change together.
 *
 * Path: servers.c builds and launches this, and knows the same rules. lock.cl.h is put before it.
 */
#include "gravel.cl.h"

/* words: uint [keys][2]. */
uint key_of(uint item, uint log_keys)
{
    return item * 2654435761u >> (32 - log_keys);
}

/* constant 0: words. n_args 2, n_keys 1 */
void note(struct gravel_call call, ulong key, ulong item)
{
    global uint *words = (global uint *)gravel_call_local(call, call.constants[0]) + 2 * key;
    words[0]++;
    words[1] += (uint)item;
}

kernel void count_served(GRAVEL_ARENA, uint log_keys)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    gravel_am2_wg_if(g, active, GRAVEL_HANDLER(note), key_of((uint)item, log_keys), item,
                     gravel_node(g));
}

/* n_items in steps of all work-items. locks: uint [keys], 0. */
kernel void count_locked(GRAVEL_ARENA, uint log_keys, uint n_items, uint n_work_items,
                         ulong words_at, ulong locks_at)
{
    GRAVEL_OPEN(g);
    volatile global uint *words = gravel_local(g, words_at);
    global uint *locks = gravel_local(g, locks_at);
    for (uint item = (uint)get_global_id(0); item < n_items; item += n_work_items) {
        const uint key = key_of(item, log_keys);
        WITH_LOCK(&locks[key])
        {
            words[2 * key] = words[2 * key] + 1;
            words[2 * key + 1] = words[2 * key + 1] + item;
        }
    }
}

/* Both words alone: nothing sees the one with the other. */
kernel void count_atomic(GRAVEL_ARENA, uint log_keys, uint n_items, uint n_work_items,
                         ulong words_at, ulong locks_at)
{
    GRAVEL_OPEN(g);
    volatile global uint *words = gravel_local(g, words_at);
    (void)locks_at;
    for (uint item = (uint)get_global_id(0); item < n_items; item += n_work_items) {
        const uint key = key_of(item, log_keys);
        atomic_inc(&words[2 * key]);
        atomic_add(&words[2 * key + 1], item);
    }
}
