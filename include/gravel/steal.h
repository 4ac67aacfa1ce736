/* SPDX-License-Identifier: MIT */
/**
 * @file steal.h
 * Work stealing between the work-groups of a launch: deques of tasks that a kernel runs, and adds to.
 *
 *     struct gravel_steal_options options = GRAVEL_STEAL_OPTIONS(.capacity = 4096, .group_size = 256);
 *     gravel_steal_create(&steal, gravel, &options);
 *     gravel_steal_fill(steal, roots, n_roots);
 *     gravel_steal_launch(steal, kernel, 0, NULL, NULL);
 *
 * Every task that is filled in or pushed runs exactly once, on any group. GRAVEL_STEAL_POLICY chooses how a node's
 * groups share tasks.
 *
 * No call is collective. A kernel is in one launch at a time. All calls except gravel_steal_create and
 * gravel_steal_n_groups wait for the launch to end, and return what gravel_steal_wait would.
 *
 * Source:  Orr et al., Synchronization Using Remote-Scope Promotion, ASPLOS 2015, sections 4 and 5.
 */
#ifndef GRAVEL_STEAL_H
#define GRAVEL_STEAL_H

#include "gravel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Deques of one size for tasks of one size. Opaque; made by gravel_steal_create. */
struct gravel_steal;

/** Made by GRAVEL_STEAL_OPTIONS; 0 chooses for the device. */
struct gravel_steal_options {
    size_t bytes;
    uint32_t n_groups;   /**< of a launch, each with a deque; 0: as many as run at once */
    uint32_t group_size; /**< 0: 64 on CPUs, else 256 [work-items] */
    uint32_t capacity;   /**< of a deque, a power of two up to 2^30; 0: 4096 [tasks] */
    uint32_t task_bytes; /**< a multiple of 4 from 4 to 64; 0: 8 */
};

/** Initialises struct gravel_steal_options, its size included. */
#define GRAVEL_STEAL_OPTIONS(...)                                 \
    {                                                             \
        .bytes = sizeof(struct gravel_steal_options), __VA_ARGS__ \
    }

/*
 * X(field, unit, help): what all groups have counted, or one, since they were made or gravel_steal_stats_reset.
 */
#define GRAVEL_STEAL_STATS_FIELDS(X)                                               \
    X(done, "count", "tasks that have run")                                        \
    X(stolen, "count", "tasks taken from other groups")                            \
    X(failed, "count", "attempts to take tasks that another group took first")     \
    X(offers, "count", "times that a group offered tasks (policy promoted)")       \
    X(looks, "count", "rounds over all deques that found nothing")                 \
    X(most, "count", "tasks that the busiest group has run; of one group its own") \
    X(left, "count", "tasks that have not run; of one group those in its deque")

#define GRAVEL_STEAL_STATS_FIELD(field, unit, help) uint64_t field;
/** From version 1.0 on, new counters are added at the end. */
struct gravel_steal_stats {
    GRAVEL_STEAL_STATS_FIELDS(GRAVEL_STEAL_STATS_FIELD)
};
#undef GRAVEL_STEAL_STATS_FIELD

#define GRAVEL_ALL_GROUPS 0xffffffffu /* of gravel_steal_stats_read: no single group */

/**
 * Makes empty deques.
 *
 * @param options  or NULL.
 * @return         0; GRAVEL_ECAPABILITY (GRAVEL_STEAL_POLICY needs acquire and release at device scope).
 *
 * Source:  Orr et al. 2015, section 5 (a queue for each work-group).
 */
int gravel_steal_create(struct gravel_steal **out, struct gravel *gravel,
                        const struct gravel_steal_options *options);

/**
 * Adds tasks, evenly and in order; all or, after an error, none.
 *
 * @param tasks  [n] of task_bytes each; copied before the call returns.
 * @param n      0 is allowed.
 * @return       0; GRAVEL_ERANGE (which deque has no room).
 */
int gravel_steal_fill(struct gravel_steal *steal, const void *tasks, uint64_t n);

/**
 * Adds tasks as gravel_steal_fill, to the deque of one group, which policy counter ignores.
 *
 * @param group  below gravel_steal_n_groups(steal).
 */
int gravel_steal_fill_at(struct gravel_steal *steal, uint32_t group, const void *tasks, uint64_t n);

/** Returns the work-groups of a launch, each with a deque. */
uint32_t gravel_steal_n_groups(const struct gravel_steal *steal);

/**
 * Launches a kernel that has a GRAVEL_STEAL argument, which the call sets. The call waits, and the kernel sees memory,
 * as with gravel_launch. A kernel without GRAVEL_ARENA sends nothing: a job's only node launches it in one piece on
 * every step. On drain a kernel with GRAVEL_ARENA is launched repeatedly, each time for as many tasks as the queues
 * have room for.
 *
 * @param kernel  built by gravel_program_build of this node.
 * @param wait    [n_wait] events that the kernel waits for.
 * @param event   [out] of the kernel's end, released by the caller; or NULL.
 * @return        0; GRAVEL_EINVAL (no GRAVEL_STEAL argument; another group size than the kernel's); GRAVEL_EKERNEL
 *                (drain: a launch has run no task though some are left; every work-item enters GRAVEL_STEAL_EACH in
 *                each launch); as gravel_launch.
 */
int gravel_steal_launch(struct gravel_steal *steal, cl_kernel kernel, cl_uint n_wait,
                        const cl_event *wait, cl_event *event);

/**
 * Waits for the launch to end.
 *
 * @return  0; GRAVEL_EKERNEL (a push beyond the capacity, a kernel that left GRAVEL_STEAL_EACH, a program of another
 *          policy or task: the group; a kernel beyond GRAVEL_KERNEL_LIMIT: the groups that run tasks). Tasks that have
 *          not run stay.
 */
int gravel_steal_wait(struct gravel_steal *steal);

/**
 * Reads what groups have counted, also after an error of the launch.
 *
 * @param group  below gravel_steal_n_groups(steal), or GRAVEL_ALL_GROUPS.
 */
int gravel_steal_stats_read(struct gravel_steal *steal, struct gravel_steal_stats *stats,
                            size_t bytes, uint32_t group);

/** Sets the counters to 0. */
int gravel_steal_stats_reset(struct gravel_steal *steal);

/**
 * Frees the deques, also after an error.
 *
 * @return  0; the error of the launch, if no call has returned it.
 */
int gravel_steal_destroy(struct gravel_steal *steal);

#ifdef __cplusplus
}
#endif

#endif
