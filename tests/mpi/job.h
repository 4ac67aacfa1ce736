/* SPDX-License-Identifier: MIT */
/*
 * A process of a job that mpirun starts: which rank it is, and what it expects; and the nodes of a program of which every node
 * runs every test.
 *
 * Path:    job.h -> die.h, jobs.c, test_mpi.c, test_objects.c
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_JOB_H
#define GRAVEL_TESTS_JOB_H

#include "bodies.h"

#include <stddef.h>

/** Of this process, by the launcher, before anything opens. */
extern int rank;

/** The nodes of a program of which every node runs every test: ranks, or loop-back nodes, of which the first one speaks. */
extern struct gravel *gravel;
extern uint32_t node, n_nodes, n_speakers;

/** Opens them, as the environment says. */
void open_nodes(const struct gravel_bindings *bindings);

/** Closes them. */
void close_nodes(void);

/** Waits behind a test until all nodes have run it. */
void wait_for_all(void);

/** Sets a variable that limits a time to `ms`, times patience: others may be late on a busy machine. */
void set_limit(const char *setting, unsigned ms);

/** Judges the error that the limit of set_limit brings: it comes within that limit and 4 s, sooner than by default. */
bool is_in_time(double begin);

/** Prints the line that fault.sh counts, with gravel_last_error(). */
void as_expected(void);

/** Ends the process unless a call returned `expected`, with `part` in gravel_last_error() if that is an error. */
void expect(int code, int expected, const char *part);

/** A handler that does nothing. */
int nothing(struct gravel *here, void *user, uint32_t source,
            const uint64_t args[GRAVEL_AM_MAX_ARGS]);

/** Opens with the default configuration, and closes. @return what gravel_open returned. */
int try_open(const struct gravel_bindings *bindings);

/** Opens with the default configuration, and builds the kernel that send_some runs. */
struct gravel *open_busy(cl_kernel *kernel);

/** Launches 65536 work-items that each send 16 messages. @return what gravel_launch returned. */
int send_some(struct gravel *from, cl_kernel kernel);

#endif
