/* SPDX-License-Identifier: MIT */
/*
 * What a node tells while it runs: to the caller's log, and as GRAVEL_LOG has it to standard error.
 *
 * Path:    open.c, report.c, close.c, stats.c -> log.c -> the caller's function; standard error.
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
