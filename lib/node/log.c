/* SPDX-License-Identifier: MIT */
/*
 * What a node tells while it runs: to the caller's log, and as GRAVEL_LOG has it to standard error. What its threads
 * ran into goes to the books of failures too; a fatal failure ends every wait of the node.
 *
 * Path:    any thread of the node -> log.c -> the caller's function, standard error, error.c; kernels (H1), threads
 *          (H2).
 * Threads: any. A line is one write, so that those of several threads and ranks stay whole.
 */
#include "node/node.h"
#include "settings/settings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

struct gravel_listener gravel_listener_of(const struct gravel *gravel)
{
    return (struct gravel_listener){
        .log = gravel->log,
        .user = gravel->log_user,
        .printed = GRAVEL_CHOICE(&gravel->config, log),
        .node = gravel->network.node,
        .n_nodes = gravel->network.n_nodes,
    };
}

/* Not by stdio, whose buffer and lock are the program's. What cannot be written is lost. */
void gravel_listener_print(const struct gravel_listener *listener, const char *text)
{
    char begin[40];
    const int n = listener->n_nodes
                      ? snprintf(begin, sizeof begin, "gravel node %u: ", listener->node)
                      : snprintf(begin, sizeof begin, "gravel: ");
    const struct iovec parts[] = {
        {begin, (size_t)n}, {(char *)text, strlen(text)}, {(char *)"\n", 1}};
    if (writev(STDERR_FILENO, parts, 3) < n)
        return;
}

void gravel_listener_tell(const struct gravel_listener *listener, const char *text)
{
    if (listener->log)
        listener->log(listener->user, text);
    if (listener->printed == GRAVEL_PRINTED_ALL)
        gravel_listener_print(listener, text);
}

void gravel_log(struct gravel *gravel, const char *format, ...)
{
    const struct gravel_listener listener = gravel_listener_of(gravel);
    char text[GRAVEL_ERROR_BYTES];
    if (!listener.log && listener.printed != GRAVEL_PRINTED_ALL)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gravel_listener_tell(&listener, text);
}

void gravel_tell(void *context, const char *text)
{
    gravel_log(context, "%s", text);
}

void gravel_warn(void *context, const char *text)
{
    const struct gravel_listener listener = gravel_listener_of(context);
    if (!listener.log && listener.printed == GRAVEL_PRINTED_WARNINGS)
        gravel_listener_print(&listener, text);
    else
        gravel_listener_tell(&listener, text);
}

/* ---- what the node's threads ran into -------------------------------------------------------------- */

/* Wakes kernels, and what waits for aggregators or in them. The lock is held. */
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
