/* SPDX-License-Identifier: MIT */
/*
 * What the node's threads ran into: to the books of failures and the log; a fatal failure ends every wait of the node.
 *
 * Path:    any thread of the node -> report.c -> log, error.c; kernels (H1), threads (H2).
 * Threads: any.
 */
#include "node/node.h"

/* Kernels, and who waits for aggregators or in them. The lock is held. */
static void wake_outbound(struct gravel *gravel)
{
    gravel_word_store(&gravel->arena->abort, 1, memory_order_relaxed); /* H1 */
    for (uint32_t i = 0; i < gravel->config.n_aggregators; i++) {
        gravel_event_signal(&gravel->aggregators[i].sender->returned);
        gravel_event_signal(&gravel->aggregators[i].records->returned);
        gravel_event_signal(&gravel->aggregators[i].flushed);
    }
}

void gravel_report_to_outbound(struct gravel *gravel, bool has_outbound)
{
    pthread_mutex_lock(&gravel->outbound_lock);
    gravel->has_outbound = has_outbound;
    if (has_outbound && gravel_node_has_failed(gravel)) /* before there was any to wake */
        wake_outbound(gravel);
    pthread_mutex_unlock(&gravel->outbound_lock);
}

void gravel_report(void *context, int code, bool is_fatal, const char *text)
{
    struct gravel *gravel = context;
    if (!is_fatal) {
        gravel_failure_note_refusal(&gravel->failure, code, text);
    } else if (gravel_failure_note_fatal(&gravel->failure, code, text)) {
        gravel_network_wake(&gravel->network); /* kernels see H1, threads H2 */
        pthread_mutex_lock(&gravel->outbound_lock);
        if (gravel->has_outbound)
            wake_outbound(gravel);
        pthread_mutex_unlock(&gravel->outbound_lock);
    }
    gravel_log(gravel, "%s: %s", gravel_strerror(code), text); /* whose function may not return */
}
