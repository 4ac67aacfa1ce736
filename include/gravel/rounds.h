/* SPDX-License-Identifier: MIT */
/**
 * @file rounds.h
 * Rounds: an iteration that stays on the device, where the device allows it.
 *
 * A *round* is one or more *phases* of an OpenCL kernel, in their order. Between phases the work-groups of a node
 * meet. At a round's end all nodes have met, all messages of the round are applied, and all work-items know what was
 * counted in it over all nodes. rounds.cl.h has the device's part.
 *
 *     gravel_rounds_create(&rounds, gravel, &(struct gravel_rounds_program)GRAVEL_ROUNDS_PROGRAM(
 *                              .name = "search.cl", .source = source, .function = "search"));
 *     gravel_rounds_kernel(rounds, &kernel);
 *     clSetKernelArg(kernel, 2, sizeof level, &level);
 *     gravel_rounds_run(rounds, GRAVEL_UNTIL_ZERO, 1000, &ended, sizeof ended);
 *
 * The kernel stays on its device for slices of GRAVEL_FLOW_SLICE, where a self-test proves that started groups
 * continue while others wait; GRAVEL_SCHEDULER and GRAVEL_FLOW_GROUPS choose as for flows. A node that is alone
 * applies messages to its own words directly; messages for handlers, lines and accumulators end such a launch with
 * their round. Several nodes end a round through their hosts: on step pump by an exchange of updates (inc, add, min,
 * max, and, or, xor), 16 bytes a message, in a sixteenth of the heap, 64 MB at most, with equal parts for all nodes; a
 * round with other messages, or on svm and usm, by a barrier. Nodes of one process, step drain, checked mode, and
 * devices without 64-bit atomics launch each phase, with the same results. Of several messages to one word of another
 * node in one round, only those of one operation and one call keep their order.
 *
 * Other launches wait until running rounds have ended.
 *
 * Source:  Sorensen et al., Portable Inter-workgroup Barrier Synchronisation for GPUs, OOPSLA 2016.
 */
#ifndef GRAVEL_ROUNDS_H
#define GRAVEL_ROUNDS_H

#include "gravel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A kernel with phases, as it is built for a node. Opaque; made by gravel_rounds_create. */
struct gravel_rounds;

/** A kernel of phases. Made by GRAVEL_ROUNDS_PROGRAM. */
struct gravel_rounds_program {
    size_t bytes;
    const char *name;     /**< for the compiler's messages */
    const char *source;   /**< OpenCL C, which includes "gravel.cl.h" */
    const char *options;  /**< of the compiler, or NULL */
    const char *function; /**< a kernel whose arguments begin with GRAVEL_ARENA, GRAVEL_ROUND */
    uint32_t group_items; /**< work-items of a group; 0: as the kernel requires, else 256 at most.
                           *   A GPU's unit has two groups, or one of more than 256 */
    uint32_t n_groups;    /**< of a launch, at most; 0: all that fit */
};

/** Initialises struct gravel_rounds_program, its size included. */
#define GRAVEL_ROUNDS_PROGRAM(...)                                 \
    {                                                              \
        .bytes = sizeof(struct gravel_rounds_program), __VA_ARGS__ \
    }

/**
 * Builds the program, and makes its kernel. Collective, with barriers. Takes 17 kB of the heap; with several nodes on
 * step pump, for all rounds together, an eighth of it for frames, 128 MB at most, and as much of the host.
 *
 * @param program  not used after the call; name and source are the same at every node.
 * @return         0; GRAVEL_EBUILD (the compiler's log); GRAVEL_EINVAL (also more work-items than the kernel allows);
 *                 GRAVEL_ECAPABILITY (GRAVEL_SCHEDULER is resident, and the device fails its self-test or nodes are of
 *                 one process); as gravel_alloc.
 */
int gravel_rounds_create(struct gravel_rounds **out, struct gravel *gravel,
                         const struct gravel_rounds_program *program);

/**
 * Returns the kernel, whose arguments the caller sets from 2 on. Only gravel_rounds_run launches it.
 *
 * @param kernel  [out] the caller releases it.
 */
int gravel_rounds_kernel(const struct gravel_rounds *rounds, cl_kernel *kernel);

/** When a run ends. */
enum gravel_rounds_until {
    GRAVEL_UNTIL_MOST, /**< after `most` rounds */
    GRAVEL_UNTIL_ZERO, /**< after the first that counts nothing, or `most` */
};
#define GRAVEL_CONTINUES 0x100u /* or-ed: rounds are numbered on from the last run's */

/** How a run ended, the same at every node. */
struct gravel_rounds_ended {
    uint64_t n_rounds; /**< of this run */
    uint64_t sum;      /**< counted in the last one, over all nodes */
};

/**
 * Runs rounds, and waits for their end. Collective. In the first round gravel_round_sum is the count of the last run's
 * last; GRAVEL_CONTINUES numbers rounds on from it.
 *
 * Before the call gravel_barrier has waited for messages to words that phases read or send to; to such words of a node
 * that is alone no thread sends until the run ends. After it all messages are applied at all nodes.
 *
 * @param until  GRAVEL_UNTIL_MOST: after `most` rounds; GRAVEL_UNTIL_ZERO: or after the first that counts nothing.
 * @param most   rounds, at least 1; UINT64_MAX for no bound.
 * @param ended  [out] or NULL; set unless the node has failed.
 * @return       0; GRAVEL_EINVAL (also a kernel without phases); GRAVEL_EMISMATCH (also different phases, or another
 *               node failed in the run); GRAVEL_ECL (an argument that is not set); GRAVEL_ERANGE (a message to a word
 *               that does not exist: line and work-item; the run ends at all nodes with the next round at the latest);
 *               GRAVEL_ETIMEOUT, GRAVEL_EKERNEL (a group waits for another one of its node for GRAVEL_TIMEOUT, or none
 *               ends a phase for GRAVEL_KERNEL_LIMIT; then the node has failed); as gravel_barrier.
 *
 * Memory:  what a phase stores is visible to the next one, on all of the node's groups (Y1).
 */
int gravel_rounds_run(struct gravel_rounds *rounds, uint32_t until, uint64_t most,
                      struct gravel_rounds_ended *ended, size_t bytes);

/** Counters of this node, since the object was made. */
struct gravel_rounds_stats {
    uint64_t rounds;   /**< whole ones */
    uint64_t stayed;   /**< of these, in launches of more than a phase */
    uint64_t launches; /**< of the kernel */
    uint64_t run_ns;   /**< in gravel_rounds_run [nanoseconds] */
    uint64_t groups;   /**< that took part in the last launch that stayed */
    /* With several nodes, while the kernel stays; otherwise 0. */
    uint64_t exchanged;   /**< rounds */
    uint64_t messages;    /**< to other nodes, of 16 bytes each */
    uint64_t device_ns;   /**< until the device's report [nanoseconds] */
    uint64_t exchange_ns; /**< then until all nodes' parts [nanoseconds] */
};

/** Reads the statistics. */
int gravel_rounds_stats_read(const struct gravel_rounds *rounds, struct gravel_rounds_stats *stats,
                             size_t bytes);

/** Destroys the object. Collective, with a barrier. @return as gravel_barrier. */
int gravel_rounds_destroy(struct gravel_rounds *rounds);

#ifdef __cplusplus
}
#endif

#endif
