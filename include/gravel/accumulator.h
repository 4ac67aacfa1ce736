/* SPDX-License-Identifier: MIT */
/**
 * @file accumulator.h
 * Words of all nodes that kernels add to, each by one atomic operation on own memory: a word that has changed is sent
 * as one message, however often it was added to.
 *
 *     gravel_accumulator_create(&accumulator, gravel, ranks, n, GRAVEL_ADD, GRAVEL_FLOAT);
 *     gravel_kernel_set_accumulator(accumulator, kernel, 1);
 *     gravel_launch(gravel, kernel, ...);     gravel_accumulate_float_wi(g, a, index, value, node), any work-item
 *     gravel_barrier(gravel);                 flushes, and waits
 *
 * An accumulator has a *shadow* of a range of an array, of every node's part, in the own device's memory. Kernels
 * change the shadow; a *flush* sends changed words to their owners, as messages of the same operation, and costs what
 * has changed. gravel_fence, gravel_quiet, gravel_barrier, gravel_free and other calls with a barrier first flush all
 * accumulators of the node; any thread may flush.
 *
 * - After a flush words of GRAVEL_ADD, GRAVEL_INC and GRAVEL_XOR begin again. Those of GRAVEL_MIN, GRAVEL_MAX,
 *   GRAVEL_AND and GRAVEL_OR stay, so a value that improves nothing costs one load. A program that resets the array
 *   calls gravel_barrier before, and gravel_accumulator_reset at every node afterwards.
 * - No call drops what a kernel has added: the next flush that succeeds has sent each update once.
 * - The own node's words change at the flush, too; at once if the node is alone, except in checked mode.
 * - A range has one accumulator, of one operation and type. While words of it wait, no put, get or other update of the
 *   range is sent: their order is undefined. Checked mode makes the flush GRAVEL_EINVAL, with the call or kernel of
 *   this node.
 * - Kernels that add run on gravel_cl_queue. A kernel on another queue has ended before a flush, and the flush before
 *   the next such kernel.
 * - Sums of GRAVEL_FLOAT and GRAVEL_DOUBLE depend on timing and on the number of nodes; fixed-point sums of GRAVEL_LONG
 *   do not (accumulator.cl.h).
 *
 * Memory:  for each node as many words as the range has, and a bit for each; an index and a word for each that a flush
 *          packs at once, 16 MiB at most. GRAVEL_ACCUMULATE_MEMORY bounds all accumulators of a node.
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
 * Makes an accumulator. Collective.
 *
 * @param offset  of the range, a multiple of the type's size.
 * @param n       elements of each node's part of the range, at least 1.
 * @param op      GRAVEL_INC to GRAVEL_XOR, GRAVEL_INC being GRAVEL_ADD; GRAVEL_ADD for GRAVEL_FLOAT and GRAVEL_DOUBLE.
 * @param type    GRAVEL_INT to GRAVEL_DOUBLE.
 * @return        0; GRAVEL_EINVAL (also a range with words of another accumulator); GRAVEL_ERANGE; GRAVEL_ECAPABILITY
 *                (no double, no 64-bit atomics); as gravel_reduce.
 */
int gravel_accumulator_create(struct gravel_accumulator **out, struct gravel *gravel,
                              uint64_t offset, uint64_t n, uint32_t op, uint32_t type);

/**
 * Sets a kernel's GRAVEL_ACCUMULATOR argument.
 *
 * @param index  of the argument, from 0.
 */
int gravel_kernel_set_accumulator(const struct gravel_accumulator *accumulator, cl_kernel kernel,
                                  cl_uint index);

/**
 * Sends what kernels on gravel_cl_queue have added, after they have ended. Applied after gravel_quiet or
 * gravel_barrier.
 *
 * @return  0; GRAVEL_ERANGE or GRAVEL_EINVAL (a kernel gave an index, node or type that does not exist, or a
 *          fixed-point value out of range: that update did nothing); as gravel_launch and gravel_fence.
 */
int gravel_accumulator_flush(struct gravel_accumulator *accumulator);

/**
 * Begins a flush after the kernels on gravel_cl_queue, without waiting for them: later kernels run while words are
 * sent, which pays if they take at least 0.1 ms. The accumulator's next flush, by any call, completes this one, and
 * sends what has been added since.
 *
 * @return  0, also if one has begun before.
 */
int gravel_accumulator_begin(struct gravel_accumulator *accumulator);

/**
 * Forgets what GRAVEL_MIN, GRAVEL_MAX, GRAVEL_AND and GRAVEL_OR have sent, after the kernels on gravel_cl_queue: the
 * next value of each word is sent, whatever it is. Words that wait still wait, and a begun flush is completed. Other
 * operations, and a node without a shadow, ignore the call.
 */
int gravel_accumulator_reset(struct gravel_accumulator *accumulator);

/**
 * Frees an accumulator. Collective. After an error it stays, unless the node has failed.
 *
 * @return  0; GRAVEL_EINVAL (words of a node wait for a flush); as gravel_accumulator_flush and gravel_reduce.
 */
int gravel_accumulator_destroy(struct gravel_accumulator *accumulator);

#ifdef __cplusplus
}
#endif

#endif
