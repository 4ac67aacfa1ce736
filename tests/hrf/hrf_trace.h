/* SPDX-License-Identifier: MIT */
/*
 * What a program that logs its accesses says of its threads and scopes.
 *
 * Path:    tests/tsan/host_c11.h, tests/tsan/lanes.c -> hrf_trace.h -> trace_hooks.c.
 */
#ifndef TESTS_HRF_TRACE_H
#define TESTS_HRF_TRACE_H

#define HRF_TRACE_WG 2 /* as enum hrf_level */
#ifndef HRF_TRACE_DEV  /* a test has it smaller, which must be found */
#define HRF_TRACE_DEV 3
#endif
#define HRF_TRACE_SYS 4

/* Of the thread's next atomic operation; then it is HRF_TRACE_SYS again. */
extern _Thread_local unsigned char hrf_trace_level;

/** Say where the calling thread is; without it, on the host alone. */
void hrf_trace_place(unsigned device, unsigned group, unsigned subgroup);

#endif
