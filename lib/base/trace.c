/* SPDX-License-Identifier: MIT */
/*
 * Chrome trace writer. See trace.h.
 *
 * The array form of the format may end anywhere, so a trace cut short by a signal still loads.
 */
#include "base/trace.h"

#include "base/clock.h"
#include "base/error.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LATE_NS GRAVEL_NS_PER_S /* longest wait for kernels that have ended to be written */
#define LATE_REST_US 1000u

struct gravel_trace {
    FILE *file;           /* NULL once it is closed */
    pthread_mutex_t lock; /* one event is one line, whole */
    uint32_t node;
    uint32_t
        n_holders; /* the node, and kernels under way whose end is to be written; guarded by the lock */
};

/* "dir.d/t.json" -> "dir.d/t.3.json"; without a suffix the number goes to the end. */
static void name_file(char *name, size_t bytes, const char *path, uint32_t node)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    int stem = dot ? (int)(dot - path) : (int)strlen(path);
    snprintf(name, bytes, "%.*s.%u%s", stem, path, node, dot ? dot : "");
}

int gravel_trace_open(struct gravel_trace **out, const char *path, uint32_t node)
{
    char name[GRAVEL_CONFIG_STRING_BYTES + 16];
    name_file(name, sizeof name, path, node);
    *out = NULL;
    struct gravel_trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return gravel_fail(GRAVEL_ENOMEM, "trace");
    trace->file = fopen(name, "w");
    if (!trace->file) {
        free(trace);
        return gravel_fail(GRAVEL_ESYSTEM, "GRAVEL_TRACE: %s: %s", name, strerror(errno));
    }
    trace->node = node;
    trace->n_holders = 1;
    pthread_mutex_init(&trace->lock, NULL);
    fprintf(
        trace->file,
        "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%u,\"args\":{\"name\":\"node %u\"}}",
        node, node);
    *out = trace;
    return 0;
}

void gravel_trace_hold(struct gravel_trace *trace)
{
    pthread_mutex_lock(&trace->lock);
    trace->n_holders++;
    pthread_mutex_unlock(&trace->lock);
}

void gravel_trace_let_go(struct gravel_trace *trace)
{
    pthread_mutex_lock(&trace->lock);
    bool is_last = --trace->n_holders == 0;
    pthread_mutex_unlock(&trace->lock);
    if (!is_last)
        return;
    pthread_mutex_destroy(&trace->lock);
    free(trace);
}

static bool is_held_by_others(struct gravel_trace *trace)
{
    pthread_mutex_lock(&trace->lock);
    bool is_held = trace->n_holders > 1;
    pthread_mutex_unlock(&trace->lock);
    return is_held;
}

void gravel_trace_close(struct gravel_trace *trace, bool wait)
{
    if (!trace)
        return;
    uint64_t until_ns = gravel_clock_ns() + LATE_NS;
    while (wait && is_held_by_others(trace) && gravel_clock_ns() < until_ns)
        usleep(LATE_REST_US);
    pthread_mutex_lock(&trace->lock);
    fprintf(trace->file, "\n]\n");
    fclose(trace->file);
    trace->file = NULL;
    pthread_mutex_unlock(&trace->lock);
    gravel_trace_let_go(trace);
}

static double microseconds(uint64_t ns)
{
    return (double)ns * 1e-3;
}

void gravel_trace_span(struct gravel_trace *trace, const char *name, uint64_t begin_ns,
                       uint64_t end_ns)
{
    if (!trace)
        return;
    pthread_mutex_lock(&trace->lock);
    fprintf(trace->file,
            ",\n{\"name\":\"%s\",\"cat\":\"wait\",\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,\"pid\":%u,"
            "\"tid\":%d}",
            name, microseconds(begin_ns), microseconds(end_ns - begin_ns), trace->node,
            (int)gettid());
    pthread_mutex_unlock(&trace->lock);
}

void gravel_trace_async(struct gravel_trace *trace, const char *name, uint64_t id,
                        uint64_t begin_ns, uint64_t end_ns)
{
    if (!trace)
        return;
    static const char event[] = ",\n{\"name\":\"%s\",\"cat\":\"kernel\",\"ph\":\"%s\",\"id\":%llu,"
                                "\"ts\":%.3f,\"pid\":%u,\"tid\":0}";
    pthread_mutex_lock(&trace->lock);
    if (trace->file) {
        fprintf(trace->file, event, name, "b", (unsigned long long)id, microseconds(begin_ns),
                trace->node);
        fprintf(trace->file, event, name, "e", (unsigned long long)id, microseconds(end_ns),
                trace->node);
    }
    pthread_mutex_unlock(&trace->lock);
}

void gravel_trace_buffer(struct gravel_trace *trace, const char *name, uint32_t peer,
                         uint32_t bytes)
{
    if (!trace)
        return;
    pthread_mutex_lock(&trace->lock);
    fprintf(
        trace->file,
        ",\n{\"name\":\"%s\",\"cat\":\"buffer\",\"ph\":\"i\",\"s\":\"t\",\"ts\":%.3f,\"pid\":%u,"
        "\"tid\":%d,\"args\":{\"peer\":%u,\"bytes\":%u}}",
        name, microseconds(gravel_clock_ns()), trace->node, (int)gettid(), peer, bytes);
    pthread_mutex_unlock(&trace->lock);
}
