/* SPDX-License-Identifier: MIT */
/*
 * Applying a checked node buffer to this node's part of the symmetric heap.
 *
 * Path:    decode.h has passed the buffer -> apply.h -> words of the heap, and handlers.
 * Owner:   the caller owns frame and heap; nothing is kept.
 * Threads: one thread applies everything, so a word is changed by one thread only, and in the order of the messages.
 *          Others may read; they never see a torn word.
 * Source:  Orr 2016, section 5.2: one network thread serializes updates, so they need no
 *          read-modify-write.
 */
#ifndef GRAVEL_RESOLVE_APPLY_H
#define GRAVEL_RESOLVE_APPLY_H

#include "transport/wire.h"

#include <stdbool.h>

/**
 * Run an active message.
 *
 * @param args    [GRAVEL_AM_MAX_ARGS] those not sent are 0.
 * @param answer  [in, out] 0 before; of a handler that answers.
 * @return        0, or the handler's complaint.
 */
typedef int gravel_apply_call(void *context, uint32_t handler, uint32_t source,
                              const uint64_t args[GRAVEL_AM_MAX_ARGS], uint64_t *answer);

/** Where to apply. */
struct gravel_apply {
    unsigned char *heap; /* offset 0 of the symmetric heap, 8-byte aligned */
    gravel_apply_call *call;
    void *context; /* handed to call */
};

/** What was done. */
struct gravel_applied {
    uint64_t n_messages; /* applied */
    int result;          /* first result of a handler that was not 0, else 0 */
    uint32_t handler;    /* the handler that gave it */
    uint64_t n_failed;   /* active messages whose result was not 0 */
    bool has_signals;    /* the frame is not done with: see gravel_requests_finish */
};

/**
 * Apply runs of a frame, in order: from byte `from` to before byte `to` of the frame.
 *
 * @param frame    passed by gravel_decode_check, 8-byte aligned, and unchanged since; requests in it get their answers.
 * @param applied  added to.
 *
 * A failed handler stops nothing: the remaining messages are applied.
 *
 * Memory:  relaxed loads and stores of whole words; order among threads is the caller's business.
 */
void gravel_apply_runs(const struct gravel_apply *apply, void *frame, uint64_t from, uint64_t to,
                       struct gravel_applied *applied);

/**
 * Send the answers of a run of requests back.
 *
 * @param run       applied: its type, result and signal.
 * @param source    who asked.
 * @param requests  [n_messages] of the run, with the positions of the answers.
 * @param answers   [n_messages] words of the run's type.
 */
typedef void gravel_apply_reply(void *context, const struct gravel_signal_run *run, uint32_t source,
                                const void *requests, const unsigned char *answers);

/**
 * Finish a frame all of whose messages have been applied: raise its signals, send its answers.
 *
 * A request has room for its answer: the word's old value replaces the value, and what a handler answers is
 * behind its arguments. So a run of requests that has been applied is the run of its answers, which then goes back to
 * its sender; those of a run that waits in the line of keyed messages, when it has been run. Signals are raised when
 * all messages of the frame have been applied.
 *
 * @param heap   offset 0 of the symmetric heap; NULL where signals have been raised already.
 *
 * Memory:  Q1 releases everything applied before to the thread that waits for a signal.
 */
void gravel_requests_finish(const void *frame, unsigned char *heap, gravel_apply_reply *reply,
                            void *context);

#endif
