/* SPDX-License-Identifier: MIT */
/*
 * Frames between network thread and writer. See spool.h.
 */
#include "spool/spool.h"

#include "base/counter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct gravel_spool {
    struct gravel_writer writer;
    uint64_t pushed, passed; /* [bytes] of frames, since the beginning */
    uint64_t n_bytes;        /* the writer's, when it last got further */
    uint64_t moved_ns;       /* then; UINT64_MAX: nothing waits, or the next check says */
    uint64_t n_lost;         /* lines, as of the last report */
};

int gravel_spool_create(struct gravel_spool **out, const struct gravel_spool_shape *shape)
{
    struct gravel_spool *spool = aligned_alloc(GRAVELP_CACHELINE, sizeof *spool);
    *out = spool;
    if (!spool)
        return gravel_fail(GRAVEL_ENOMEM, "spool");
    memset(spool, 0, sizeof *spool);
    spool->moved_ns = UINT64_MAX;
    spool->writer.shape = *shape;
    return 0;
}

bool gravel_spool_destroy(struct gravel_spool *spool)
{
    struct gravel_buffer *buffer;
    if (!spool)
        return true;
    if (!gravel_writer_stop(&spool->writer))
        return false;
    while ((buffer = gravel_list_take(&spool->writer.done)))
        gravel_buffer_destroy(buffer);
    free(spool);
    return true;
}

/* A copy takes longer than memory for another frame, but for a frame that fills little of its buffer. */
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
    int code = gravel_thread_state(&spool->writer.thread) ? 0 : gravel_writer_start(&spool->writer);
    if (code) {
        gravel_buffer_destroy(buffer);
        return code;
    }
    if (!is_full(holder) || !gravel_buffer_exchange(buffer, holder))
        memcpy(buffer->frame, frame, bytes);
    spool->pushed += bytes;
    gravel_list_push(&spool->writer.todo, buffer);
    gravel_event_signal(&spool->writer.event);
    return 0;
}

struct gravel_buffer *gravel_spool_take(struct gravel_spool *spool)
{
    struct gravel_buffer *buffer = gravel_list_take(&spool->writer.done);
    if (buffer) {
        spool->passed += buffer->frame->bytes;
        spool->moved_ns = UINT64_MAX;
    }
    return buffer;
}

static int fail_stuck(const struct gravel_spool *spool, double seconds)
{
    const uint32_t number = atomic_load_explicit(&spool->writer.in_function, memory_order_relaxed);
    const struct gravel_endpoints *endpoints = spool->writer.shape.endpoints;
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
    const uint64_t n_bytes = gravel_counter_load(&spool->writer.n_bytes);
    if (gravel_spool_is_empty(spool)) {
        spool->moved_ns = UINT64_MAX;
    } else if (n_bytes != spool->n_bytes || spool->moved_ns == UINT64_MAX) {
        spool->n_bytes = n_bytes;
        spool->moved_ns = lived_ns;
    } else if (lived_ns - spool->moved_ns > spool->writer.shape.limit_ns) {
        return fail_stuck(spool, (double)(lived_ns - spool->moved_ns) * 1e-9);
    }
    return 0;
}

int gravel_spool_lost(struct gravel_spool *spool)
{
    const uint64_t n_lost = gravel_counter_load(&spool->writer.n_lost);
    const int error = atomic_load_explicit(&spool->writer.error, memory_order_relaxed);
    if (n_lost == spool->n_lost || !error)
        return 0;
    spool->n_lost = n_lost;
    const bool is_of_caller = error == GRAVEL_PRINT_FAILED;
    return gravel_fail(
        is_of_caller ? GRAVEL_EHANDLER : GRAVEL_ESYSTEM,
        "lines of kernels: %s%s; %" PRIu64 " lines are lost, behind %" PRIu64 " written, and so "
        "are all that follow",
        is_of_caller ? "the function that takes them (bindings.print) failed"
                     : "writing to standard output: ",
        is_of_caller ? "" : strerror(error), n_lost, gravel_counter_load(&spool->writer.n_lines));
}

uint64_t gravel_spool_lines(const struct gravel_spool *spool)
{
    return spool ? gravel_counter_load(&spool->writer.n_lines) : 0;
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
