/* SPDX-License-Identifier: MIT */
/*
 * Frames between the network thread and the writer, and the writer's thread. See spool.h.
 *
 * Path:    spool.h -> this -> format.c, output.c, the caller's functions.
 */
#include "spool/spool.h"

#include "base/await.h"
#include "base/caller.h"
#include "base/clock.h"
#include "base/counter.h"
#include "base/thread.h"
#include "resolve/apply.h"
#include "spool/format.h"
#include "spool/output.h"
#include "transport/list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PRINT_FAILED (-1) /* the caller's function for lines has */

/* A frame is the writer's between the two lists. */
struct gravel_spool {
    struct gravel_spool_shape shape;
    struct gravel_thread thread; /* STOPS: once todo is empty; GIVES_UP: at once */
    struct gravel_list todo, done;
    struct gravel_event event; /* wakes the thread */
    struct gravel_event ended;
    _Atomic uint64_t n_bytes,
        n_lines; /* counters, of what has been written; as bytes count records too, and 1 a question */
    _Atomic uint32_t in_function; /* row whose function runs, 0: none; relaxed, for a text alone */
    _Atomic uint64_t n_lost;      /* counter: lines that could not be; M3 of their frame orders */
    _Atomic int error;            /* of the system, or PRINT_FAILED: no line follows; as n_lost */
    /* The network thread's. */
    uint64_t pushed, passed; /* [bytes] of frames, since the beginning */
    uint64_t seen_bytes;     /* n_bytes, when it last grew */
    uint64_t moved_ns;       /* then; UINT64_MAX: nothing waits, or the next check says */
    uint64_t reported_lost;  /* n_lost, as of the last report */
};

/* ---- lines ----------------------------------------------------------------------------------- */

/* Counts lines: what a newline ends. */
static uint64_t count_lines(const char *text, size_t bytes)
{
    uint64_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += text[i] == '\n';
    return n;
}

/* Keeps the first error. The list that the frame goes back by orders it. @return whether there is one. */
static bool has_failed(struct gravel_spool *spool, int error)
{
    const int before = atomic_load_explicit(&spool->error, memory_order_relaxed);
    if (!before && error)
        atomic_store_explicit(&spool->error, error, memory_order_relaxed);
    return before || error;
}

/* Begins a function of the caller's in this thread. @param number  of its row; 0: it takes lines. */
static void begin_function(struct gravel_spool *spool, uint32_t number)
{
    atomic_store_explicit(&spool->in_function, number, memory_order_relaxed);
    gravel_in_handler_of = spool->shape.endpoints->node;
    gravel_in_handler_is_concurrent = true; /* the writer is not the network thread */
}

/* Ends a function: what it sent leaves before its records count as dealt with. */
static void end_function(struct gravel_spool *spool)
{
    gravel_in_handler_of = NULL;
    spool->shape.endpoints->flush(spool->shape.endpoints->node);
    atomic_store_explicit(&spool->in_function, 0, memory_order_relaxed);
}

/* Writes what is ready, or gives it to the caller's function. */
static void write_ready(void *context, struct gravel_characters *out)
{
    struct gravel_spool *spool = context;
    const struct gravel_endpoints *endpoints = spool->shape.endpoints;
    size_t n_written = 0;
    if (!has_failed(spool, 0) && !endpoints->print) {
        has_failed(spool, gravel_output_write(out->text, out->n, &spool->thread, &spool->n_bytes,
                                              &n_written));
    } else if (!has_failed(spool, 0)) {
        begin_function(spool, 0);
        const int result = endpoints->print(endpoints->print_user, out->text, out->n);
        end_function(spool);
        n_written = has_failed(spool, result ? PRINT_FAILED : 0) ? 0 : out->n;
        gravel_counter_add(&spool->n_bytes, n_written);
    }
    gravel_counter_add(&spool->n_lines, count_lines(out->text, n_written));
    gravel_counter_add(&spool->n_lost, count_lines(out->text + n_written, out->n - n_written));
    out->n = 0;
}

static uint64_t n_dealt_with(const struct gravel_spool *spool)
{
    return gravel_counter_load(&spool->n_lines) + gravel_counter_load(&spool->n_lost);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Runs the function of a handler that blocks, for one message. */
static int run_handler(void *context, uint32_t handler, uint32_t source,
                       const uint64_t args[GRAVEL_AM_MAX_ARGS], uint64_t *answer)
{
    struct gravel_spool *spool = context;
    const struct gravel_endpoints *endpoints = spool->shape.endpoints;
    const struct gravel_handler *row = &endpoints->handlers[handler];
    const int result = row->answer(endpoints->node, row->user, source, args, answer);
    gravel_counter_add(&spool->n_bytes, 1);
    return result;
}

/* Runs the function of a run's stream or handler. @param end  of the run. @return its number if it failed, else 0. */
static uint32_t call(struct gravel_spool *spool, struct gravel_frame *frame,
                     const struct gravel_signal_run *run, uint64_t end)
{
    const struct gravel_endpoints *endpoints = spool->shape.endpoints;
    const uint32_t command = run->run.command, n = run->run.n_messages;
    const bool is_record = GRAVELP_IS_RECORD(command);
    const uint32_t number = is_record ? GRAVELP_RECORD_STREAM(command)
                                      : GRAVEL_STREAM_HANDLERS + GRAVELP_COMMAND_HANDLER(command);
    struct gravel_applied applied = {.result = 0};
    begin_function(spool, number);
    if (is_record) {
        const struct gravel_stream *stream = gravel_stream_at(endpoints, number);
        applied.result = stream->function(endpoints->node, stream->user, frame->source,
                                          gravel_records_of(run), n);
        gravel_counter_add(&spool->n_bytes, (uint64_t)n * stream->record_bytes);
    } else {
        const struct gravel_apply apply = {.call = run_handler, .context = spool};
        const uint64_t begin =
            (uint64_t)((const unsigned char *)run - (const unsigned char *)frame);
        gravel_apply_runs(&apply, frame, begin, end, &applied);
    }
    end_function(spool);
    return applied.result ? number : 0;
}

/* Writes a frame's lines, and runs functions for its records: what is before a record is written before. */
static void deal_with(struct gravel_spool *spool, struct gravel_buffer *buffer,
                      struct gravel_characters *out)
{
    const uint64_t n_before = n_dealt_with(spool);
    const uint32_t source = buffer->frame->source;
    const struct gravel_signal_run *run;
    uint64_t n = 0, at = sizeof *buffer->frame;
    buffer->room = 0;
    while ((run = gravel_records_next(buffer->frame, &at))) {
        const uint32_t command = run->run.command;
        if (GRAVELP_IS_RECORD(command) && GRAVELP_RECORD_STREAM(command) == GRAVELP_LINES) {
            gravel_lines_write(spool->shape.are_bare ? GRAVEL_LINES_BARE : source, run, out,
                               write_ready, spool);
            n += run->run.n_messages;
            continue;
        }
        if (out->n)
            write_ready(spool, out);
        const uint32_t failed = call(spool, buffer->frame, run, at);
        if (buffer->room == 0)
            buffer->room = failed;
    }
    if (out->n)
        write_ready(spool, out);
    const uint64_t n_done = n_dealt_with(spool) - n_before;
    if (out->is_cut) {
        has_failed(spool, ENOMEM);
        gravel_counter_add(&spool->n_lost, n_done < n ? n - n_done : 0);
    }
    gravel_list_push(&spool->done, buffer);
    gravel_event_signal(spool->shape.dealt_with);
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* @return NULL: stopping, and all has been dealt with. */
static struct gravel_buffer *await_frame(struct gravel_spool *spool)
{
    for (;;) {
        struct gravel_buffer *buffer = gravel_list_take(&spool->todo);
        if (buffer)
            return buffer;
        uint32_t key = gravel_event_prepare(&spool->event);
        const bool is_last = gravel_thread_is_stopping(&spool->thread);
        buffer = gravel_list_take(&spool->todo);
        if (buffer || is_last) {
            gravel_event_cancel(&spool->event);
            return buffer;
        }
        gravel_event_wait(&spool->event, key, GRAVEL_NS_PER_S);
    }
}

static void *thread_main(void *argument)
{
    struct gravel_spool *spool = argument;
    struct gravel_characters out = {.text = NULL};
    struct gravel_buffer *buffer;
    gravel_thread_begin("gravel-write");
    gravel_thread_block_write_signals();
    while ((buffer = await_frame(spool)))
        deal_with(spool, buffer, &out);
    free(out.text);
    gravel_thread_advance(&spool->thread, GRAVEL_THREAD_ENDED);
    gravel_event_signal(&spool->ended);
    return NULL;
}

/* @return whether it has ended before that time without progress. */
static bool await_end(struct gravel_spool *spool)
{
    struct gravel_wait wait = {.limit.ns = spool->shape.limit_ns, .event = &spool->ended};
    uint64_t n_bytes = 0;
    bool has_ended;
    int code = 0;
    while (!(has_ended = gravel_thread_state(&spool->thread) >= GRAVEL_THREAD_ENDED) && !code) {
        const uint64_t now_bytes = atomic_load_explicit(&spool->n_bytes, memory_order_relaxed);
        if (now_bytes != n_bytes)
            gravel_wait_renew(&wait);
        n_bytes = now_bytes;
        code = gravel_wait_pause(&wait);
    }
    gravel_wait_end(&wait);
    return has_ended;
}

/* ---- the network thread's calls -------------------------------------------------------------- */

int gravel_spool_create(struct gravel_spool **out, const struct gravel_spool_shape *shape)
{
    struct gravel_spool *spool = aligned_alloc(GRAVELP_CACHELINE, sizeof *spool);
    *out = spool;
    if (!spool)
        return gravel_fail(GRAVEL_ENOMEM, "spool");
    memset(spool, 0, sizeof *spool);
    spool->moved_ns = UINT64_MAX;
    spool->shape = *shape;
    return 0;
}

bool gravel_spool_destroy(struct gravel_spool *spool)
{
    struct gravel_buffer *buffer;
    if (!spool)
        return true;
    if (gravel_thread_stop(&spool->thread, &spool->event)) { /* it writes what has come */
        bool has_ended = await_end(spool);
        if (!has_ended) { /* for limit_ns without progress: the rest is given up */
            gravel_thread_advance(&spool->thread, GRAVEL_THREAD_GIVES_UP);
            has_ended = await_end(spool);
        }
        gravel_thread_end(&spool->thread, has_ended);
        if (!has_ended) /* it is in the system, and does not come back */
            return false;
    }
    while ((buffer = gravel_list_take(&spool->done)))
        gravel_buffer_destroy(buffer);
    free(spool);
    return true;
}

/* A copy takes longer than memory for another frame, except for a frame that fills little of its buffer. */
static bool is_full(const struct gravel_buffer *holder)
{
    return holder && holder->frame->bytes >= holder->capacity / 2;
}

int gravel_spool_push(struct gravel_spool *spool, const struct gravel_frame *frame,
                      struct gravel_buffer *holder)
{
    const uint32_t bytes = frame->bytes;
    struct gravel_buffer *buffer = gravel_buffer_create(is_full(holder) ? holder->capacity : bytes);
    if (!buffer)
        return gravel_fail(GRAVEL_ENOMEM, "no memory for lines of node %u", frame->source);
    int code = gravel_thread_state(&spool->thread)
                   ? 0
                   : gravel_thread_start(&spool->thread, "writer's thread", thread_main, spool);
    if (code) {
        gravel_buffer_destroy(buffer);
        return code;
    }
    if (!is_full(holder) || !gravel_buffer_exchange(buffer, holder))
        memcpy(buffer->frame, frame, bytes);
    spool->pushed += bytes;
    gravel_list_push(&spool->todo, buffer);
    gravel_event_signal(&spool->event);
    return 0;
}

struct gravel_buffer *gravel_spool_take(struct gravel_spool *spool)
{
    struct gravel_buffer *buffer = gravel_list_take(&spool->done);
    if (buffer) {
        spool->passed += buffer->frame->bytes;
        spool->moved_ns = UINT64_MAX;
    }
    return buffer;
}

static int fail_stuck(const struct gravel_spool *spool, double seconds)
{
    const uint32_t number = atomic_load_explicit(&spool->in_function, memory_order_relaxed);
    const struct gravel_endpoints *endpoints = spool->shape.endpoints;
    const char *kind, *name = gravel_endpoint_name(endpoints, number, &kind);
    if (name)
        return gravel_fail(GRAVEL_ETIMEOUT, "%s %s: its function has not returned for %.1f s", kind,
                           name, seconds);
    if (endpoints->print)
        return gravel_fail(
            GRAVEL_ETIMEOUT,
            "lines of kernels: the function that takes them (bindings.print) has not "
            "returned for %.1f s",
            seconds);
    return gravel_fail(GRAVEL_ETIMEOUT,
                       "lines of kernels: standard output has taken nothing for %.1f s", seconds);
}

int gravel_spool_check(struct gravel_spool *spool, uint64_t lived_ns)
{
    const uint64_t n_bytes = gravel_counter_load(&spool->n_bytes);
    if (gravel_spool_is_empty(spool)) {
        spool->moved_ns = UINT64_MAX;
    } else if (n_bytes != spool->seen_bytes || spool->moved_ns == UINT64_MAX) {
        spool->seen_bytes = n_bytes;
        spool->moved_ns = lived_ns;
    } else if (lived_ns - spool->moved_ns > spool->shape.limit_ns) {
        return fail_stuck(spool, gravel_seconds(lived_ns - spool->moved_ns));
    }
    return 0;
}

int gravel_spool_lost(struct gravel_spool *spool)
{
    const uint64_t n_lost = gravel_counter_load(&spool->n_lost);
    const int error = atomic_load_explicit(&spool->error, memory_order_relaxed);
    if (n_lost == spool->reported_lost || !error)
        return 0;
    spool->reported_lost = n_lost;
    const bool is_of_caller = error == PRINT_FAILED;
    return gravel_fail(
        is_of_caller ? GRAVEL_EHANDLER : GRAVEL_ESYSTEM,
        "lines of kernels: %s%s; %" PRIu64 " lines are lost, behind %" PRIu64 " written, and so "
        "are all that follow",
        is_of_caller ? "the function that takes them (bindings.print) failed"
                     : "writing to standard output: ",
        is_of_caller ? "" : strerror(error), n_lost, gravel_counter_load(&spool->n_lines));
}

uint64_t gravel_spool_lines(const struct gravel_spool *spool)
{
    return spool ? gravel_counter_load(&spool->n_lines) : 0;
}

uint64_t gravel_spool_mark(const struct gravel_spool *spool)
{
    return spool ? spool->pushed : 0;
}

bool gravel_spool_has_passed(const struct gravel_spool *spool, uint64_t mark)
{
    return !spool || spool->passed >= mark;
}

bool gravel_spool_is_empty(const struct gravel_spool *spool)
{
    return gravel_spool_has_passed(spool, gravel_spool_mark(spool));
}
