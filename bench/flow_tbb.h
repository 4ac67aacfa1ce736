/* SPDX-License-Identifier: MIT */
/*
 * The problems of bench-flow by oneTBB.
 *
 * Path:    flow_fib.c, flow_queens.c, flow_sort.c -> flow_tbb.cpp -> oneTBB.
 * Threads: the main thread calls; oneTBB has its own.
 */
#ifndef GRAVEL_BENCH_FLOW_TBB_H
#define GRAVEL_BENCH_FLOW_TBB_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** From now on so many threads at once, the caller's included. */
void flow_tbb_threads(uint32_t n_threads);

uint64_t flow_tbb_fib(uint32_t n);

/** Placements of n queens; below the last `base` rows each board is a task. */
uint64_t flow_tbb_queens(uint32_t n, uint32_t base);

/** @param keys  [n] */
void flow_tbb_sort(uint32_t *keys, uint32_t n);

#ifdef __cplusplus
}
#endif

#endif
