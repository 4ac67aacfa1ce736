/* SPDX-License-Identifier: MIT */
/*
 * The limit of a process's addresses, for errors of calls that want many at once.
 *
 * Path:    segment.c, arena.c, objects.c -> addresses.h -> the system.
 * Threads: any.
 */
#ifndef GRAVEL_BASE_ADDRESSES_H
#define GRAVEL_BASE_ADDRESSES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>

#define GRAVEL_ADDRESSES_BYTES 96u /* of its text */

/** "the process may have N bytes of addresses (RLIMIT_AS, ulimit -v)". @return false, and "": there is no limit. */
static inline bool gravel_addresses_describe(char text[GRAVEL_ADDRESSES_BYTES])
{
    struct rlimit limit;
    text[0] = '\0';
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return false;
    snprintf(text, GRAVEL_ADDRESSES_BYTES,
             "the process may have %" PRIu64 " bytes of addresses (RLIMIT_AS, ulimit -v)",
             (uint64_t)limit.rlim_cur);
    return true;
}

#endif
