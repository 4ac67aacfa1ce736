/* SPDX-License-Identifier: MIT */
/*
 * The writer's thread. See writer.h.
 *
 * A pipe, a socket or a terminal gets what it takes without waiting, so that a reader that has stopped keeps no thread
 * in the system: poll says that there is room, and as much as POSIX promises a pipe to take then is written.
 *
 * What the program has written to stdout, and the C library still buffers, is written first: a reader sees both in
 * order.
 */
#include "spool/writer.h"

#include "base/clock.h"
#include "base/counter.h"
#include "base/thread.h"
#include "base/await.h"
#include "base/caller.h"
#include "resolve/apply.h"
#include "spool/format.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES 4096u /* PIPE_BUF of Linux: a pipe with room for some has room for so many */
#define POLL_MS 50        /* between two looks whether to give up */

/* @return 0; the system's error; ECANCELED. */
static int await_room(const struct gravel_writer *writer)
{
    struct pollfd room = {.fd = STDOUT_FILENO, .events = POLLOUT};
    for (;;) {
        const int n = poll(&room, 1, POLL_MS);
        if (n > 0) /* write tells what else may be */
            return 0;
        if (n < 0 && errno != EINTR)
            return errno;
        if (gravel_thread_state(&writer->thread) >= GRAVEL_THREAD_GIVES_UP)
            return ECANCELED;
    }
}

/* Writes what the program has left in the buffer of stdout, unless one of its threads has the stream now, or it is more
 * than can be written without waiting. @return whether it has written some. */
static bool flush_program(size_t most)
{
    if (fileno(stdout) != STDOUT_FILENO || ftrylockfile(stdout))
        return false;
    const size_t n = __fpending(stdout);
    const bool has_written = n && n <= most && fflush_unlocked(stdout) == 0;
    funlockfile(stdout);
    return has_written;
}

/* Writes all of a text. @param n_written  [out] bytes. @return 0; the system's error; ECANCELED: it gives up. */
static int write_out(struct gravel_writer *writer, const char *text, size_t bytes,
                     size_t *n_written)
{
    struct stat facts;
    const bool waits = fstat(STDOUT_FILENO, &facts) || !S_ISREG(facts.st_mode);
    for (*n_written = 0; *n_written < bytes;) {
        int code = waits ? await_room(writer) : 0;
        if (code)
            return code;
        const size_t left = bytes - *n_written, most = waits ? PIECE_BYTES : SIZE_MAX;
        if (*n_written == 0 && flush_program(most))
            continue;
        const ssize_t n = write(STDOUT_FILENO, text + *n_written, left < most ? left : most);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return errno;
        if (n <= 0)
            continue;
        gravel_counter_add(&writer->n_bytes, (uint64_t)n);
        *n_written += (size_t)n;
    }
    return 0;
}

/* A line is what a newline ends. */
static uint64_t count_lines(const char *text, size_t bytes)
{
    uint64_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += text[i] == '\n';
    return n;
}

/* Keeps the first error. The list that the frame goes back by orders it. @return whether there is one. */
static bool has_failed(struct gravel_writer *writer, int error)
{
    const int before = atomic_load_explicit(&writer->error, memory_order_relaxed);
    if (!before && error)
        atomic_store_explicit(&writer->error, error, memory_order_relaxed);
    return before || error;
}

/* A function of the caller's begins in this thread. @param number  of its row; 0: it takes lines. */
static void begin_function(struct gravel_writer *writer, uint32_t number)
{
    atomic_store_explicit(&writer->in_function, number, memory_order_relaxed);
    gravel_in_handler_beside(writer->shape.endpoints->node);
}

/* It has returned: what it sent leaves before its records count as dealt with. */
static void end_function(struct gravel_writer *writer)
{
    gravel_in_handler_of(NULL);
    writer->shape.endpoints->flush(writer->shape.endpoints->node);
    atomic_store_explicit(&writer->in_function, 0, memory_order_relaxed);
}

/* @param n_written  [out] bytes. @return 0, or why not all. */
static int hand_out(struct gravel_writer *writer, const struct gravel_characters *out,
                    size_t *n_written)
{
    const struct gravel_endpoints *endpoints = writer->shape.endpoints;
    if (!endpoints->print)
        return write_out(writer, out->text, out->n, n_written);
    begin_function(writer, 0);
    const int result = endpoints->print(endpoints->print_user, out->text, out->n);
    end_function(writer);
    if (result)
        return GRAVEL_PRINT_FAILED;
    *n_written = out->n;
    gravel_counter_add(&writer->n_bytes, out->n);
    return 0;
}

static void write_ready(void *context, struct gravel_characters *out)
{
    struct gravel_writer *writer = context;
    size_t n_written = 0;
    if (!has_failed(writer, 0))
        has_failed(writer, hand_out(writer, out, &n_written));
    gravel_counter_add(&writer->n_lines, count_lines(out->text, n_written));
    gravel_counter_add(&writer->n_lost, count_lines(out->text + n_written, out->n - n_written));
    out->n = 0;
}

static uint64_t n_dealt_with(const struct gravel_writer *writer)
{
    return gravel_counter_load(&writer->n_lines) + gravel_counter_load(&writer->n_lost);
}

/* Runs the function of a handler that blocks, for one message. */
static int run_handler(void *context, uint32_t handler, uint32_t source,
                       const uint64_t args[GRAVEL_AM_MAX_ARGS], uint64_t *answer)
{
    struct gravel_writer *writer = context;
    const struct gravel_endpoints *endpoints = writer->shape.endpoints;
    const struct gravel_handler *row = &endpoints->handlers[handler];
    const int result = row->answer(endpoints->node, row->user, source, args, answer);
    gravel_counter_add(&writer->n_bytes, 1);
    return result;
}

/* Runs the function of a run's stream or handler. @param end  of the run. @return its number if it failed, else 0. */
static uint32_t call(struct gravel_writer *writer, struct gravel_frame *frame,
                     const struct gravel_signal_run *run, uint64_t end)
{
    const struct gravel_endpoints *endpoints = writer->shape.endpoints;
    const uint32_t command = run->run.command, n = run->run.n_messages;
    const bool is_record = GRAVELP_IS_RECORD(command);
    const uint32_t number = is_record ? GRAVELP_RECORD_STREAM(command)
                                      : GRAVEL_STREAM_HANDLERS + GRAVELP_COMMAND_HANDLER(command);
    struct gravel_applied applied = {.result = 0};
    begin_function(writer, number);
    if (is_record) {
        const struct gravel_stream *stream = gravel_stream_at(endpoints, number);
        applied.result = stream->function(endpoints->node, stream->user, frame->source,
                                          gravel_records_of(run), n);
        gravel_counter_add(&writer->n_bytes, (uint64_t)n * stream->record_bytes);
    } else {
        const struct gravel_apply apply = {.call = run_handler, .context = writer};
        const uint64_t begin =
            (uint64_t)((const unsigned char *)run - (const unsigned char *)frame);
        gravel_apply_runs(&apply, frame, begin, end, &applied);
    }
    end_function(writer);
    return applied.result ? number : 0;
}

/* Writes a frame's lines, and runs functions for its records: what is before a record is written before. */
static void deal_with(struct gravel_writer *writer, struct gravel_buffer *buffer,
                      struct gravel_characters *out)
{
    const uint64_t n_before = n_dealt_with(writer);
    const uint32_t source = buffer->frame->source;
    const struct gravel_signal_run *run;
    uint64_t n = 0, at = sizeof *buffer->frame;
    buffer->room = 0;
    while ((run = gravel_records_next(buffer->frame, &at))) {
        const uint32_t command = run->run.command;
        if (GRAVELP_IS_RECORD(command) && GRAVELP_RECORD_STREAM(command) == GRAVELP_LINES) {
            gravel_lines_write(writer->shape.are_bare ? GRAVEL_LINES_BARE : source, run, out,
                               write_ready, writer);
            n += run->run.n_messages;
            continue;
        }
        if (out->n)
            write_ready(writer, out);
        const uint32_t failed = call(writer, buffer->frame, run, at);
        if (buffer->room == 0)
            buffer->room = failed;
    }
    if (out->n)
        write_ready(writer, out);
    const uint64_t n_done = n_dealt_with(writer) - n_before;
    if (out->is_cut) {
        has_failed(writer, ENOMEM);
        gravel_counter_add(&writer->n_lost, n_done < n ? n - n_done : 0);
    }
    gravel_list_push(&writer->done, buffer);
    gravel_event_signal(writer->shape.dealt_with);
}

/* @return NULL: stopping, and all has been dealt with. */
static struct gravel_buffer *await_frame(struct gravel_writer *writer)
{
    for (;;) {
        struct gravel_buffer *buffer = gravel_list_take(&writer->todo);
        if (buffer)
            return buffer;
        uint32_t key = gravel_event_prepare(&writer->event);
        const bool is_last = gravel_thread_is_stopping(&writer->thread);
        buffer = gravel_list_take(&writer->todo);
        if (buffer || is_last) {
            gravel_event_cancel(&writer->event);
            return buffer;
        }
        gravel_event_wait(&writer->event, key, GRAVEL_NS_PER_S);
    }
}

static void *thread_main(void *argument)
{
    struct gravel_writer *writer = argument;
    struct gravel_characters out = {.text = NULL};
    struct gravel_buffer *buffer;
    gravel_thread_begin("gravel-write");
    gravel_thread_block_write_signals();
    while ((buffer = await_frame(writer)))
        deal_with(writer, buffer, &out);
    free(out.text);
    gravel_thread_advance(&writer->thread, GRAVEL_THREAD_ENDED);
    gravel_event_signal(&writer->ended);
    return NULL;
}

int gravel_writer_start(struct gravel_writer *writer)
{
    return gravel_thread_start(&writer->thread, "writer's thread", thread_main, writer);
}

/* @return whether it has ended within so long without progress. */
static bool await_end(struct gravel_writer *writer)
{
    struct gravel_wait wait = {.limit.ns = writer->shape.limit_ns, .event = &writer->ended};
    uint64_t n_bytes = 0;
    bool has_ended;
    int code = 0;
    while (!(has_ended = gravel_thread_state(&writer->thread) >= GRAVEL_THREAD_ENDED) && !code) {
        const uint64_t now_bytes = atomic_load_explicit(&writer->n_bytes, memory_order_relaxed);
        if (now_bytes != n_bytes)
            gravel_wait_renew(&wait);
        n_bytes = now_bytes;
        code = gravel_wait_pause(&wait);
    }
    gravel_wait_end(&wait);
    return has_ended;
}

bool gravel_writer_stop(struct gravel_writer *writer)
{
    if (!gravel_thread_stop(&writer->thread, &writer->event))
        return true;
    bool has_ended = await_end(writer);
    if (!has_ended) {
        gravel_thread_advance(&writer->thread, GRAVEL_THREAD_GIVES_UP);
        has_ended = await_end(writer);
    }
    gravel_thread_end(&writer->thread, has_ended);
    return has_ended;
}
