/* SPDX-License-Identifier: MIT */
/*
 * Applying node buffers to a heap that only the device can address: the counterpart of apply.h for the steps of the
 * capability ladder without shared memory.
 *
 * Every run of words is a kernel or three, enqueued in the runs' order, and so is one of active messages that the
 * device runs; others are run by the host in between. A long frame of updates and puts in pinned memory is kept: it is
 * uploaded from where it lies, no thread of the host reads or copies a message, and the device checks its indices, then
 * applies the frame as a whole or nothing of it. A part of a block that never left the device (received->rows) takes
 * the same way without the upload, and its memory is given back when it is applied.
 *
 * Path:    resolver.c, decode.h -> device_resolver.h -> runs.h -> cl/kernels/resolve.cl, and handlers.
 * Owner:   the resolver owns its queues, program and buffers, and retains context and arena; a frame is the owner's
 *          again when give_back is called, one that is not kept when the call returns.
 * Threads: one at a time; the callbacks are made by it. No other kernel or thread changes heap words, but the caller's
 *          own kernels.
 */
#ifndef GRAVEL_RESOLVE_ON_DEVICE_DEVICE_RESOLVER_H
#define GRAVEL_RESOLVE_ON_DEVICE_DEVICE_RESOLVER_H

#include "resolve/resolver.h"

struct gravel_device_resolver;

/* A pinned frame so long [bytes] is uploaded in less time than it takes to copy it. */
#define GRAVEL_STRAIGHT_BYTES (256u << 10)

/**
 * Build the kernels and allocate room for some frames.
 *
 * @return  0; GRAVEL_EBUILD; GRAVEL_ECL; GRAVEL_ENOMEM.
 */
int gravel_device_resolver_create(struct gravel_device_resolver **out,
                                  const struct gravel_resolver_shape *shape);

/** Release everything; NULL is allowed. @return false if the device may still use it: it stays. */
bool gravel_device_resolver_destroy(struct gravel_device_resolver *resolver);

/**
 * Apply the messages of a frame, run by run, in order: handlers before the call returns, words by commands that
 * are under way then. gravel_device_resolver_finish waits for them.
 *
 * @param apply        call and context for active messages; its heap is not used.
 * @param heap_offset  from the start of the arena to offset 0 of the node's heap [bytes], a multiple of 8.
 * @param frame        passed by gravel_decode_check, 8-byte aligned; its requests have their answers when the call
 *                     returns, and its signals are raised with its messages.
 * @param applied      [out] as gravel_apply_frame fills it; after an error, what was enqueued before.
 * @return             0; GRAVEL_ECL, and then the heap may have a part of the frame; GRAVEL_EINVAL: the frame is longer
 *                     than max_frame_bytes, and nothing is applied.
 *
 * A failed handler stops nothing. Sums of floats are in no particular order.
 *
 * Memory:  kernels and copies enqueued, to any queue of the context, after finish has returned see what was applied.
 */
int gravel_device_resolver_apply(struct gravel_device_resolver *resolver,
                                 const struct gravel_apply *apply, uint64_t heap_offset,
                                 void *frame, struct gravel_applied *applied);

/**
 * Keep a frame until the device has it, and apply it then, in its turn, if it is one whose indices the device checks.
 *
 * @param frame       [received->bytes] as received.
 * @param is_planned  [out] it is such a frame: kept, unless it is refused or the call fails; false: it is another.
 * @param refusal     [out] why it is refused.
 * @return            0; GRAVEL_ECL, or given up, and the frame is not kept.
 */
int gravel_device_resolver_keep(struct gravel_device_resolver *resolver, const void *frame,
                                const struct gravel_received *received,
                                const struct gravel_expect *expect, uint64_t heap_offset,
                                bool *is_planned, struct gravel_refusal *refusal);

/* Do what the functions of resolver.h do. After an error that is not a handler's, frames are lost: every call that
 * follows says so. */
int gravel_device_resolver_apply_in_place(struct gravel_device_resolver *resolver,
                                          const uint32_t *tickets, uint32_t n_queues,
                                          cl_command_queue *behind);
int gravel_device_resolver_give_back(struct gravel_device_resolver *resolver);
int gravel_device_resolver_poll(struct gravel_device_resolver *resolver, bool *moved);
int gravel_device_resolver_begin_finish(struct gravel_device_resolver *resolver);
int gravel_device_resolver_finish(struct gravel_device_resolver *resolver);

#endif
