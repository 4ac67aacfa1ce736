/* SPDX-License-Identifier: MIT */
/*
 * What a program's process finds as it starts: which of a job it is, as its launcher says, before MPI or Gravel is there to
 * ask; and its standard output: what could not be written ends it with one line and status 1. For programs alone: the library
 * asks MPI, and reads the number of processes (lib/transport/launcher.c), by which it checks MPI's answer.
 *
 * Path:    options.c, die.c, the mains of tools, programs of tests/ -> this.
 * Threads: main's; launched_rank any, which reads the environment.
 */
#ifndef APPS_PROCESS_H
#define APPS_PROCESS_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** @return this process's number in its job; 0 without a launcher. */
static inline int launched_rank(void)
{
    /* Those of lib/transport/launcher.c, in their order. */
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                            "MV2_COMM_WORLD_RANK",  "PMIX_RANK",
                                            "PALS_RANKID",          "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]))
            return atoi(getenv(variables[i]));
    return 0;
}

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
