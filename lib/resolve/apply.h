/* SPDX-License-Identifier: MIT */
/*
 * Applying a checked node buffer to this node's part of the symmetric heap.
 *
 * Path:    decode.h has passed the buffer -> apply.h -> words of the heap, and handlers.
 * Owner:   the caller owns frame and heap; nothing is kept.
 * Threads: a word is changed by one thread only: one thread applies everything, or each of several
 *          its shard of every buffer. Others may look on; they never see a torn word.
 * Source:  Orr 2016, section 5.2: one network thread serializes updates, so they need no
 *          read-modify-write.
 */
#ifndef GRAVEL_RESOLVE_APPLY_H
#define GRAVEL_RESOLVE_APPLY_H

#include "transport/wire.h"

#include <stdbool.h>

#define GRAVEL_SHARD_PAGE_SHIFT 12u

/**
 * Words a thread owns: those whose heap offset's 4 KiB page number is `index` modulo `count`.
 * Active messages belong to shard 0. {0, 1} is everything.
 */
struct gravel_shard {
    uint32_t index; /* 0 <= index < count */
    uint32_t count; /* 1 to 4096 */
};

/**
 * Run an active message.
 *
 * @param args  [GRAVEL_AM_MAX_ARGS] those not sent are 0.
 * @return      0, or the handler's complaint.
 */
typedef int gravel_apply_call(void *context, uint32_t handler, uint32_t source,
                              const uint64_t args[GRAVEL_AM_MAX_ARGS]);

/** Where to apply, and which part. */
struct gravel_apply {
    unsigned char *heap; /* offset 0 of the symmetric heap, 8-byte aligned */
    struct gravel_shard shard;
    gravel_apply_call *call;
    void *context; /* handed to call */
};

/** What was done. */
struct gravel_applied {
    uint64_t n_messages; /* applied by this shard; summed over the shards, all of the frame */
    int result;          /* first result of a handler that was not 0, else 0 */
    uint32_t handler;    /* the handler that gave it */
    uint64_t n_failed;   /* active messages whose result was not 0 */
    bool has_signals;    /* the frame is not done with: see requests.h */
};

/**
 * Apply the messages of a frame, run by run, in order.
 *
 * @param frame    passed by gravel_decode_check, 8-byte aligned, and unchanged since; requests in it get their answers.
 * @param applied  [out] overwritten.
 *
 * A failed handler stops nothing: the remaining messages are applied.
 *
 * Memory:  relaxed loads and stores of whole words; order among threads is the caller's business.
 */
void gravel_apply_frame(const struct gravel_apply *apply, void *frame,
                        struct gravel_applied *applied);

/** Apply a part of a frame: the runs from byte `from` to before byte `to` of the frame. */
void gravel_apply_runs(const struct gravel_apply *apply, void *frame, uint64_t from, uint64_t to,
                       struct gravel_applied *applied);

#endif
