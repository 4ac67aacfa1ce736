/* SPDX-License-Identifier: MIT */
/*
 * Frames that are copied to the device, and applied run by run: every run of words is a kernel or three, enqueued in
 * the runs' order, and so is one of active messages that the device runs; others are run by the host in between. See
 * ring.h.
 */
#include "resolve/on_device/ring.h"

#include "base/clock.h"
#include "base/error.h"
#include "opencl/objects.h"
#include "opencl/wait.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static const char uploading[] = "resolver: uploading a frame";

/* A frame that is being copied and applied. */
struct pass {
    struct gravel_resolver *resolver;
    struct gravel_in_flight *slot;
    struct gravel_frame *frame;
    uint64_t heap_offset;
    bool is_uploaded; /* nothing is enqueued before */
    uint64_t answers_begin, answers_end;
    /* [bytes] part of the frame with answers only the device has */
};

/* Uploads the frame, once, by way of the next staging slot, whose last upload has ended. A long one that lies in pinned
 * memory is not copied before, and waited for: the bus is faster than a memcpy. */
static int upload(struct pass *pass)
{
    struct gravel_resolver *resolver = pass->resolver;
    const uint64_t bytes = pass->frame->bytes, most = resolver->shape.max_frame_bytes;
    const bool waits = gravel_ring_uploads_straight(resolver, pass->frame, bytes);
    const uint32_t next = resolver->n_copied % GRAVEL_STAGED;
    unsigned char *staged = resolver->records.begin + GRAVEL_RECORDS_BYTES + next * most;
    cl_event last = resolver->copied[next], sent = NULL;
    if (pass->is_uploaded)
        return 0;
    pass->is_uploaded = true;
    if (!waits && last) {
        resolver->copied[next] = NULL;
        GRAVEL_TRY(gravel_ring_note(resolver, gravel_wait_command(resolver->device, resolver->queue,
                                                                  CL_SUCCESS, last, uploading)));
    }
    const void *from = waits ? (const void *)pass->frame : memcpy(staged, pass->frame, bytes);
    cl_int error = clEnqueueWriteBuffer(resolver->queue, pass->slot->uploaded, CL_FALSE, 0, bytes,
                                        from, 0, NULL, &sent);
    if (waits || error != CL_SUCCESS)
        return gravel_wait_command(resolver->device, resolver->queue, error, sent, uploading);
    resolver->copied[next] = sent;
    resolver->n_copied++;
    return 0;
}

/* Fetches the answers that only the device has into the frame. */
static int fetch_answers(struct pass *pass)
{
    const struct gravel_resolver *resolver = pass->resolver;
    const uint64_t begin = pass->answers_begin, end = pass->answers_end;
    pass->answers_begin = pass->answers_end = 0;
    if (begin == end)
        return 0;
    GRAVEL_TRY(gravel_device_calls_wait(resolver->shape.calls)); /* names one that is stuck */
    cl_event fetched = NULL;
    cl_int error =
        clEnqueueReadBuffer(resolver->queue, pass->slot->uploaded, CL_FALSE, begin, end - begin,
                            (unsigned char *)pass->frame + begin, 0, NULL, &fetched);
    return gravel_wait_command(resolver->device, resolver->queue, error, fetched,
                               "resolver: reading answers");
}

/* Waits for all that is enqueued, of this frame too. */
static int wait_for_kernels(struct gravel_resolver *resolver)
{
    int code = gravel_device_calls_wait(resolver->shape.calls);
    if (gravel_device_calls_are_stuck(resolver->shape.calls))
        return code; /* the queue will not finish either */
    int broken = gravel_ring_note(resolver, gravel_wait_queue(resolver->device, resolver->queue,
                                                              "resolver: frames were not applied"));
    return gravel_first_failure(code, broken);
}

/* Has the device apply the run at `at`, and notes where its answers will be. */
static int enqueue_run(struct pass *pass, uint64_t at, const struct gravel_run *run)
{
    struct gravel_resolver *resolver = pass->resolver;
    const cl_mem uploaded = pass->slot->uploaded;
    GRAVEL_TRY(upload(pass));
    if (GRAVELP_IS_CALL(run->command)) {
        GRAVEL_TRY(gravel_device_calls_enqueue(resolver->shape.calls, resolver->queue, uploaded,
                                               pass->frame, run, pass->heap_offset));
    } else {
        const struct gravel_device_run words =
            gravel_run_of(resolver, run, uploaded, at, pass->heap_offset);
        GRAVEL_TRY(gravel_runs_enqueue(resolver, &words));
    }
    if (!GRAVELP_IS_REQUEST(run->command))
        return 0;
    if (pass->answers_begin == pass->answers_end)
        pass->answers_begin = at;
    pass->answers_end = at + GRAVEL_RUN_BYTES(run->command, run->n_messages);
    return 0;
}

/* Applies the runs of a frame, in order; active messages of the host's once all before them is applied. */
static int apply_runs(struct pass *pass, struct gravel_applied *applied)
{
    const struct gravel_resolver_shape *shape = &pass->resolver->shape;
    const struct gravel_apply here = {.call = shape->endpoints->call,
                                      .context = shape->endpoints->node};
    for (uint64_t at = sizeof *pass->frame, next; at < pass->frame->bytes; at = next) {
        const struct gravel_run *run = (const void *)((const char *)pass->frame + at);
        next = at + GRAVEL_RUN_BYTES(run->command, (gravelp_u64)run->n_messages);
        if (GRAVELP_IS_CALL(run->command) && !gravel_device_calls_can_take(shape->calls, run)) {
            GRAVEL_TRY(fetch_answers(pass));
            GRAVEL_TRY(wait_for_kernels(pass->resolver));
            const uint64_t begin_ns = shape->trace ? gravel_clock_ns() : 0;
            gravel_apply_runs(&here, pass->frame, at, next, applied);
            gravel_resolver_trace(shape, run, begin_ns);
            continue;
        }
        GRAVEL_TRY(enqueue_run(pass, at, run));
        applied->n_messages += run->n_messages;
        applied->has_signals |= GRAVELP_HAS_SIGNAL(run->command);
    }
    return 0;
}

/* Applies the frame; one short run goes with its kernel's launch, and needs no upload. */
static int apply(struct pass *pass, struct gravel_applied *applied)
{
    const struct gravel_frame *frame = pass->frame;
    const struct gravel_resolver *resolver = pass->resolver;
    const struct gravel_run *run = (const void *)(frame + 1);
    if (frame->bytes == sizeof *frame ||
        sizeof *frame + GRAVEL_RUN_BYTES(run->command, (gravelp_u64)run->n_messages) !=
            frame->bytes ||
        !gravel_runs_can_give(resolver, run, frame->bytes))
        return apply_runs(pass, applied);
    const struct gravel_device_run whole =
        gravel_run_of(resolver, run, pass->slot->uploaded, sizeof *frame, pass->heap_offset);
    int code = gravel_runs_give(resolver, &whole, frame, frame->bytes);
    applied->n_messages = code ? 0 : run->n_messages;
    return code;
}

int gravel_ring_copy(struct gravel_resolver *resolver, uint64_t heap_offset,
                     struct gravel_frame *frame, struct gravel_applied *applied)
{
    const uint64_t most = resolver->shape.max_frame_bytes;
    struct pass pass = {.resolver = resolver, .frame = frame, .heap_offset = heap_offset};
    assert(heap_offset % 8 == 0);
    if (frame->bytes > most)
        return gravel_fail(GRAVEL_EINVAL, "resolver: frame of %u bytes (at most %" PRIu64 ")",
                           frame->bytes, most);
    GRAVEL_TRY(gravel_ring_make_room(resolver, true, &pass.slot));
    int code = apply(&pass, applied);
    pass.slot->is_kept = false;
    resolver->n++;
    resolver->n_begun++;
    cl_int flushed = clFlush(resolver->queue);
    GRAVEL_TRY(code);
    GRAVEL_TRY(gravel_check_cl("resolver: clFlush", flushed));
    return fetch_answers(&pass);
}
