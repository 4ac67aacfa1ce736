/* SPDX-License-Identifier: MIT */
/*
 * Memory that the system keeps for this process.
 *
 * Path:    /proc -> resident.h -> tests of what is freed.
 */
#ifndef GRAVEL_TESTS_RESIDENT_H
#define GRAVEL_TESTS_RESIDENT_H

#include <stdbool.h>
#include <stdio.h>
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

/** [bytes] */
static inline long resident_bytes(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &pages, &resident), 2);
    fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

#endif
