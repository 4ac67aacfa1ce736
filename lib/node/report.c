/* SPDX-License-Identifier: MIT */
/*
 * What the node's threads ran into: to the log and the books of failures; a fatal failure ends every wait of the node.
 *
 * Path:    any thread of the node -> report.c -> log, error.c; kernels (H1), threads (H2).
 * Threads: any.
 */
#include "node/node.h"

/* Let every wait of the node end: kernels see H1, threads H2. */
static void abort_node(struct gravel *gravel)
{
    atomic_store_explicit(&gravel->aborted, true, memory_order_relaxed); /* H2 */
    if (gravel->arena)
        gravel_word_store(&gravel->arena->abort, 1, memory_order_relaxed); /* H1 */
    gravel_network_wake(&gravel->network);
    for (uint32_t i = 0; gravel->aggregators && i < gravel->config.n_aggregators; i++) {
        struct gravel_aggregator *aggregator = &gravel->aggregators[i];
        if (aggregator->sender)
            gravel_event_signal(&aggregator->sender->returned);
        gravel_event_signal(&aggregator->flushed);
    }
}

void gravel_report(void *context, int code, bool is_fatal, const char *text)
{
    struct gravel *gravel = context;
    gravel_log(gravel, "%s: %s", gravel_strerror(code), text);
    if (!is_fatal)
        gravel_failure_note_refusal(&gravel->failure, code, text);
    else if (gravel_failure_note_fatal(&gravel->failure, code, text))
        abort_node(gravel);
}
