/* SPDX-License-Identifier: MIT */
/*
 * Runs a task that calls OpenCL in a process of its own: a driver may crash or hang there.
 *
 * Path:    list.c, probe.c -> child.c -> a driver, or what is left of it.
 * Threads: main's. The parent must not call OpenCL itself: drivers do not survive fork.
 */
#ifndef TOOLS_INFO_CHILD_H
#define TOOLS_INFO_CHILD_H

#include <jansson.h>
#include <stdio.h>

/** A task of a child. @return a new JSON object; {"error": text} if it failed; NULL without memory. */
typedef json_t *info_task(const void *argument);

/**
 * Runs a task in a child.
 *
 * @param limit_s  the child is killed after this [seconds].
 * @return         what the task returned; {"error": text, "broken": true} if the child crashed or hung;
 *                 {"error": text} if it could not start; NULL without memory.
 */
json_t *info_child_run(info_task *task, const void *argument, unsigned limit_s);

/** A temporary file, which nothing that a driver starts inherits. @return NULL, and errno, if there is none. */
FILE *info_child_file(void);

/** Ends the running child, and every later one, as one that was interrupted. For signal handlers. */
void info_child_stop(void);

/** In a task: says what is done next, for the message if it crashes or hangs, e.g. "opening a node". */
void info_child_stage(const char *stage);

#endif
