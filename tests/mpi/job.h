/* SPDX-License-Identifier: MIT */
/*
 * A process of a job that mpirun starts: which rank it is, what it expects, and the table of the modes it can run.
 *
 * Path:    job.h -> die.h, misopened.c, misfits.c, jobs.c
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_JOB_H
#define GRAVEL_TESTS_JOB_H

#include "bodies.h"

#include <stddef.h>

/** Of this process, by the launcher, before anything opens. */
extern int rank;

/** What a process does. A program has a table of them. */
struct mode {
    const char *name;
    void (*run)(void);
};

#define MODE(name)  \
    {               \
#name, name \
    }

/** Run the mode that the program's argument names, under a watch of 50 s. */
void run_mode(const struct mode *modes, size_t n_modes, int n_arguments, char **arguments);

/** Sets a variable that limits a time to `ms`, times patience: others may be late on a busy machine. */
void set_limit(const char *setting, unsigned ms);

/** Judges the error that the limit of set_limit brings: it comes within that limit and 4 s, sooner than by default. */
bool is_in_time(double begin);

/** Print the line that fault.sh counts, with gravel_last_error(). */
void as_expected(void);

/** End the process unless a call returned `expected`, with `part` in gravel_last_error() if that is an error. */
void expect(int code, int expected, const char *part);

/** A handler that does nothing. */
int nothing(struct gravel *gravel, void *user, uint32_t source,
            const uint64_t args[GRAVEL_AM_MAX_ARGS]);

/** Open with the default configuration, and close. @return what gravel_open returned. */
int try_open(const struct gravel_bindings *bindings);

/** Open with the default configuration, and build the kernel that send_some runs. */
struct gravel *open_busy(cl_kernel *kernel);

/** Launch 65536 work-items that each send 16 messages. @return what gravel_launch returned. */
int send_some(struct gravel *gravel, cl_kernel kernel);

#endif
