/* SPDX-License-Identifier: MIT */
/**
 * @file rounds.h
 * Rounds: an iteration that stays on the device, where the device allows it.
 *
 * A *round* is one or more *phases* of an OpenCL kernel; all phases run in every round, in their order. Between phases
 * the work-groups of a node meet. At a round's end all nodes have met, all messages of the round are applied, and all
 * work-items know what was counted in it, over all nodes. gravel.cl.h has the device's part (rounds.cl.h).
 *
 *     gravel_rounds_create(&rounds, gravel, &(struct gravel_rounds_program)GRAVEL_ROUNDS_PROGRAM(
 *                              .name = "search.cl", .source = source, .function = "search"));
 *     gravel_rounds_kernel(rounds, &kernel);
 *     clSetKernelArg(kernel, 2, sizeof level, &level);
 *     gravel_rounds_run(rounds, GRAVEL_UNTIL_ZERO, 1000, &ended);
 *
 * The kernel stays on its device for up to a slice (GRAVEL_FLOW_SLICE) at a time, and its groups meet there. This needs
 * no more than that groups which have started continue while others wait, which a self-test proves; GRAVEL_SCHEDULER
 * and GRAVEL_FLOW_GROUPS choose as for flows. A node that is alone applies messages to its own words directly; those
 * that a handler gets, and lines, end such a launch with their round, and so do accumulators. Several nodes end a round
 * by their hosts, which exchange what was counted, and on step pump frames of updates (inc, add, min, max, and, or,
 * xor): what a sixteenth of the heap holds, 64 MB at most, in equal parts for all nodes, at 16 bytes a message. Other
 * messages, and all on steps svm and usm, go as those of any kernel, and such a round ends with a barrier. Elsewhere
 * (nodes of one process, step drain, checked mode, devices without atomics of 64 bits or with other groups) a launch is
 * a phase, and the host ends the round by a barrier. The source is the same, and so are the results. Of several
 * messages to one word of another node, in one round, only those of one operation and one call keep their order.
 *
 * Calls are collective where it is said. One thread at a time may make calls for one object; it is destroyed before its
 * node is closed. While rounds run, the node's device is theirs: other launches wait until they have ended.
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

/** What rounds are made of. Made by GRAVEL_ROUNDS_PROGRAM. Later versions add members at the end. */
struct gravel_rounds_program {
    size_t bytes;         /**< sizeof(struct gravel_rounds_program) */
    const char *name;     /**< of the program, for the compiler's messages */
    const char *source;   /**< OpenCL C, which includes "gravel.cl.h" */
    const char *options;  /**< of the compiler, or NULL */
    const char *function; /**< a kernel whose arguments begin with GRAVEL_ARENA, GRAVEL_ROUND */
    uint32_t group_items; /**< work-items of a group; 0: as the kernel requires, else 256 at most.
                           *   A GPU's unit has two groups, or one of more than 256 */
    uint32_t n_groups;    /**< of a launch, at most; 0: as the device has room for */
};

/** Initialises struct gravel_rounds_program, its size included. */
#define GRAVEL_ROUNDS_PROGRAM(...)                                 \
    {                                                              \
        .bytes = sizeof(struct gravel_rounds_program), __VA_ARGS__ \
    }

/**
 * Build the program, and make its kernel. Collective, with barriers. Needed of the symmetric heap: 17 kB; of several
 * nodes on step pump, an eighth of it for frames, 128 MB at most, which all rounds share; the host has as much.
 *
 * @param out      [out] NULL on failure.
 * @param gravel   the node, which must stay open.
 * @param program  texts are not used behind the call. Name and source are the same at every node.
 * @return         0; GRAVEL_EBUILD with the compiler's log; GRAVEL_EINVAL (a member, the function's arguments, more
 *                 work-items than the kernel allows); GRAVEL_ECAPABILITY if GRAVEL_SCHEDULER is resident and the device
 *                 does not prove that it can, or nodes are of one process; GRAVEL_EMISMATCH if nodes differ; as
 *                 gravel_alloc. If one node fails, all do, and nothing is left.
 */
int gravel_rounds_create(struct gravel_rounds **out, struct gravel *gravel,
                         const struct gravel_rounds_program *program);

/**
 * Give the kernel, whose arguments the caller sets, from 2 on: by clSetKernelArg, or gravel_kernel_set_accumulator.
 * gravel_rounds_run alone launches it.
 *
 * @param kernel  [out] the caller releases it (clReleaseKernel); NULL on failure.
 * @return        0; GRAVEL_EINVAL; GRAVEL_ECL.
 */
int gravel_rounds_kernel(const struct gravel_rounds *rounds, cl_kernel *kernel);

/** When a run ends. */
enum gravel_rounds_until {
    GRAVEL_UNTIL_MOST, /**< behind so many rounds */
    GRAVEL_UNTIL_ZERO, /**< behind the first that counts nothing, or so many */
};

/** What a run came to, the same at every node. Later versions add members at the end. */
struct gravel_rounds_ended {
    uint64_t n_rounds; /**< of this run */
    uint64_t sum;      /**< counted in the last one, over all nodes */
};

/**
 * Run rounds, and wait for their end. Collective. A run continues where the last one ended: gravel_round_sum of its
 * first round is what the last round counted. So a program that wants the host each n rounds calls this in a loop.
 *
 * Before: other nodes' messages that the first phase is to find have been waited for, by gravel_barrier. After: all
 * messages of all rounds are applied at all nodes, as behind gravel_barrier.
 *
 * @param until  the same at every node, as `most` is.
 * @param most   rounds, at least 1; UINT64_MAX for no bound.
 * @param ended  [out] or NULL; written unless the node has failed.
 * @param bytes  sizeof *ended
 * @return       0; GRAVEL_EINVAL (until, most, no phase in the kernel); GRAVEL_EMISMATCH if nodes differ, in phases
 *               too, or another node has failed in the run; GRAVEL_ECL (an argument that is not set); GRAVEL_ERANGE if
 *               a message was to a word that does not exist (which line, where): it is not applied, and the run ends
 *               at all nodes, with the next round at the latest; as gravel_barrier; GRAVEL_ETIMEOUT, GRAVEL_EKERNEL:
 *               groups that do not meet, a phase without an end.
 *
 * Memory:  what a phase stores is visible to the next one, on all of the node's groups (Y1).
 */
int gravel_rounds_run(struct gravel_rounds *rounds, uint32_t until, uint64_t most,
                      struct gravel_rounds_ended *ended, size_t bytes);

/** Of this node, since the object was made. Later versions add members at the end. */
struct gravel_rounds_stats {
    uint64_t rounds;   /**< whole ones */
    uint64_t stayed;   /**< of them, those in launches of more than a phase */
    uint64_t launches; /**< of the kernel */
    uint64_t run_ns;   /**< in gravel_rounds_run [nanoseconds] */
    uint64_t groups;   /**< of the last launch that stayed, those that took part; 0: none has */
    /* Of several nodes, while the kernel stays; else 0. */
    uint64_t exchanged;   /**< rounds that nodes have ended so */
    uint64_t messages;    /**< to other nodes that lay in frames of theirs, of 16 bytes each */
    uint64_t device_ns;   /**< of these rounds: until the device's report was there [nanoseconds] */
    uint64_t exchange_ns; /**< from then until the parts of all nodes were [nanoseconds] */
};

/**
 * Read the statistics.
 *
 * @param stats  [out]
 * @param bytes  sizeof *stats
 * @return       0; GRAVEL_EINVAL.
 */
int gravel_rounds_stats_read(const struct gravel_rounds *rounds, struct gravel_rounds_stats *stats,
                             size_t bytes);

/** Destroy the object. Collective, with a barrier. NULL is allowed. @return 0; as gravel_barrier. */
int gravel_rounds_destroy(struct gravel_rounds *rounds);

#ifdef __cplusplus
}
#endif

#endif
