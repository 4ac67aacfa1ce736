/* SPDX-License-Identifier: MIT */
/*
 * Work in parts that threads do side by side.
 *
 * Path: graph/build.c, graph/rows.c -> this
 * Owner: the caller's; threads have ended on return.
 * Threads: main's.
 */
#ifndef APPS_SIDE_BY_SIDE_H
#define APPS_SIDE_BY_SIDE_H

#include <stdint.h>

#define SIDE_BY_SIDE_MOST 16u

/** Threads that suit the process: the cores that it may use, but no more than SIDE_BY_SIDE_MOST. */
uint32_t side_by_side_threads(void);

/** Where a part begins, of n things in equal parts; where it ends, part + 1 begins. */
static inline uint64_t side_by_side_begin(uint32_t part, uint32_t n_parts, uint64_t n)
{
    return n / n_parts * part + n % n_parts * part / n_parts;
}

/** Have each of n parts done, each by a thread; by the caller's where no thread is available.
 * @param n_parts  SIDE_BY_SIDE_MOST at most. */
void side_by_side(uint32_t n_parts, void (*work)(void *context, uint32_t part), void *context);

#endif
