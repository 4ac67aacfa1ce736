/* SPDX-License-Identifier: MIT */
/*
 * The ring of frames in flight, and frames that are kept. See ring.h.
 */
#include "resolve/on_device/ring.h"

#include "base/error.h"
#include "opencl/objects.h"
#include "opencl/wait.h"

#include <inttypes.h>
#include <stdio.h>

static const char uploading[] = "resolver: uploading a frame";
static const char finishing[] = "resolver: frames were not applied";

/* ---- create and destroy ---------------------------------------------------------------------- */

/* Makes all, and has the driver do what it puts off to the first use: later, a kernel of the user's may wait. */
int gravel_ring_create(struct gravel_resolver *resolver)
{
    struct gravel_resolver_shape *shape = &resolver->shape;
    const struct gravel_device *device = resolver->device = shape->memory->device;
    const uint64_t bytes = shape->max_frame_bytes = (shape->max_frame_bytes + 63) & ~UINT64_C(63);
    static const char using[] = "resolver: first use of its buffers";
    static const char zeroing[] = "resolver: clEnqueueFillBuffer";
    GRAVEL_TRY(gravel_cl_queue_create(device, "resolver", &resolver->queue));
    GRAVEL_TRY(gravel_cl_queue_create(device, "resolver: uploads", &resolver->uploads));
    GRAVEL_TRY(gravel_pinned_create(&resolver->records, device, resolver->queue,
                                    "resolver: pinned memory", NULL,
                                    GRAVEL_RECORDS_BYTES + GRAVEL_STAGED * bytes));
    GRAVEL_TRY(gravel_runs_create(resolver));
    GRAVEL_TRY(
        gravel_cl_buffer_create(device, "resolver", GRAVEL_RECORDS_BYTES, &resolver->refused));
    GRAVEL_TRY(gravel_cl_buffer_zero(resolver->uploads, resolver->refused, 0, GRAVEL_RECORDS_BYTES,
                                     zeroing));
    for (uint32_t i = 0; i < GRAVEL_IN_FLIGHT; i++) {
        cl_mem *uploaded = &resolver->frames[i].uploaded;
        GRAVEL_TRY(gravel_cl_buffer_create(device, "resolver", bytes, uploaded));
        GRAVEL_TRY(gravel_cl_buffer_zero(resolver->uploads, *uploaded, 0, bytes, zeroing));
    }
    GRAVEL_TRY(gravel_wait_queue(device, resolver->uploads, using));
    for (uint32_t i = 0; i < GRAVEL_IN_FLIGHT; i++) {
        cl_mem uploaded = resolver->frames[i].uploaded;
        GRAVEL_TRY(gravel_runs_warm_up(resolver, uploaded));
        GRAVEL_TRY(gravel_device_calls_warm_up(shape->calls, resolver->queue, uploaded));
    }
    return gravel_wait_queue(device, resolver->queue, using);
}

bool gravel_ring_destroy(struct gravel_resolver *resolver)
{
    if (!gravel_wait_is_done(resolver->device, resolver->queue, "resolver: the last frames") ||
        !gravel_wait_is_done(resolver->device, resolver->uploads, "resolver: the last uploads"))
        return false;
    gravel_pinned_destroy(&resolver->staged);
    gravel_pinned_destroy(&resolver->records);
    if (!gravel_wait_is_done(resolver->device, resolver->queue, "resolver: unmapping"))
        return false;
    if (resolver->queue)
        clFinish(resolver->queue); /* all has ended: the driver lets go of what its commands held */
    gravel_runs_destroy(resolver);
    for (uint32_t i = 0; i < GRAVEL_IN_FLIGHT; i++) {
        gravel_cl_event_release(resolver->frames[i].sent);
        gravel_cl_buffer_release(resolver->frames[i].uploaded);
    }
    for (uint32_t i = 0; i < GRAVEL_STAGED; i++)
        gravel_cl_event_release(resolver->copied[i]);
    gravel_cl_event_release(resolver->reading);
    gravel_cl_buffer_release(resolver->refused);
    gravel_cl_queue_release(resolver->uploads);
    gravel_cl_queue_release(resolver->queue);
    return true;
}

/* ---- begin and end --------------------------------------------------------------------------- */

int gravel_ring_note(struct gravel_resolver *resolver, int code)
{
    if (code && !resolver->broken.code)
        resolver->broken = gravel_keep(code);
    return code;
}

static int report_broken(const struct gravel_resolver *resolver)
{
    return resolver->broken.code ? gravel_fail_again(&resolver->broken) : 0;
}

/* Returns the slot of frame i, counted from the oldest. */
static struct gravel_in_flight *slot_of(struct gravel_resolver *resolver, uint32_t i)
{
    return &resolver->frames[(resolver->first + i) % GRAVEL_IN_FLIGHT];
}

/* Enqueues a run of a frame that is kept. @param applies  false: only its check. */
static int enqueue_run(const struct gravel_resolver *resolver, const struct gravel_in_flight *slot,
                       const struct gravel_planned_run *planned, bool applies)
{
    const struct gravel_rows *rows = slot->received.rows;
    struct gravel_device_run run =
        gravel_run_of(resolver, &planned->run, rows ? rows->memory : slot->uploaded, planned->at,
                      slot->heap_offset);
    run.refused = resolver->refused;
    run.record = (uint32_t)(slot - resolver->frames);
    run.first = planned->first;
    run.n_words = planned->n_words;
    if (rows) {
        run.indices_at = (uint32_t)rows->indices;
        run.values_at = (uint32_t)rows->values;
    }
    return applies ? gravel_runs_enqueue(resolver, &run) : gravel_runs_check(resolver, &run);
}

/* Has the records of all frames that are begun read, unless they are being read: one read for many frames, as the
 * device's kernels wait for it. */
static int read_records(struct gravel_resolver *resolver)
{
    if (resolver->reading || resolver->n_begun == 0)
        return 0;
    cl_int error =
        clEnqueueReadBuffer(resolver->queue, resolver->refused, CL_FALSE, 0, GRAVEL_RECORDS_BYTES,
                            resolver->records.begin, 0, NULL, &resolver->reading);
    resolver->n_read = resolver->n_begun;
    return gravel_check_cl(finishing, gravel_cl_flush(resolver->queue, error));
}

/* Begins the first frame that is not, and is on the device: gives it back if it is a copy, and applies it. */
static int begin(struct gravel_resolver *resolver)
{
    struct gravel_in_flight *slot = slot_of(resolver, resolver->n_begun);
    const struct gravel_plan *plan = &slot->plan;
    const struct gravel_frame_owner *owner = &resolver->shape.owner;
    gravel_cl_event_release(slot->sent);
    slot->sent = NULL;
    if (!slot->received.rows)
        owner->give_back(owner->context, &slot->received);
    for (uint32_t i = 0; i < 2 * plan->n_runs; i++)
        GRAVEL_TRY(enqueue_run(resolver, slot, &plan->runs[i % plan->n_runs], i >= plan->n_runs));
    resolver->n_begun++;
    return resolver->reading ? gravel_check_cl(finishing, clFlush(resolver->queue))
                             : read_records(resolver);
}

/* Reports a frame that was kept, and is applied or refused. */
static int report(struct gravel_resolver *resolver, const struct gravel_in_flight *slot)
{
    const uint32_t number = (uint32_t)(slot - resolver->frames);
    const struct gravel_index_record *record =
        (const struct gravel_index_record *)(void *)resolver->records.begin + number;
    const struct gravel_frame_owner *owner = &resolver->shape.owner;
    const struct gravel_expect expect =
        gravel_received_expects(&slot->received, resolver->shape.endpoints, resolver->shape.heap);
    struct gravel_refusal refusal = {.code = 0};
    const bool is_refused = record->found != 0;
    int code = 0;
    if (is_refused) {
        gravel_decode_refuse_index(&slot->plan, &expect, UINT32_MAX - record->found, record->index,
                                   &refusal);
        code = gravel_cl_buffer_zero(resolver->queue, resolver->refused, number * sizeof *record,
                                     sizeof *record, finishing);
    }
    if (slot->received.rows)
        owner->give_back(owner->context, &slot->received);
    owner->ended(owner->context, &slot->received, is_refused ? 0 : slot->plan.n_messages, &refusal);
    return code;
}

/* Ends the frames whose records are read. If other frames have owners that wait, begins the next read. */
static int end_read(struct gravel_resolver *resolver)
{
    /* It returns at once, and orders the records' read before ours. */
    int code = gravel_check_cl(finishing, clWaitForEvents(1, &resolver->reading));
    gravel_cl_event_release(resolver->reading);
    resolver->reading = NULL;
    for (; resolver->n_read && !code; resolver->n_read--) {
        struct gravel_in_flight *slot = slot_of(resolver, 0);
        resolver->first = (resolver->first + 1) % GRAVEL_IN_FLIGHT;
        resolver->n--;
        resolver->n_begun--;
        code = slot->is_kept ? report(resolver, slot) : 0;
    }
    for (uint32_t i = 0; i < resolver->n_begun && !code; i++)
        if (slot_of(resolver, i)->is_kept)
            return read_records(resolver);
    return code;
}

/* Asks whether a command has ended, or waits for it. NULL has. @return 0; GRAVEL_ECL; or given up. */
static int ask(const struct gravel_resolver *resolver, cl_event event, const char *what, bool waits,
               bool *has_ended)
{
    *has_ended = !event || waits;
    if (!event || waits)
        return event ? gravel_wait_event(resolver->device, event, what) : 0;
    cl_int status = gravel_cl_event_status(event);
    *has_ended = status == CL_COMPLETE;
    return status < CL_COMPLETE ? gravel_fail_cl(what, status) : 0;
}

/* Begins frames in order, until n are begun or, unless it waits, one is still on its way. @param moved  set if one is
 * begun. */
static int begin_until(struct gravel_resolver *resolver, uint32_t n, bool waits, bool *moved)
{
    bool has_ended;
    while (resolver->n_begun < n) {
        GRAVEL_TRY(ask(resolver, slot_of(resolver, resolver->n_begun)->sent, uploading, waits,
                       &has_ended));
        if (!has_ended)
            break;
        GRAVEL_TRY(begin(resolver));
        *moved = true;
    }
    return 0;
}

/* Ends frames in order, until at most n are left or, unless it waits, one is not applied. @param moved  set if one is
 * ended. */
static int end_until(struct gravel_resolver *resolver, uint32_t n, bool waits, bool *moved)
{
    bool has_ended;
    while (resolver->n > n) {
        if (waits) {
            GRAVEL_TRY(begin_until(resolver, 1, true, moved));
            GRAVEL_TRY(read_records(resolver));
        }
        if (!resolver->reading)
            break;
        GRAVEL_TRY(ask(resolver, resolver->reading, finishing, waits, &has_ended));
        if (!has_ended)
            break;
        GRAVEL_TRY(end_read(resolver));
        *moved = true;
    }
    return 0;
}

int gravel_resolver_give_back(struct gravel_resolver *resolver)
{
    bool moved;
    GRAVEL_TRY(report_broken(resolver));
    return gravel_ring_note(resolver, begin_until(resolver, resolver->n, true, &moved));
}

int gravel_resolver_begin_finish(struct gravel_resolver *resolver)
{
    return resolver->broken.code ? 0 : gravel_ring_note(resolver, read_records(resolver));
}

int gravel_resolver_finish(struct gravel_resolver *resolver)
{
    bool moved;
    GRAVEL_TRY(report_broken(resolver));
    const int code = gravel_device_calls_wait(resolver->shape.calls); /* fails if one is stuck */
    if (gravel_device_calls_are_stuck(resolver->shape.calls))
        return code; /* the queue will not finish either */
    int broken = gravel_resolver_give_back(resolver);
    if (!broken)
        broken = gravel_ring_note(resolver, end_until(resolver, 0, true, &moved));
    return gravel_first_failure(code, broken);
}

int gravel_resolver_poll(struct gravel_resolver *resolver, bool *moved)
{
    *moved = false;
    GRAVEL_TRY(gravel_device_calls_poll(resolver->shape.calls));
    if (resolver->broken.code)
        return 0;
    int code = begin_until(resolver, resolver->n, false, moved);
    if (!code)
        code = end_until(resolver, 0, false, moved);
    return gravel_ring_note(resolver, code);
}

int gravel_ring_make_room(struct gravel_resolver *resolver, bool begins_all,
                          struct gravel_in_flight **slot)
{
    bool moved;
    int code = 0;
    GRAVEL_TRY(report_broken(resolver));
    if (begins_all)
        code = begin_until(resolver, resolver->n, true, &moved);
    /* Half a ring of copies asks for the read that ends them, before the room is needed. */
    if (!code && resolver->n_begun >= GRAVEL_IN_FLIGHT / 2)
        code = read_records(resolver);
    if (!code)
        code = end_until(resolver, GRAVEL_IN_FLIGHT - 1, true, &moved);
    *slot = slot_of(resolver, resolver->n);
    return gravel_ring_note(resolver, code);
}

/* ---- frames that are kept -------------------------------------------------------------------- */

int gravel_ring_keep(struct gravel_resolver *resolver, const void *frame,
                     const struct gravel_received *received, const struct gravel_expect *expect,
                     uint64_t heap_offset, bool *is_kept, struct gravel_refusal *refusal)
{
    struct gravel_plan plan;
    *is_kept = false;
    if (!received->rows && (received->bytes > resolver->shape.max_frame_bytes ||
                            !gravel_ring_uploads_straight(resolver, frame, received->bytes)))
        return 0;
    if (gravel_decode_check(frame, received->bytes, expect, &plan, refusal))
        return 0;
    if (plan.n_runs) {
        struct gravel_in_flight *slot;
        cl_int error = CL_SUCCESS;
        GRAVEL_TRY(gravel_ring_make_room(resolver, false, &slot));
        if (!received->rows)
            error =
                gravel_cl_flush(resolver->uploads,
                                clEnqueueWriteBuffer(resolver->uploads, slot->uploaded, CL_FALSE, 0,
                                                     received->bytes, frame, 0, NULL, &slot->sent));
        GRAVEL_TRY(gravel_check_cl(uploading, error));
        slot->is_kept = *is_kept = true;
        slot->received = *received;
        slot->plan = plan;
        slot->heap_offset = heap_offset;
        resolver->n++;
    } else if (received->rows) {
        refusal->code = GRAVEL_ECORRUPT;
        snprintf(refusal->text, sizeof refusal->text,
                 "frame %" PRIu64
                 " has headers alone, of a run whose indices the device cannot check",
                 received->sequence);
    }
    return 0;
}
