/* SPDX-License-Identifier: MIT */
/*
 * Requests (get, swap, fetch-and-operate, compare and swap) and signals in a checked node buffer.
 *
 * A request's value row has room for its answer: the word's old value takes the place of the value. So a run of
 * requests that has been applied is the run of its answers, which then go back to its sender. Signals are raised
 * when all messages of the frame have been applied, by whichever thread.
 *
 * Path:    apply.c (or the device resolver) -> requests.c -> the heap; answers -> lib/network/reply.c.
 * Owner:   the caller owns frame and heap.
 * Threads: gravel_requests_apply as gravel_apply_frame; gravel_requests_finish once all shards are done.
 * Source:  OpenSHMEM 1.5, sections 9.7 and 9.8; the answer as a message is the reply of active messages (Orr 2016, 5.2.3).
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
                                const uint64_t *requests, const unsigned char *answers);

/**
 * Apply the requests of a run whose words the shard owns, and leave the old values in the first value row.
 *
 * @return  requests applied [count].
 */
uint64_t gravel_requests_apply(unsigned char *heap, struct gravel_shard shard, unsigned char *run);

/**
 * Finish a frame all of whose messages have been applied: raise its signals, send its answers.
 *
 * @param heap   offset 0 of the symmetric heap; NULL where signals have been raised already.
 *
 * Memory:  Q1 releases to whoever waits for a signal everything applied before.
 */
void gravel_requests_finish(const void *frame, unsigned char *heap, gravel_apply_reply *reply,
                            void *context);

#endif
