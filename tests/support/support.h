/* SPDX-License-Identifier: MIT */
/*
 * What the suites that run the whole library share: open a node, build and run a kernel, or end with a text.
 *
 * Path:    support.h -> the tests in device/ and mpi/, and the suites of tools/conformance/.
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_SUPPORT_H
#define GRAVEL_TESTS_SUPPORT_H

#include "mix.h"
#include "must.h"

#include "../../apps/frame/process.h"

#include <gravel/gravel.h>

#define SKIPPED 77 /* exit status of a test that cannot run here */

/** End the process as one that cannot run here, with the reason. */
_Noreturn void skip_all(const char *reason);

/** skip_all if gravel_open has answered that the device has not what GRAVEL_STEP asks for. */
void skip_if_refused(int code);

/** Returns what waits that guard against hanging are multiplied by: TEST_PATIENCE, for busy machines; 1 if it is not set. */
unsigned patience(void);

/** Returns whether a wait that began at `begin` may go on: `guard_s`, times patience, has not passed. It judges nothing. */
bool may_wait(double begin, double guard_s);

/** Judges a promise: whether less than `limit_s` has passed since `begin`, whatever the patience; says how much if not. */
bool is_within(double begin, double limit_s);

/** Calls `attempt`, which returns how long it took [s], until one takes less than `limit_s`. A busy machine makes some late,
 * a fault each. @return whether one of ten did. */
bool is_once_within(double limit_s, double (*attempt)(void));

/** End the process with `what` unless it ends, or is called again, within that time and patience; 0 stops the watch. */
void watch(unsigned seconds, const char *what);

/** Opens and closes a node, or ends the process as skip_if_refused does. */
void skip_untaken_step(void);

/** Monotonic time [s]. */
double seconds_now(void);

/** Defaults and environment, with a heap of 4 MiB and `n_nodes` loop-back nodes of transport self. */
struct gravel_config loopback_config(uint32_t n_nodes);

/** Returns that with settings "name=value name=value", as gravel_config_set takes them. */
struct gravel_config loopback_with(uint32_t n_nodes, const char *settings);

/** Open a node that stands for n_nodes. bindings may be NULL. */
struct gravel *open_loopback(uint32_t n_nodes, const struct gravel_bindings *bindings);

/** Open with the default configuration: what the launcher and the environment say. */
struct gravel *open_default(const struct gravel_bindings *bindings);

/** Symmetric memory, zero-filled; its heap offset. */
uint64_t alloc_or_die(struct gravel *gravel, uint64_t bytes);

/** Build a program and get one of its kernels, arena set. Release both. */
cl_program build_or_die(struct gravel *gravel, const char *source, const char *options);
cl_kernel kernel_or_die(struct gravel *gravel, cl_program program, const char *name);

/** Launch a one-dimensional kernel and wait for its messages. @return what gravel_barrier returned. */
int run_kernel(struct gravel *gravel, cl_kernel kernel, size_t global_size, size_t local_size);

/** Memory of a local node's heap, on every step of the ladder; to be unmapped. */
void *map_or_die(struct gravel *gravel, uint32_t node, uint64_t offset, uint64_t bytes,
                 cl_map_flags flags);
const void *read_map(struct gravel *gravel, uint32_t node, uint64_t offset, uint64_t bytes);
void unmap(struct gravel *gravel, const void *memory);

/** One word of a local node's heap, as it is now. */
uint32_t word32(struct gravel *gravel, uint32_t node, uint64_t offset);
uint64_t word64(struct gravel *gravel, uint32_t node, uint64_t offset);

/** Set every byte of a part of a local node's heap. */
void fill(struct gravel *gravel, uint32_t node, uint64_t offset, int byte, uint64_t bytes);

/** Returns whether the node is on this step of the ladder: "svm", "usm", "pump" or "drain". */
bool takes_step(const struct gravel *gravel, const char *step);

/** Returns those of the node's device [count]. */
cl_uint n_compute_units(struct gravel *gravel);

/** Returns whether the node's device is no CPU. */
bool is_on_gpu(struct gravel *gravel);

/** Returns whether launches are cut into slices, and the host reaches the heap by copies only: steps pump and drain. */
bool is_sliced(const struct gravel *gravel);

#endif
