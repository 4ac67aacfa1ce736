/* SPDX-License-Identifier: MIT */
/*
 * Standard output of programs: what could not be written ends them with one line and status 1.
 *
 * Path:    options.c, bench_options.c, the mains of tools -> this.
 * Threads: main's.
 */
#ifndef APPS_PRINTED_H
#define APPS_PRINTED_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reports what is missing. Where an earlier write failed, a line end is written for its cause: the output is broken. */
static inline void printed_check(void)
{
    if (ferror(stdout))
        fputc('\n', stdout);
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    fprintf(stderr, "%s: standard output: %s\n", program_invocation_short_name,
            errno ? strerror(errno) : "a part could not be written");
    _exit(EXIT_FAILURE);
}

/**
 * Check standard output when the program exits: the first call of a main. Where descriptors 0 to 2 are closed at start,
 * no file that is opened gets their numbers: what is printed would reach it.
 */
static inline void printed_guard(void)
{
    for (int place = STDIN_FILENO; place <= STDERR_FILENO; place++)
        if (fcntl(place, F_GETFD) < 0)
            open("/dev/null", (place == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
    atexit(printed_check);
}

#endif
