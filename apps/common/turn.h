/* SPDX-License-Identifier: MIT */
/*
 * Whose turn it is to speak when all processes of a job have the same to say: a bad option, a
 * broken file.
 *
 * Path: die.c, options.c, node.c -> this
 * Threads: main's.
 *
 * The first process speaks and ends, and its launcher ends the others. They wait for that; one that
 * has found something the first has not goes on to say it.
 */
#ifndef APPS_TURN_H
#define APPS_TURN_H

#include <stdbool.h>

/* Below GRAVEL_TIMEOUT, so that nobody takes a waiting process for stuck [s]. */
#define TURN_WAIT_S 5

/** Is this process the first of its job, or alone, as far as its launcher told it? */
bool turn_is_first(void);

/** Return at once in the first process, in others after TURN_WAIT_S. */
void turn_await(void);

#endif
