/* SPDX-License-Identifier: MIT */
/*
 * Memory that the system keeps for this process, and its limits.
 *
 * Path:    /proc -> resident.h -> tests of what is freed.
 */
#ifndef GRAVEL_TESTS_RESIDENT_H
#define GRAVEL_TESTS_RESIDENT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* Whether freed memory stays with the process, on purpose. */
#if defined(__SANITIZE_ADDRESS__) /* gcc; its own check for leaks does as well */
#define KEEPS_FREED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEEPS_FREED true
#endif
#endif
#ifndef KEEPS_FREED
#define KEEPS_FREED false
#endif

/** Memory of this process [bytes]: what it has addresses for, or what the system keeps. */
static inline long process_bytes(bool is_kept)
{
    long pages[2] = {0};
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &pages[0], &pages[1]), 2);
    fclose(file);
    return pages[is_kept] * sysconf(_SC_PAGESIZE);
}

/** Sets a limit of this process. @return what it was. */
static inline rlim_t set_limit(int resource, rlim_t most)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(resource, &limit), 0);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = most;
    assert_int_equal(setrlimit(resource, &limit), 0);
    return before;
}

#endif
