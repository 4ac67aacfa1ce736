/* SPDX-License-Identifier: MIT */
/*
 * Work in parts that threads do side by side: a thread a part, the last part by the caller.
 *
 * Path: build.c, rows.c -> this
 * Owner: the caller's; threads have ended on return.
 * Threads: main's.
 */
#ifndef APPS_GRAPH_SIDE_BY_SIDE_H
#define APPS_GRAPH_SIDE_BY_SIDE_H

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#define SIDE_BY_SIDE_MOST 16u

struct side_by_side_part {
    void (*work)(void *context, uint32_t part);
    void *context;
    uint32_t number;
    bool has_thread;
    pthread_t thread;
};

/** Return how many threads suit the process: the cores that it may use, but no more than SIDE_BY_SIDE_MOST. */
static inline uint32_t side_by_side_threads(void)
{
    cpu_set_t set;
    uint32_t n = sched_getaffinity(0, sizeof set, &set) ? 1 : (uint32_t)CPU_COUNT(&set);
    return n < SIDE_BY_SIDE_MOST ? n : SIDE_BY_SIDE_MOST;
}

/** Return where a part begins, of n things in equal parts; where it ends, part + 1 begins. */
static inline uint64_t side_by_side_begin(uint32_t part, uint32_t n_parts, uint64_t n)
{
    return n / n_parts * part + n % n_parts * part / n_parts;
}

static inline void *side_by_side_do(void *argument)
{
    const struct side_by_side_part *part = argument;
    part->work(part->context, part->number);
    return NULL;
}

/** Have each of n parts done, each by a thread; by the caller's where no thread is available.
 * @param n_parts  SIDE_BY_SIDE_MOST at most. */
static inline void side_by_side(uint32_t n_parts, void (*work)(void *context, uint32_t part),
                                void *context)
{
    struct side_by_side_part parts[SIDE_BY_SIDE_MOST];
    assert(n_parts <= SIDE_BY_SIDE_MOST);
    for (uint32_t i = 0; i < n_parts; i++) {
        struct side_by_side_part *part = &parts[i];
        *part = (struct side_by_side_part){.work = work, .context = context, .number = i};
        part->has_thread =
            i + 1 < n_parts && !pthread_create(&part->thread, NULL, side_by_side_do, part);
        if (!part->has_thread)
            work(context, i);
    }
    for (uint32_t i = 0; i < n_parts; i++)
        if (parts[i].has_thread)
            pthread_join(parts[i].thread, NULL);
}

#endif
