/* SPDX-License-Identifier: MIT */
/*
 * What a node that lives expects when another one of its job dies.
 *
 * Path:    survivor.h -> deaths.c, surrenders.c, stops.c
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_SURVIVOR_H
#define GRAVEL_TESTS_SURVIVOR_H

#include "job.h"

#define TIMEOUT_MS 750u /* GRAVEL_TIMEOUT of a job that waits it out, times patience */

/** Run rounds until one fails; the error must name `part`. Ends the process as expected. */
_Noreturn void expect_death(struct gravel *gravel, cl_kernel kernel, const char *part);

#endif
