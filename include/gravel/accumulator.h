/* SPDX-License-Identifier: MIT */
/**
 * @file accumulator.h
 * Words of all nodes that kernels add to, each by one atomic operation on own memory: a word that has changed travels
 * as one message, however often it was added to.
 *
 *     gravel_accumulator_create(&accumulator, gravel, ranks, n, GRAVEL_ADD, GRAVEL_FLOAT);
 *     gravel_kernel_set_accumulator(accumulator, kernel, 1);
 *     gravel_launch(gravel, kernel, ...);     gravel_accumulate_float_wi(g, a, index, value, node), any work-item
 *     gravel_barrier(gravel);                 flushes, and waits
 *
 * An accumulator has a *shadow* of a range of an array, of every node's part, in the memory of the own device. Kernels
 * change words of the shadow; a *flush* sends those that have changed to their owners, who apply them as messages of
 * the same operation. gravel_fence, gravel_quiet and gravel_barrier flush all accumulators of the node first, and so do
 * gravel_free and others with a barrier; gravel_accumulator_flush flushes one. A flush costs what has changed.
 *
 * - After a flush words of GRAVEL_ADD, GRAVEL_INC and GRAVEL_XOR begin again. Those of GRAVEL_MIN, GRAVEL_MAX,
 *   GRAVEL_AND and GRAVEL_OR stay, so that a value which improves nothing costs one load. A program that sets words of
 *   the array back calls gravel_barrier before, and gravel_accumulator_reset at every node afterwards.
 * - No call drops what a kernel has added: in whatever order gravel_accumulator_begin, gravel_accumulator_flush and
 *   gravel_accumulator_reset are called, and whether or not they succeed, the next flush that succeeds has sent each
 *   update once. So a program's words are the same on any number of nodes.
 * - The own node's words change at the flush as well: a word has one writer. A node that is alone has no shadow, and
 *   its kernels change its words at once. GRAVEL_CHECK=1 defers these too, so that what reads too early fails there.
 * - A range has one accumulator, by one operation and of one type. While words of it wait, no put, get or other update
 *   of the range is sent: what comes first is not defined. GRAVEL_CHECK=1 makes the flush GRAVEL_EINVAL, with the call
 *   that this node made between, or its kernel.
 * - Kernels that add are on gravel_cl_queue. A kernel on another queue has ended before a flush, and the flush before
 *   the next such kernel.
 * - Sums of GRAVEL_FLOAT and GRAVEL_DOUBLE are made in another order each time, and depend on the number of nodes.
 * - An array of few words, or a skewed one, gains most. One whose words are each added to about once between two
 *   flushes does better by messages.
 *
 * Memory: as many words as the range has, for each node, a bit for each, and an index and a word for each that a
 * flush packs at once, 16 MiB at most. GRAVEL_ACCUMULATE_MEMORY is the most for all accumulators of a node.
 *
 * Threads: any; calls for one accumulator one at a time, except for flushes. Destroy accumulators before their range is
 * freed, which is refused, and before their node is closed.
 *
 * Source:  Kokkos' ScatterView, and Gluon's reduce (Dathathri et al., PLDI 2018), for all words instead of a plan.
 */
#ifndef GRAVEL_ACCUMULATOR_H
#define GRAVEL_ACCUMULATOR_H

#include "gravel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque; made by gravel_accumulator_create. */
struct gravel_accumulator;

/**
 * Make an accumulator, in which nothing waits. Collective.
 *
 * @param out     [out] NULL on failure.
 * @param gravel  the node, which must stay open.
 * @param offset  heap offset of the range [bytes], a multiple of the type's; it lies in one allocation.
 * @param n       elements of each node's part of the range [count], 1 at least.
 * @param op      GRAVEL_INC to GRAVEL_XOR, GRAVEL_INC being GRAVEL_ADD; GRAVEL_ADD for GRAVEL_FLOAT and GRAVEL_DOUBLE.
 * @param type    GRAVEL_INT to GRAVEL_DOUBLE.
 * @return        0; GRAVEL_EINVAL (operation, type, offset, n, a range with words of another accumulator);
 *                GRAVEL_ERANGE (outside an allocation); GRAVEL_ECAPABILITY (no double, no 64-bit atomics);
 *                GRAVEL_ENOMEM, with the sizes; at all nodes what one of them met; GRAVEL_EMISMATCH if arguments
 *                differ; else as gravel_reduce.
 */
int gravel_accumulator_create(struct gravel_accumulator **out, struct gravel *gravel,
                              uint64_t offset, uint64_t n, uint32_t op, uint32_t type);

/**
 * Set a kernel's GRAVEL_ACCUMULATOR argument.
 *
 * @param index  of the argument, from 0.
 * @return       0; GRAVEL_EINVAL; GRAVEL_ECL.
 */
int gravel_kernel_set_accumulator(const struct gravel_accumulator *accumulator, cl_kernel kernel,
                                  cl_uint index);

/**
 * Send what kernels on gravel_cl_queue have added so far, behind them. Not collective. It is applied as other messages
 * are: gravel_quiet and gravel_barrier wait for that.
 *
 * @return  0; GRAVEL_ERANGE or GRAVEL_EINVAL: a kernel gave an index, node or type that is not there, and the call did
 *          nothing; GRAVEL_EINVAL in checked mode: the range was touched, see above; as gravel_launch and gravel_fence.
 */
int gravel_accumulator_flush(struct gravel_accumulator *accumulator);

/**
 * Begin a flush behind the kernels on gravel_cl_queue, without waiting for them: kernels that are enqueued next run
 * while words travel. Worth it where these take 0.1 ms and more. Not collective. The next flush of the accumulator, by
 * whatever call, completes this one, and sends what has been added since.
 *
 * @return  0, also if one has begun before; GRAVEL_EINVAL; GRAVEL_ECL; the node's failure.
 */
int gravel_accumulator_begin(struct gravel_accumulator *accumulator);

/**
 * Forget what GRAVEL_MIN, GRAVEL_MAX, GRAVEL_AND and GRAVEL_OR have sent, behind the kernels on gravel_cl_queue: the
 * next value of each word is sent whatever it is. Words that wait still wait, and a flush that has begun is completed.
 * Does nothing for the other operations, and where a node that is alone has no shadow. Not collective.
 *
 * @return  0; GRAVEL_EINVAL; GRAVEL_ECL; the node's failure.
 */
int gravel_accumulator_reset(struct gravel_accumulator *accumulator);

/**
 * Free an accumulator. NULL is allowed. Collective.
 *
 * @return  0; at all nodes GRAVEL_EINVAL if words of one wait, to be flushed, and GRAVEL_ERANGE or GRAVEL_EINVAL as
 *          gravel_accumulator_flush; else as gravel_reduce. After an error it stays, unless the node has failed.
 */
int gravel_accumulator_destroy(struct gravel_accumulator *accumulator);

#ifdef __cplusplus
}
#endif

#endif
