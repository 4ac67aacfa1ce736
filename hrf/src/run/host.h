/* SPDX-License-Identifier: MIT */
/*
 * Threads of a litmus program that the host plays during a launch: in each step the instance that the device's groups
 * play too.
 *
 * Path:    devices.c -> host.c -> host_role.c.
 * Threads: the caller's, and one for each thread of the program on the host, from host_start to host_end.
 */
#ifndef HRF_RUN_HOST_H
#define HRF_RUN_HOST_H

#include "run/kernel.h"

/* What host and device share: as kernel.c lays it out. */
struct host_memory {
    uint32_t *words, *results, *meeting;
    uint32_t n, rounds; /* n: of the instances, a power of two */
};

struct host;

/** Starts the threads: memory is cleared, and the launch not yet made. Returns NULL: no memory, or no thread. */
struct host *host_start(const struct hrf_program *program, const struct shape *shape,
                        const struct host_memory *memory, uint32_t seed);

/** Ends the threads, as the launch has ended or was not made: instances that are left count as given up. */
void host_end(struct host *host);

#endif
