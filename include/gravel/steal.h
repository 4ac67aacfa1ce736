/* SPDX-License-Identifier: MIT */
/**
 * @file steal.h
 * Work stealing between the work-groups of a launch: deques of tasks that a kernel runs, and adds to.
 *
 *     struct gravel_steal_options options = GRAVEL_STEAL_OPTIONS(.capacity = 4096, .group_size = 256);
 *     gravel_steal_create(&steal, gravel, &options);
 *     gravel_steal_fill(steal, roots, n_roots);
 *     gravel_steal_launch(steal, kernel, 0, NULL, NULL);
 *     gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS);
 *
 * The kernel includes "gravel.cl.h" and "steal.cl.h" and goes through its tasks with GRAVEL_STEAL_EACH. Every task that
 * is filled in or pushed runs exactly once, on any group. GRAVEL_STEAL_POLICY says how tasks are shared out; a node has
 * one policy, for all its programs and deques.
 *
 * One thread at a time may make calls for one struct gravel_steal, and a kernel is in one launch at a time. No call is
 * collective: stealing is between the groups of one node. Destroy deques before their node is closed.
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

/** Made by GRAVEL_STEAL_OPTIONS; what is 0 is chosen for the device. Later versions add members at the end. */
struct gravel_steal_options {
    size_t bytes; /**< sizeof(struct gravel_steal_options) */
    uint32_t n_groups;
    /**< work-groups of a launch, each with a deque; 0: as many as run side by side */
    uint32_t group_size; /**< [work-items] of a group; 0: 64 on CPUs, else 256 */
    uint32_t capacity;   /**< [tasks] of a deque, a power of two up to 2^30; 0: 4096 */
    uint32_t task_bytes; /**< size of a task, a multiple of 4 from 4 to 64 [bytes]; 0: 8 */
};

/** Initialises struct gravel_steal_options, its size included. */
#define GRAVEL_STEAL_OPTIONS(...)                                 \
    {                                                             \
        .bytes = sizeof(struct gravel_steal_options), __VA_ARGS__ \
    }

/* X(field, unit, help): what all groups have counted, or one, since they were made or gravel_steal_stats_reset. */
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
 * Make empty deques.
 *
 * @param out      [out] NULL on failure.
 * @param gravel   the node, which must stay open.
 * @param options  NULL: all is chosen.
 * @return         0; GRAVEL_EINVAL (bytes, capacity, task_bytes, group_size: which, and its value);
 *                 GRAVEL_ECAPABILITY (the policy of GRAVEL_STEAL_POLICY needs acquire and release at device scope, and
 *                 the device lacks them); GRAVEL_ENOMEM; GRAVEL_ECL.
 *
 * Source:  Orr et al. 2015, section 5 (a queue for each work-group).
 */
int gravel_steal_create(struct gravel_steal **out, struct gravel *gravel,
                        const struct gravel_steal_options *options);

/**
 * Add tasks, evenly: each deque gets as many neighbours in a row as the next one. Waits for an earlier launch to end.
 *
 * @param tasks  [n] of task_bytes each; copied before the call returns.
 * @param n      tasks [count], 0 is allowed.
 * @return       0; GRAVEL_ERANGE (which deque has no room); GRAVEL_EINVAL; GRAVEL_ENOMEM; else as gravel_steal_wait.
 *               On failure nothing is added.
 */
int gravel_steal_fill(struct gravel_steal *steal, const void *tasks, uint64_t n);

/**
 * Add tasks to the deque of one group. Policy counter, which has no deques, ignores the group.
 *
 * @param group  0 to gravel_steal_n_groups(steal) - 1.
 * @return       as gravel_steal_fill; GRAVEL_EINVAL (no such group).
 */
int gravel_steal_fill_at(struct gravel_steal *steal, uint32_t group, const void *tasks, uint64_t n);

/** Work-groups of a launch, each with a deque. */
uint32_t gravel_steal_n_groups(const struct gravel_steal *steal);

/**
 * Launch a kernel that has a GRAVEL_STEAL argument, and set that argument; the caller sets the rest. Waits for an
 * earlier launch.
 *
 * Waits as gravel_launch does. A kernel with GRAVEL_ARENA is launched by gravel_launch; one without it sends nothing,
 * so no other kernel needs room: a job's only node launches it in one piece on every step. On step drain a kernel
 * with GRAVEL_ARENA is launched again and again, each time for so many tasks as the queues have room for.
 *
 * @param kernel  built by gravel_program_build of this node.
 * @param n_wait  events that hold up the kernel, in `wait`.
 * @param event   [out] of the kernel's end, to be released by the caller, NULL on failure; or NULL.
 * @return        0; GRAVEL_EINVAL (no GRAVEL_STEAL argument, or a group size that is not the kernel's); GRAVEL_EKERNEL
 *                (step drain: a launch has run no task, and tasks are left; every work-item enters GRAVEL_STEAL_EACH
 *                in each launch); else as gravel_launch and gravel_steal_wait.
 *
 * Memory:  as gravel_launch.
 */
int gravel_steal_launch(struct gravel_steal *steal, cl_kernel kernel, cl_uint n_wait,
                        const cl_event *wait, cl_event *event);

/**
 * Wait for the launch to end.
 *
 * @return  0; GRAVEL_EKERNEL: a push beyond the capacity, a kernel that left GRAVEL_STEAL_EACH, a program built for
 *          another policy or task, with the group; or the kernel has not ended within GRAVEL_KERNEL_LIMIT, with the
 *          groups that run tasks. Tasks that have not run stay in their deques. GRAVEL_ECL.
 */
int gravel_steal_wait(struct gravel_steal *steal);

/**
 * Wait for the launch to end, and say what groups have counted.
 *
 * @param stats  [out] [bytes]
 * @param bytes  sizeof *stats: later versions have more counters. Those that the library does not have are 0.
 * @param group  0 to gravel_steal_n_groups(steal) - 1, or GRAVEL_ALL_GROUPS.
 * @return       0; GRAVEL_EINVAL (no such group, bytes); as gravel_steal_wait, and stats are set then too.
 */
int gravel_steal_stats_read(struct gravel_steal *steal, struct gravel_steal_stats *stats,
                            size_t bytes, uint32_t group);

/** Start the counts at 0 again. Waits for the launch to end. @return as gravel_steal_wait. */
int gravel_steal_stats_reset(struct gravel_steal *steal);

/**
 * Wait for the launch to end, and free the deques. NULL is allowed.
 *
 * @return  0; what the launch came to, if no call has returned it yet; the deques are gone either way.
 */
int gravel_steal_destroy(struct gravel_steal *steal);

#ifdef __cplusplus
}
#endif

#endif
