/* SPDX-License-Identifier: MIT */
/*
 * The engine: all executions of a program that some rules allow, each once.
 *
 * Path:    verdict.c -> explore.c -> machine.c, orders.c, consistent.c, linear.c; each execution -> the visitor.
 * Owner:   the engine has all; what a visitor keeps it copies.
 * Source:  Lahav et al. 2017 (RC11: no cycle of program order and reads-from); Kokologiannakis et al. 2022, "Truly
 *          Stateless, Optimal Dynamic Partial Order Reduction": graphs grow event by event.
 */
#ifndef GRAVEL_HRF_EXPLORE_H
#define GRAVEL_HRF_EXPLORE_H

#include "checker/execution.h"

/** Sees an execution that has ended. @return whether to continue. */
typedef bool hrf_visit(void *context, const struct hrf_execution *execution,
                       const struct hrf_outcome *outcome);

struct hrf_search {
    const struct hrf_program *program;
    const struct hrf_rules
        *rules; /* of a model; hrf_rules_sc: executions come in an order in which they happen */
    hrf_visit *visit;
    void *context;
    uint64_t limit;  /* most executions */
    uint64_t n;      /* [out] executions seen */
    bool is_limited; /* [out] there may be more */
};

/** Returns 0, or -1 without memory. */
int hrf_explore(struct hrf_search *search);

/** Adds the barrier of a thread's group, which all of it has come to, and lets the group's threads pass it. */
void hrf_pass_barrier(struct hrf_execution *execution, struct hrf_locals *locals, uint32_t thread);

#endif
