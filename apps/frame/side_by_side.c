/* SPDX-License-Identifier: MIT */
/*
 * A thread a part, the last part by the caller. See side_by_side.h.
 */
#include "frame/side_by_side.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

struct part {
    void (*work)(void *context, uint32_t part);
    void *context;
    uint32_t number;
    pthread_t thread;
    bool has_thread;
};

uint32_t side_by_side_threads(void)
{
    cpu_set_t set;
    uint32_t n = sched_getaffinity(0, sizeof set, &set) ? 1 : (uint32_t)CPU_COUNT(&set);
    return n < SIDE_BY_SIDE_MOST ? n : SIDE_BY_SIDE_MOST;
}

static void *do_part(void *argument)
{
    const struct part *part = argument;
    part->work(part->context, part->number);
    return NULL;
}

void side_by_side(uint32_t n_parts, void (*work)(void *context, uint32_t part), void *context)
{
    struct part parts[SIDE_BY_SIDE_MOST];
    assert(n_parts <= SIDE_BY_SIDE_MOST);
    for (uint32_t i = 0; i < n_parts; i++) {
        parts[i] = (struct part){.work = work, .context = context, .number = i};
        parts[i].has_thread =
            i + 1 < n_parts && !pthread_create(&parts[i].thread, NULL, do_part, &parts[i]);
        if (!parts[i].has_thread)
            do_part(&parts[i]);
    }
    for (uint32_t i = 0; i < n_parts; i++)
        if (parts[i].has_thread)
            pthread_join(parts[i].thread, NULL);
}
