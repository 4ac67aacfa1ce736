/* SPDX-License-Identifier: MIT */
/*
 * What a program in Python does through the package, done in C: the rivals in bench_python.py, which loads them.
 *
 * Each does its work n times, and writes how long each took, us [n] in microseconds. @return 0; the first code of
 * Gravel or OpenCL that is not 0.
 *
 * Path:    bench_python.py -> this -> gravel.h, on a node and a kernel of Python's.
 * Threads: the main thread.
 */
#ifndef GRAVEL_BENCH_PYTHON_H
#define GRAVEL_BENCH_PYTHON_H

#include <gravel/gravel.h>

/** Set arguments 1 and 2, launch one work-item, barrier. */
int bench_launch(struct gravel *gravel, cl_kernel kernel, uint64_t words, uint32_t n_steps,
                 uint32_t n, double *us);
/** Map a part of this node for reading, and end the map. */
int bench_map(struct gravel *gravel, uint64_t offset, uint64_t bytes, uint32_t n, double *us);
/** Read the counters. */
int bench_stats(struct gravel *gravel, uint32_t n, double *us);
/** Put, and quiet. */
int bench_put(struct gravel *gravel, uint64_t offset, const void *data, uint64_t bytes,
              uint32_t node, uint32_t n, double *us);
/** Get. */
int bench_get(struct gravel *gravel, uint64_t offset, void *data, uint64_t bytes, uint32_t node,
              uint32_t n, double *us);

#endif
