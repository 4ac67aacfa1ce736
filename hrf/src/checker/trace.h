/* SPDX-License-Identifier: MIT */
/*
 * Races in a trace of one execution: what happened on threads that stand for work-items and host threads.
 *
 * Path:    a file of trace_record.h -> trace.c, map.c -> gravel-hrf.
 * Source:  Flanagan and Freund 2009, "FastTrack": a clock for each thread and synchronizing word, the last accesses of
 *          each word of memory; here a clock for each release, scope instance and releasing thread.
 */
#ifndef GRAVEL_HRF_TRACE_H
#define GRAVEL_HRF_TRACE_H

#include "checker/program.h"
#include "checker/trace_record.h"

#include <stdbool.h>
#include <stdint.h>

/* One of two accesses that race. */
struct hrf_trace_access {
    uint32_t site;
    uint16_t thread;
    bool writes, is_atomic;
};

struct hrf_trace_result {
    uint64_t n_records, n_races; /* places of racing code, each pair once */
    struct hrf_trace_access first[2];
    uint64_t address; /* where the first race is */
    struct hrf_place places[HRF_TRACE_THREADS];
    uint32_t n_threads;
};

/** Returns whether traces can be judged by a model: not those that treat each scope apart, nor promotion. */
bool hrf_trace_takes(enum hrf_model model);

/**
 * @param records  [n] of a trace.
 * @return         0; -1 with why the trace is bad, or there is no memory.
 */
int hrf_trace_check(const struct hrf_record *records, uint64_t n, enum hrf_model model,
                    struct hrf_trace_result *result, char *why, uint32_t n_bytes);

#endif
