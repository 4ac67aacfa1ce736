/* SPDX-License-Identifier: MIT */
/*
 * A flow of a node: its graph, memory and kernel.
 *
 * Path:    create.c; elements.c (push, take, post), host.c (run).
 * Owner:   the caller of gravel_flow_create.
 * Threads: one at a time.
 */
#ifndef GRAVEL_FLOW_FLOW_H
#define GRAVEL_FLOW_FLOW_H

#include "base/error.h"
#include "base/caller.h"
#include "flow/layout.h"
#include "layout/choose.h"
#include "node/node.h"
#include "opencl/region.h"

#include <pthread.h>

/* Elements of a channel that wait to be added. */
struct gravel_flow_posts {
    uint32_t *words;         /* [n][words of a record] */
    uint32_t first, n, room; /* those before the first are taken */
};

/* Counters as other threads see them. */
struct gravel_flow_seen {
    struct gravel_flow_stats stats, base; /* base: at the last reset */
    uint32_t *peaks;                      /* [n_channels] */
};

struct gravel_flow {
    uint32_t n_forks; /* when it was made: base/caller.h */
    struct gravel *gravel;
    struct gravel_flow_graph graph;
    struct gravel_flow_layout layout;
    /* Flow memory. On step svm host and kernels address it alike; else it is a buffer, and the host mirrors what is
     * before the rows in pinned memory: one copy before a round and one after it. */
    struct gravelp_view view; /* the host's: of flow memory itself, or of the mirror */
    struct gravel_region region;
    struct gravel_pinned mirror;
    uint32_t group_items;
    cl_program program;
    /* of `kernel`: Intel's runtime takes it from a kernel only while it is held */
    cl_kernel kernel;  /* of a launch that is one round; NULL until it is built */
    cl_kernel looping; /* of one that is several; NULL if the scheduler needs none */
    struct gravel_scheduling scheduling;
    uint32_t slice_elements; /* that a launch processes which chooses by itself, about */
    bool is_running;         /* set and cleared by the caller's thread */
    pthread_t runner;        /* of gravel_flow_start */
    bool has_runner;
    struct gravel_kept outcome;      /* of the runner's: read once it is joined */
    pthread_mutex_t lock;            /* guards posts and seen */
    struct gravel_flow_posts *posts; /* [n_channels] */
    int failed;                      /* what a run returned after which the flow is of no use */
    /* What the thread that runs the flow counts, and publishes. */
    uint64_t run_begin_ns; /* 0: no run is under way */
    struct gravel_flow_stats stats;
    struct gravel_flow_seen seen;
};

/**
 * memory.c: allocate flow memory, and write what is before the rows as it begins. To be destroyed, also on failure.
 *
 * @return  0; GRAVEL_ENOMEM; GRAVEL_ECL; or the wait for the copy was given up (opencl/wait.h).
 */
int gravel_flow_memory_create(struct gravel_flow *flow);
/** memory.c: free it, if there is any. What a device that has stopped answering may still use stays. */
void gravel_flow_memory_destroy(struct gravel_flow *flow);

/** memory.c: enqueue a copy to the device of round and limits, and of what a launch that loops needs besides; nothing
 * where there is no mirror. */
cl_int gravel_flow_memory_send(const struct gravel_flow *flow, bool loops);
/** memory.c: enqueue a copy to the host of faults and tails, or of all that a launch that loops changes. @param event
 * [out] NULL where there is no mirror. */
cl_int gravel_flow_memory_fetch(const struct gravel_flow *flow, bool loops, cl_event *event);
/** memory.c: copy tails that the host has changed to the device, done on return. @return as gravel_region_write. */
int gravel_flow_memory_write_tails(struct gravel_flow *flow);

/** memory.c: copy words of rows or the result, from number `at` on, done on return. @return as gravel_region_read. */
int gravel_flow_memory_write(struct gravel_flow *flow, uint64_t at, const uint32_t *words,
                             uint64_t n);
int gravel_flow_memory_read(struct gravel_flow *flow, uint64_t at, uint32_t *words, uint64_t n);

/** Finds the channel of a name, to add to, or of an output. @return 0; GRAVEL_EINVAL, which says which call. */
int gravel_flow_find(const struct gravel_flow *flow, const char *call, const char *name,
                     bool is_output, uint32_t *channel);

/** Begins a public call. @return 0; GRAVEL_EINVAL, and why: the flow is NULL; as gravel_caller_refuse. */
static inline int gravel_flow_enter(const struct gravel_flow *flow, const char *call,
                                    enum gravel_caller caller)
{
    GRAVEL_TRY(gravel_require(call, "the flow", flow));
    return gravel_caller_refuse(flow->n_forks, call, caller);
}

/** Returns whether a call may be made between runs. @return 0; GRAVEL_EINVAL; what an earlier run returned. */
int gravel_flow_check_idle(const struct gravel_flow *flow, const char *call);

/** Returns how many elements of other channels a channel's level 0 takes: its reserve is kept. Between rounds. */
uint32_t gravel_flow_room(const struct gravel_flow *flow, uint32_t channel);

/** Add records to a channel's level 0 between rounds. @return 0; GRAVEL_ERANGE; GRAVEL_ECL. */
int gravel_flow_add(struct gravel_flow *flow, uint32_t channel, const void *records, uint32_t n);

/** Add what was posted between rounds, as there is room. @return 0; GRAVEL_ENOMEM; GRAVEL_ECL. */
int gravel_flow_take_posts(struct gravel_flow *flow);

/** elements.c: renews the counters that other threads read, between rounds. */
void gravel_flow_publish(struct gravel_flow *flow);

/**
 * report.c: say what a fault is that the device has reported, or talloc without enq.
 *
 * @param round  of n elements; NULL: the launch was a producer, of n work-items.
 * @return       0 if there is none; GRAVEL_EKERNEL; GRAVEL_ETIMEOUT.
 */
int gravel_flow_check_faults(const struct gravel_flow *flow, const struct gravelp_round *round,
                             size_t n);
/** report.c: fails as the wait for a launch from this round on did. @return code; the text names the round. */
int gravel_flow_fail_wait(const struct gravel_flow *flow, const struct gravelp_round *round,
                          int code);
/** report.c: fails as elements are left and nothing is admissible. @return GRAVEL_ESTUCK. */
int gravel_flow_fail_stuck(struct gravel_flow *flow);

#endif
