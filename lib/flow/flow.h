/* SPDX-License-Identifier: MIT */
/*
 * A flow: its graph, memory and kernel, and the node's part that it needs.
 *
 * Path:    lib/node/flows.c -> flow.c (push, take, call) -> host.c (runs).
 * Owner:   the caller of gravel_flow_create.
 * Threads: one at a time.
 */
#ifndef GRAVEL_FLOW_FLOW_H
#define GRAVEL_FLOW_FLOW_H

#include "base/error.h"
#include "flow/memory.h"
#include "flow/scheduler.h"

#include <pthread.h>

/* How rounds reach the device, and what waits for them: the node's. */
struct gravel_flow_launcher {
    void *context;
    struct gravel_trace *trace; /* gets a span for each round; or NULL */
    /* Enqueue n_items work-items, whole groups. @param event  [out] of their end. */
    int (*launch)(void *context, cl_kernel kernel, size_t n_items, size_t group_items,
                  cl_event *event);
    /* Wait for them, sleeping. @return 0; GRAVEL_ECL; GRAVEL_EKERNEL; what ended the node. */
    int (*wait)(void *context, cl_kernel kernel, cl_event event);
};

struct gravel_flow {
    struct gravel_flow_launcher launcher;
    struct gravel_flow_graph graph;
    struct gravel_flow_layout layout;
    struct gravel_flow_memory memory;
    uint32_t group_items;
    uint32_t n_messages; /* that one CE's node sends at most */
    cl_kernel kernel;    /* of a launch that is one round; NULL until it is built */
    cl_kernel looping;   /* of one that is several; NULL if the scheduler needs none */
    struct gravel_scheduling scheduling;
    uint32_t slice_elements; /* that a launch processes which chooses by itself, about */
    bool is_running;         /* set and cleared by the caller's thread */
    pthread_t runner;        /* of gravel_flow_start */
    bool has_runner;
    int outcome; /* of the runner's, text included: read once it is joined */
    char outcome_text[GRAVEL_ERROR_BYTES];
    int failed; /* what a run returned after which the flow is of no use */
    struct gravel_flow_stats stats;
};

/**
 * Check the graph, lay it out, allocate.
 *
 * @param flow      [out] empty on failure.
 * @param device    outlives the flow.
 * @param shape     group_items of 0 is 256.
 */
int gravel_flow_make(struct gravel_flow **flow, const struct gravel_device *device,
                     const struct gravel_graph *graph, uint32_t width,
                     const struct gravel_scheduling *scheduling,
                     struct gravel_flow_launcher launcher);

/**
 * Take a kernel of the flow's program in one form, to be released with the flow. @return 0; GRAVEL_EINVAL; GRAVEL_ECL.
 */
int gravel_flow_take_kernel(struct gravel_flow *flow, cl_kernel kernel, bool loops);

/** host.c: rounds until none is left. @return as gravel_flow_run. */
int gravel_flow_schedule_on_host(struct gravel_flow *flow);

/** report.c: what a fault that the device has reported, or talloc without enq, says; 0 if there is none. */
int gravel_flow_check_faults(struct gravel_flow *flow, const struct gravelp_round *round);
/** report.c: the wait for a launch from this round on returned `code`. @return code; the text names the round. */
int gravel_flow_fail_wait(const struct gravel_flow *flow, const struct gravelp_round *round,
                          int code);
/** report.c: elements are left and nothing is admissible. @return GRAVEL_ESTUCK. */
int gravel_flow_fail_stuck(struct gravel_flow *flow);

#endif
