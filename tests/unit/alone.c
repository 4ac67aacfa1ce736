/* SPDX-License-Identifier: MIT */
/*
 * What tests that register themselves need of a program that has no library: a limit of their time.
 *
 * Path: ../support/cases.c -> this
 */
#include "scope.h"

#include <stdlib.h>
#include <unistd.h>

void watch(unsigned seconds, const char *what)
{
    const char *times = getenv("TEST_PATIENCE");
    (void)what; /* the test's name is the last that cmocka has printed */
    alarm(seconds * (times ? (unsigned)atoi(times) : 1));
}

void end_scope(bool has_passed)
{
    (void)has_passed;
}
