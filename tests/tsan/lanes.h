/* SPDX-License-Identifier: MIT */
/*
 * Runs a kernel that was compiled as C11: every work-item is a thread, every work-group has a
 * barrier.
 *
 * Path:    device_queue.c -> lanes.c -> the kernel -> cl/ (through host_c11.h).
 * Owner:   threads, barriers and local memory live for one launch.
 * Threads: one launch at a time.
 */
#ifndef GRAVEL_TSAN_LANES_H
#define GRAVEL_TSAN_LANES_H

#include <stddef.h>

#define LANES_FLOW_BYTES 1024 /* of local memory for a flow's kernel */

struct gravelp_arena;

typedef void lanes_kernel(struct gravelp_arena *gravel_arena_, const void *arguments);

/**
 * Run a kernel with n_groups work-groups of local_size work-items, and wait until it has ended. All
 * work-items run at the same time. Exits when the system has no more threads.
 */
void lanes_launch(lanes_kernel *body, struct gravelp_arena *arena, const void *arguments,
                  size_t n_groups, size_t local_size);

/** Waits until all work-items of the launch are here, for a minute at most; a work-item. It orders nothing. */
void lanes_start_together(void);

#endif
