/* SPDX-License-Identifier: MIT */
/*
 * What benchmarks that open a node share. A call of the library, or of OpenCL, that fails ends the program with one line that
 * names program, call and reason.
 *
 * Path:    bench_*.c -> bench_gravel.c -> gravel/gravel.h
 * Threads: the main thread.
 */
#ifndef GRAVEL_BENCH_GRAVEL_H
#define GRAVEL_BENCH_GRAVEL_H

#include "gravel/gravel.h"

#include <stdbool.h>
#include <stddef.h>

void must(int code, const char *what);
void must_cl(cl_int error, const char *what);

/** End the program, as parts of the library report what failed. */
void bench_end(void *context, int code, bool is_fatal, const char *text);

/** Return memory of the symmetric heap. */
uint64_t bench_alloc(struct gravel *gravel, uint64_t bytes);

cl_program bench_build(struct gravel *gravel, const char *name, const char *source,
                       const char *options);

cl_kernel bench_plain_kernel(cl_program program, const char *name);

/** Return a kernel whose argument 0 is the arena. */
cl_kernel bench_kernel(struct gravel *gravel, cl_program program, const char *name);

/** Return the only kernel that is wanted of a source. */
cl_kernel bench_one_kernel(struct gravel *gravel, const char *source, const char *options,
                           const char *name);

/** Set an argument; arguments of 8 and of 4 bytes, each kind in a row. */
void bench_set(cl_kernel kernel, cl_uint i, size_t bytes, const void *value);
void bench_set_ulongs(cl_kernel kernel, cl_uint first, const cl_ulong *values, cl_uint n);
void bench_set_uints(cl_kernel kernel, cl_uint first, const cl_uint *values, cl_uint n);

cl_mem bench_buffer(cl_context context, cl_mem_flags flags, size_t bytes);

/** Return a queue. @param properties  0, or CL_QUEUE_PROFILING_ENABLE for bench_seconds_of. */
cl_command_queue bench_queue(cl_context context, cl_device_id device,
                             cl_command_queue_properties properties);

/** Wait for an event. Its reference goes. @return  seconds of the device. */
double bench_seconds_of(cl_event event);

/** Enqueue a kernel without slices: it sends nothing. @return  its event, which the caller releases. */
cl_event bench_enqueue(cl_command_queue queue, cl_kernel kernel, size_t global_size, size_t group);

/** Copy from a buffer, and wait. */
void bench_read(cl_command_queue queue, cl_mem from, size_t bytes, void *to);

/** Map part of a node, and end the map. */
void *bench_map(struct gravel *gravel, uint64_t offset, uint64_t bytes, cl_map_flags flags,
                uint32_t node);
void bench_unmap(struct gravel *gravel, const void *memory);

/** Set the same bytes of every node of this process. */
void bench_set_bytes(struct gravel *gravel, uint64_t offset, int byte, uint64_t bytes);

/** Return the sum of words, 4 bytes each, of every node of this process. */
uint64_t bench_sum_words(struct gravel *gravel, uint64_t offset, uint64_t n);

uint32_t bench_next_node(struct gravel *gravel);

/** Return how many processes run this program: nodes, or 1 in a process of loop-back nodes, of which node 0 alone sends. */
uint32_t bench_n_senders(struct gravel *gravel);

/** Return the sum over all processes. */
uint64_t bench_add_up(struct gravel *gravel, uint64_t value);

/** Launch a kernel, and barrier. */
void bench_launch(struct gravel *gravel, cl_kernel kernel, size_t global_size, size_t group);

/** Barrier, then bench_launch. @return  seconds of the latter. */
double bench_time(struct gravel *gravel, cl_kernel kernel, size_t global_size, size_t group);

/** Return whether kernels may wait on this step. */
bool bench_may_wait(struct gravel *gravel);

#endif
