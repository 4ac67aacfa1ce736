/* SPDX-License-Identifier: MIT */
/*
 * Rules that hold for every public call: a test notes the calls that it makes, and fails for those of lib/gravel.map that
 * it does not make. Without cmocka's assertions, so that forked children can use it.
 *
 * Path:    lib/gravel.map -> every_call.h -> test_null.c, test_fork.c.
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_EVERY_CALL_H
#define GRAVEL_TESTS_EVERY_CALL_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gravel/accumulator.h>
#include <gravel/block_pool.h>
#include <gravel/flow.h>
#include <gravel/gravel.h>
#include <gravel/mirror.h>
#include <gravel/server.h>
#include <gravel/steal.h>

#define MOST_CALLS 256

static const char *every_call[MOST_CALLS];
static unsigned n_every_call, n_every_fault;

static inline void every_note(const char *call)
{
    if (n_every_call < MOST_CALLS)
        every_call[n_every_call++] = call;
}

static inline void every_fault(const char *call, const char *what)
{
    fprintf(stderr, "%s: %s; the last error: %s\n", call, what, gravel_last_error());
    n_every_fault++;
}

/* The call is GRAVEL_EINVAL, with a text that names it and has `part`. */
static inline void every_refused(const char *call, int code, const char *part)
{
    every_note(call);
    if (code != GRAVEL_EINVAL)
        every_fault(call, "does not return GRAVEL_EINVAL");
    else if (strncmp(gravel_last_error(), call, strlen(call)) || !strstr(gravel_last_error(), part))
        every_fault(call, "does not say so");
}

static inline bool every_has(const char *call)
{
    for (unsigned i = 0; i < n_every_call; i++)
        if (!strcmp(every_call[i], call))
            return true;
    return false;
}

/** The path of lib/gravel.map is the environment's TEST_CALLS. @return faults so far, and calls that were not made. */
static inline unsigned every_end(void)
{
    char line[256];
    const char *path = getenv("TEST_CALLS");
    FILE *map = path ? fopen(path, "r") : NULL;
    if (!map)
        every_fault(path ? path : "TEST_CALLS", "cannot be read");
    while (map && fgets(line, sizeof line, map)) {
        char *name = line + strspn(line, " ");
        name[strcspn(name, ";\n")] = '\0';
        if (!strncmp(name, "gravel_", 7) && !every_has(name))
            every_fault(name, "is a public call that this test does not make");
    }
    if (map)
        fclose(map);
    return n_every_fault;
}

#endif
