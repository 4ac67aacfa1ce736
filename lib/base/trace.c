/* SPDX-License-Identifier: MIT */
/*
 * Chrome trace writer. See trace.h.
 *
 * The array form of the format may end anywhere, so a trace cut short by a signal still loads.
 */
#include "base/trace.h"

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/error.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define LATE_NS GRAVEL_NS_PER_S /* longest wait for kernels that have ended to be written */
#define LATE_REST_US 1000u
#define NAME_BYTES (GRAVEL_CONFIG_STRING_BYTES + 16)
#define EVENT_BYTES 512

static const char end_text[] = "\n]\n";

struct gravel_trace {
    FILE *file;           /* NULL once it is closed */
    pthread_mutex_t lock; /* one event is one line, whole */
    uint32_t node;
    /* The node, and kernels under way whose end is to be written. This and what follows: under the lock. */
    uint32_t n_holders;
    uint64_t room;
    /* bytes that events may still take: to write beyond RLIMIT_FSIZE ends the process */
    int error; /* errno of the first event that could not be written */
    char name[NAME_BYTES];
};

/* Returns the bytes that files may have. */
static uint64_t file_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) ? UINT64_MAX : limit.rlim_cur;
}

/* Writes an event, whole or not at all; no event follows one that was left out. */
__attribute__((format(printf, 2, 3))) static void put(struct gravel_trace *trace,
                                                      const char *format, ...)
{
    char text[EVENT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= sizeof text)
        return;
    pthread_mutex_lock(&trace->lock);
    if (trace->file && !trace->error) {
        if ((uint64_t)n > trace->room)
            trace->error = EFBIG;
        else if (fwrite(text, (size_t)n, 1, trace->file) != 1)
            trace->error = errno;
        trace->room -= trace->error ? 0 : (uint64_t)n;
    }
    pthread_mutex_unlock(&trace->lock);
}

int gravel_trace_open(struct gravel_trace **out, const char *path, uint32_t node)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    int stem = dot ? (int)(dot - path) : (int)strlen(path), descriptor = -1;
    *out = NULL;
    struct gravel_trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return gravel_fail(GRAVEL_ENOMEM, "trace");
    /* "dir.d/t.json" -> "dir.d/t.3.json"; without a suffix the number goes to the end. */
    snprintf(trace->name, sizeof trace->name, "%.*s.%u%s", stem, path, node, dot ? dot : "");
    errno = EFBIG;
    if (file_limit() >= EVENT_BYTES)
        descriptor = gravel_descriptor_lift(
            open(trace->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    trace->file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!trace->file) {
        int code =
            gravel_fail(GRAVEL_ESYSTEM, "GRAVEL_TRACE: %s: %s", trace->name, strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        free(trace);
        return code;
    }
    trace->node = node;
    trace->n_holders = 1;
    trace->room = file_limit() - sizeof end_text;
    put(trace,
        "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%u,\"args\":{\"name\":\"node %u\"}}",
        node, node);
    *out = trace;
    return 0;
}

/* Counts holders. @return how many there are then. */
static uint32_t count_holders(struct gravel_trace *trace, int change)
{
    pthread_mutex_lock(&trace->lock);
    uint32_t n_holders = trace->n_holders += (uint32_t)change;
    pthread_mutex_unlock(&trace->lock);
    return n_holders;
}

void gravel_trace_hold(struct gravel_trace *trace)
{
    count_holders(trace, 1);
}

void gravel_trace_let_go(struct gravel_trace *trace)
{
    if (count_holders(trace, -1))
        return;
    free(trace);
}

int gravel_trace_close(struct gravel_trace *trace, bool wait)
{
    if (!trace)
        return 0;
    uint64_t until_ns = gravel_clock_ns() + LATE_NS;
    while (wait && count_holders(trace, 0) > 1 && gravel_clock_ns() < until_ns)
        usleep(LATE_REST_US);
    pthread_mutex_lock(&trace->lock);
    int code = 0;
    bool is_written = fputs(end_text, trace->file) >= 0;
    if (fclose(trace->file) || !is_written)
        trace->error = trace->error ? trace->error : errno;
    trace->file = NULL;
    const int error = trace->error;
    if (error)
        code = gravel_fail(GRAVEL_ESYSTEM, "GRAVEL_TRACE: %s ends early: %s%s", trace->name,
                           strerror(error), error == EFBIG ? " (RLIMIT_FSIZE, ulimit -f)" : "");
    pthread_mutex_unlock(&trace->lock);
    gravel_trace_let_go(trace);
    return code;
}

/* Microseconds, in any locale. */
#define TIME "%" PRIu64 ".%03u"
#define TIME_OF(ns) ((ns) / 1000), (unsigned)((ns) % 1000)

void gravel_trace_span(struct gravel_trace *trace, const char *name, uint64_t begin_ns,
                       uint64_t end_ns)
{
    if (!trace)
        return;
    put(trace,
        ",\n{\"name\":\"%s\",\"cat\":\"wait\",\"ph\":\"X\",\"ts\":" TIME ",\"dur\":" TIME
        ",\"pid\":%u,\"tid\":%d}",
        name, TIME_OF(begin_ns), TIME_OF(end_ns - begin_ns), trace->node, (int)gettid());
}

void gravel_trace_async(struct gravel_trace *trace, const char *name, uint64_t id,
                        uint64_t begin_ns, uint64_t end_ns)
{
    const uint64_t at_ns[] = {begin_ns, end_ns};
    for (int end = 0; trace && end < 2; end++)
        put(trace,
            ",\n{\"name\":\"%s\",\"cat\":\"kernel\",\"ph\":\"%c\",\"id\":%" PRIu64 ",\"ts\":" TIME
            ",\"pid\":%u,\"tid\":0}",
            name, "be"[end], id, TIME_OF(at_ns[end]), trace -> node);
}

void gravel_trace_buffer(struct gravel_trace *trace, const char *name, uint32_t peer,
                         uint32_t bytes)
{
    if (!trace)
        return;
    put(trace,
        ",\n{\"name\":\"%s\",\"cat\":\"buffer\",\"ph\":\"i\",\"s\":\"t\",\"ts\":" TIME
        ",\"pid\":%u,\"tid\":%d,\"args\":{\"peer\":%u,\"bytes\":%u}}",
        name, TIME_OF(gravel_clock_ns()), trace->node, (int)gettid(), peer, bytes);
}
