/* SPDX-License-Identifier: MIT */
/*
 * A progress bar on a terminal.
 *
 * Path: an application -> this -> stderr
 * Owner: the caller's struct; `label` is kept, not copied.
 * Threads: one at a time.
 *
 * It is silent when quiet, when the stream is no terminal or a dumb one, and when NO_COLOR is set
 * and not empty.
 */
#ifndef APPS_PROGRESS_H
#define APPS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    FILE *stream;
    const char *label;
    uint64_t total;
    double drawn_at_s; /* when the bar was last drawn */
    bool is_shown;
};

/** Begin; total is the count that stands for all done. */
void progress_begin(struct progress *progress, FILE *stream, const char *label, uint64_t total,
                    bool quiet);

/** Draw the bar at `done` of total, at most ten times a second. */
void progress_at(struct progress *progress, uint64_t done);

/** Take the bar off the screen. */
void progress_end(struct progress *progress);

#endif
