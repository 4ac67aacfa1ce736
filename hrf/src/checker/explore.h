/* SPDX-License-Identifier: MIT */
/*
 * Engine `sc`: all sequentially consistent executions of a program, but for those that differ only in the order of
 * steps that commute.
 *
 * Path:    verdict.c -> explore.c -> machine.c, execution.c; each execution -> the visitor.
 * Owner:   the engine has all; what a visitor keeps it copies.
 * Source:  Abdulla et al. 2014, "Optimal Dynamic Partial Order Reduction": source sets; Godefroid 1996: sleep sets. The
 *          backtracking of Flanagan and Godefroid 2005 alone loses executions together with sleep sets.
 */
#ifndef GRAVEL_HRF_EXPLORE_H
#define GRAVEL_HRF_EXPLORE_H

#include "checker/execution.h"

/** Sees an execution that has ended. @return whether to continue. */
typedef bool hrf_visit(void *context, const struct hrf_execution *execution,
                       const struct hrf_outcome *outcome);

struct hrf_search {
    const struct hrf_program *program;
    hrf_visit *visit;
    void *context;
    uint64_t limit;     /* most executions */
    bool is_exhaustive; /* every interleaving, without reduction: to test the reduction */
    uint64_t n;         /* [out] executions seen */
    bool is_limited;    /* [out] there may be more */
};

/** @return 0; -1 without memory. */
int hrf_explore_sc(struct hrf_search *search);

/** How an execution ended, from its threads. */
struct hrf_outcome hrf_outcome_of(const struct hrf_program *program,
                                  const struct hrf_locals *locals, const uint32_t *memory);

#endif
