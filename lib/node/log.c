/* SPDX-License-Identifier: MIT */
/*
 * What a node logs: to the caller's function, and as GRAVEL_LOG has it to standard error. What its threads
 * ran into is noted as a failure too; a fatal failure ends every wait of the node.
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

/* What of the log goes to standard error, as GRAVEL_LOG numbers its choices. */
enum printed { WARNINGS, NOTHING, ALL };

bool gravel_prints_log(const struct gravel *gravel)
{
    return GRAVEL_CHOICE(&gravel->config, log) == ALL;
}

/* Prints without stdio, whose buffer and lock are the program's. What cannot be written is lost. */
void gravel_print(const struct gravel *gravel, const char *text)
{
    char begin[40] = "gravel: ";
    if (gravel->network.n_nodes) /* else the node does not know its number yet */
        snprintf(begin, sizeof begin, "gravel node %u: ", gravel->network.node);
    const struct iovec parts[] = {
        {begin, strlen(begin)}, {(char *)text, strlen(text)}, {(char *)"\n", 1}};
    if (writev(STDERR_FILENO, parts, 3) < 0)
        return;
}

void gravel_log_text(void *context, const char *text)
{
    const struct gravel *gravel = context;
    if (gravel->log)
        gravel->log(gravel->log_user, text);
    if (gravel_prints_log(gravel))
        gravel_print(gravel, text);
}

void gravel_log(struct gravel *gravel, const char *format, ...)
{
    char text[GRAVEL_ERROR_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gravel_log_text(gravel, text);
}

void gravel_warn(void *context, const char *text)
{
    const struct gravel *gravel = context;
    if (!gravel->log && GRAVEL_CHOICE(&gravel->config, log) == WARNINGS)
        gravel_print(gravel, text);
    else
        gravel_log_text(context, text);
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
