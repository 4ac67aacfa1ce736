/* SPDX-License-Identifier: MIT */
/*
 * What a node buffer asks for once its messages have been applied: signals, and answers to requests.
 *
 * A request has room for its answer: the word's old value takes the place of the value, and what a handler answers
 * stands behind its arguments. So a run of requests that has been applied is the run of its answers, which then go back
 * to its sender; those of a run that waits in the line of keyed messages, when it has been run. Signals are raised
 * when all messages of the frame have been applied.
 *
 * Path:    apply.c (or the device resolver) -> requests.c -> the heap; answers -> lib/network/resolving.c.
 * Owner:   the caller owns frame and heap.
 * Threads: the network thread.
 * Source:  OpenSHMEM 1.5, sections 9.7 and 9.8; the answer as a message is the reply of active messages (Orr 2016,
 *          5.2.3).
 */
#ifndef GRAVEL_RESOLVE_REQUESTS_H
#define GRAVEL_RESOLVE_REQUESTS_H

#include "resolve/apply.h"

/**
 * Send the answers of a run of requests back.
 *
 * @param run       applied: its type, result and signal.
 * @param source    who asked.
 * @param requests  [n_messages] of the run, with the places of the answers.
 * @param answers   [n_messages] words of the run's type.
 */
typedef void gravel_apply_reply(void *context, const struct gravel_signal_run *run, uint32_t source,
                                const void *requests, const unsigned char *answers);

/**
 * Finish a frame all of whose messages have been applied: raise its signals, send its answers.
 *
 * @param heap   offset 0 of the symmetric heap; NULL where signals have been raised already.
 *
 * Memory:  Q1 releases everything applied before to the thread that waits for a signal.
 */
void gravel_requests_finish(const void *frame, unsigned char *heap, gravel_apply_reply *reply,
                            void *context);

#endif
