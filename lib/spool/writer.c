/* SPDX-License-Identifier: MIT */
/*
 * The writer's thread. See writer.h.
 */
#include "spool/writer.h"

#include "base/clock.h"
#include "base/counter.h"
#include "base/thread.h"
#include "base/await.h"
#include "spool/lines.h"
#include "spool/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A line is what a newline ends. */
static uint64_t count_lines(const char *text, size_t bytes)
{
    uint64_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += text[i] == '\n';
    return n;
}

static int error_of(const struct gravel_writer *writer)
{
    return atomic_load_explicit(&writer->error, memory_order_relaxed);
}

/* The list that the frame goes back by orders it. */
static void fail(struct gravel_writer *writer, int error)
{
    if (!error_of(writer))
        atomic_store_explicit(&writer->error, error, memory_order_relaxed);
}

/* @param n_written  [out] bytes. @return 0, or why not all. */
static int hand_out(struct gravel_writer *writer, const struct gravel_characters *out,
                    size_t *n_written)
{
    if (!writer->streams || !writer->streams->print)
        return gravel_output_write(STDOUT_FILENO, out->text, out->n, n_written, &writer->thread,
                                   &writer->n_bytes);
    if (writer->streams->print(writer->streams->context, out->text, out->n))
        return GRAVEL_PRINT_FAILED;
    *n_written = out->n;
    gravel_counter_add(&writer->n_bytes, out->n);
    return 0;
}

static void write_ready(void *context, struct gravel_characters *out)
{
    struct gravel_writer *writer = context;
    size_t n_written = 0;
    const int error = error_of(writer) ? 0 : hand_out(writer, out, &n_written);
    if (error)
        fail(writer, error);
    gravel_counter_add(&writer->n_lines, count_lines(out->text, n_written));
    gravel_counter_add(&writer->n_lost, count_lines(out->text + n_written, out->n - n_written));
    out->n = 0;
}

static uint64_t n_dealt_with(const struct gravel_writer *writer)
{
    return gravel_counter_load(&writer->n_lines) + gravel_counter_load(&writer->n_lost);
}

/* @return whether the function has failed. */
static bool call_stream(struct gravel_writer *writer, uint32_t source,
                        const struct gravel_signal_run *run)
{
    const uint32_t number = GRAVELP_RECORD_STREAM(run->run.command), n = run->run.n_messages;
    const struct gravel_stream *stream = gravel_stream_at(writer->streams, number);
    atomic_store_explicit(&writer->in_stream, number, memory_order_relaxed);
    const int result =
        writer->streams->call(writer->streams->context, stream, source, gravel_records_of(run), n);
    atomic_store_explicit(&writer->in_stream, 0, memory_order_relaxed);
    gravel_counter_add(&writer->n_bytes, (uint64_t)n * stream->record_bytes);
    return result != 0;
}

/* @param end  of the run that begins there, in the frame. @return whether a function has failed. */
static bool call_asked(struct gravel_writer *writer, struct gravel_frame *frame,
                       const struct gravel_signal_run *run, uint64_t end)
{
    const uint32_t number = GRAVEL_STREAM_HANDLERS + GRAVELP_COMMAND_HANDLER(run->run.command);
    const uint64_t begin = (uint64_t)((const unsigned char *)run - (const unsigned char *)frame);
    atomic_store_explicit(&writer->in_stream, number, memory_order_relaxed);
    const int result =
        writer->streams->ask(writer->streams->context, frame, begin, end, &writer->n_bytes);
    atomic_store_explicit(&writer->in_stream, 0, memory_order_relaxed);
    return result != 0;
}

/* A run for a function. @param end  of it, in the frame. @return its number if it has failed, else 0. */
static uint32_t call(struct gravel_writer *writer, struct gravel_frame *frame,
                     const struct gravel_signal_run *run, uint64_t end)
{
    const uint32_t command = run->run.command;
    if (GRAVELP_IS_RECORD(command))
        return call_stream(writer, frame->source, run) ? GRAVELP_RECORD_STREAM(command) : 0;
    return call_asked(writer, frame, run, end)
               ? GRAVEL_STREAM_HANDLERS + GRAVELP_COMMAND_HANDLER(command)
               : 0;
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
            gravel_lines_write(writer->are_bare ? GRAVEL_LINES_BARE : source, run, out, write_ready,
                               writer);
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
        fail(writer, ENOMEM);
        gravel_counter_add(&writer->n_lost, n_done < n ? n - n_done : 0);
    }
    gravel_list_push(&writer->done, buffer);
    gravel_event_signal(writer->dealt_with);
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

void gravel_writer_push(struct gravel_writer *writer, struct gravel_buffer *buffer)
{
    gravel_list_push(&writer->todo, buffer);
    gravel_event_signal(&writer->event);
}

struct gravel_buffer *gravel_writer_take_done(struct gravel_writer *writer)
{
    return gravel_list_take(&writer->done);
}

/* @return whether it has ended within so long without progress. */
static bool await_end(struct gravel_writer *writer, uint64_t limit_ns)
{
    struct gravel_wait wait = {.limit.ns = limit_ns, .event = &writer->ended};
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

bool gravel_writer_stop(struct gravel_writer *writer, uint64_t limit_ns)
{
    if (!gravel_thread_stop(&writer->thread, &writer->event))
        return true;
    bool has_ended = await_end(writer, limit_ns);
    if (!has_ended) {
        gravel_thread_advance(&writer->thread, GRAVEL_THREAD_GIVES_UP);
        has_ended = await_end(writer, limit_ns);
    }
    gravel_thread_end(&writer->thread, has_ended);
    return has_ended;
}
