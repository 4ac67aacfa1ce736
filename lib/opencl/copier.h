/* SPDX-License-Identifier: MIT */
/*
 * Copies between host memory and a buffer, through the node's pinned memory.
 *
 * A wait for a copy may be given up, and the copy may end later nevertheless. So the device never
 * reads or writes the caller's memory, which the caller may free then, but only the copier's, which stays.
 * Copies go through it piece by piece, one caller at a time.
 *
 * Path:    memory.c -> copier.c -> the device.
 * Owner:   its memory; queue and device are the caller's and outlive it.
 * Threads: any.
 */
#ifndef GRAVEL_OPENCL_COPIER_H
#define GRAVEL_OPENCL_COPIER_H

#include "opencl/wait.h"

struct gravel_copier;

/** @return 0; GRAVEL_ENOMEM with the size asked. */
int gravel_copier_create(struct gravel_copier **out, const struct gravel_device *device,
                         cl_command_queue queue);
/** NULL is allowed. The queue must be finished, or the copy given up. */
void gravel_copier_destroy(struct gravel_copier *copier);

/** Copy bytes from or to a buffer, done on return. @return 0; GRAVEL_ECL; or given up: see wait.h. */
int gravel_copier_read(struct gravel_copier *copier, cl_mem buffer, uint64_t from, void *to,
                       uint64_t bytes);
int gravel_copier_write(struct gravel_copier *copier, cl_mem buffer, uint64_t to, const void *from,
                        uint64_t bytes);
/** Copy GRAVEL_TAKEN_BYTES at most from a buffer and set them to 0 there: two commands, and one wait. @return as
 * gravel_copier_read. */
#define GRAVEL_TAKEN_BYTES 4096u
int gravel_copier_take(struct gravel_copier *copier, cl_mem buffer, uint64_t from, void *to,
                       uint64_t bytes);

#endif
