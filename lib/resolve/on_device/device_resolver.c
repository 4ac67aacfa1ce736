/* SPDX-License-Identifier: MIT */
/*
 * Uploads frames and enqueues their runs. See device_resolver.h.
 *
 * Frames in flight form a ring. From the oldest on, some have their kernels enqueued (begun), the next ones are on
 * their way to the device, the rest of the ring is free. All kernels go to one in-order queue of the resolver's own, so
 * that nothing waits behind the caller's kernels.
 *
 * A frame that is copied goes to that queue as a whole, from pinned memory: while the device applies one, the host
 * checks and copies the next. A frame that is kept is uploaded by another queue, so that it travels while the frame
 * before it is applied, and its kernels are enqueued when the host sees that the upload has ended: all of its runs are
 * checked before one is applied. A read behind the kernels says which frames had an index that was refused; with it all
 * frames end that were begun before it, and the next read begins when it has ended.
 *
 * No command waits for one of another queue: on NVIDIA such a wait does not end beside a kernel that waits.
 *
 * Memory:  an upload's event orders the frame before its kernels, which one in-order queue orders; the event of the
 *          records' read orders both before the owner's callbacks.
 */
#include "resolve/on_device/device_resolver.h"

#include "base/error.h"
#include "opencl/objects.h"
#include "opencl/wait.h"
#include "resolve/on_device/runs.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* While the ring is full the network thread waits, and nothing leaves either: two nodes seldom fill so many. */
#define N_FRAMES 16u
#define N_STAGED \
    4u /* staging slots for copies, of frames of the ring in turn; a divisor of N_FRAMES */

/* What check_indices finds: resolve.cl's `refused`. */
struct record {
    uint32_t found, index;
};
#define RECORDS_BYTES (N_FRAMES * sizeof(struct record))

/* A slot of the ring. */
struct in_flight {
    cl_mem uploaded; /* [max_frame_bytes] on the device */
    cl_event sent;   /* its upload; NULL: none that may be under way */
    bool is_kept;    /* its owner is called back; else it was copied */
    /* Of a frame that is kept: */
    struct gravel_received received;
    struct gravel_plan plan;
    uint64_t heap_offset;
};

struct gravel_device_resolver {
    struct gravel_resolver_shape shape; /* max_frame_bytes a multiple of a line */
    const struct gravel_device *device;
    struct gravel_device_runs runs;
    cl_command_queue queue, uploads;
    cl_mem refused;               /* [N_FRAMES] struct record, on the device */
    struct gravel_pinned records; /* [N_FRAMES] struct record, as read; then [N_STAGED] frames */
    cl_event told;                /* of the read of all records under way; NULL: none is */
    uint32_t n_told;              /* frames, from the oldest on, that end with it */
    struct in_flight frames[N_FRAMES];
    uint32_t first;            /* the oldest frame's slot */
    uint32_t n, n_begun;       /* frames; those of them whose kernels are enqueued */
    struct gravel_kept broken; /* why frames that were under way are not applied; stays */
};

/* A frame that is being copied and applied. */
struct pass {
    struct gravel_device_resolver *resolver;
    struct in_flight *slot;
    unsigned char *staged; /* [max_frame_bytes] pinned */
    const struct gravel_apply *apply;
    struct gravel_frame *frame;
    uint64_t heap_offset;
    bool is_uploaded; /* nothing is enqueued before */
    uint64_t answers_begin,
        answers_end; /* [bytes] part of the frame with answers only the device has */
};

static const char uploading[] = "resolver: uploading a frame";
static const char finishing[] = "resolver: frames were not applied";

/* ---- create and destroy ---------------------------------------------------------------------- */

/* Makes all, and has the driver do what it puts off to the first use: later, a kernel of the user's may wait. */
static int make_parts(struct gravel_device_resolver *resolver)
{
    const struct gravel_resolver_shape *shape = &resolver->shape;
    const struct gravel_device *device = resolver->device;
    const uint64_t bytes = shape->max_frame_bytes;
    static const char using[] = "resolver: first use of its buffers";
    static const char zeroing[] = "resolver: clEnqueueFillBuffer";
    /* A handler on the device may keep the resolver's queue; and where launches are drained, no round is short. */
    const bool may_be_in_place = !shape->calls && gravel_step_is_pumped(device->step);
    GRAVEL_TRY(gravel_cl_queue_create(device, "resolver", &resolver->queue));
    GRAVEL_TRY(gravel_cl_queue_create(device, "resolver: uploads", &resolver->uploads));
    GRAVEL_TRY(gravel_pinned_create(&resolver->records, device, resolver->queue,
                                    "resolver: pinned memory", NULL,
                                    RECORDS_BYTES + N_STAGED * bytes));
    GRAVEL_TRY(gravel_device_runs_create(&resolver->runs, device, resolver->queue,
                                         shape->memory->region.buffer, bytes,
                                         may_be_in_place ? shape->heap : NULL));
    GRAVEL_TRY(gravel_cl_buffer_create(device, "resolver", RECORDS_BYTES, &resolver->refused));
    GRAVEL_TRY(
        gravel_cl_buffer_zero(resolver->uploads, resolver->refused, 0, RECORDS_BYTES, zeroing));
    for (uint32_t i = 0; i < N_FRAMES; i++) {
        cl_mem *uploaded = &resolver->frames[i].uploaded;
        GRAVEL_TRY(gravel_cl_buffer_create(device, "resolver", bytes, uploaded));
        GRAVEL_TRY(gravel_cl_buffer_zero(resolver->uploads, *uploaded, 0, bytes, zeroing));
    }
    GRAVEL_TRY(gravel_wait_queue(device, resolver->uploads, using));
    for (uint32_t i = 0; i < N_FRAMES; i++) {
        cl_mem uploaded = resolver->frames[i].uploaded;
        GRAVEL_TRY(gravel_device_runs_warm_up(&resolver->runs, uploaded));
        GRAVEL_TRY(gravel_device_calls_warm_up(shape->calls, resolver->queue, uploaded));
    }
    return gravel_wait_queue(device, resolver->queue, using);
}

int gravel_device_resolver_create(struct gravel_device_resolver **out,
                                  const struct gravel_resolver_shape *shape)
{
    *out = NULL;
    struct gravel_device_resolver *resolver = calloc(1, sizeof *resolver);
    if (!resolver)
        return gravel_fail(GRAVEL_ENOMEM, "device resolver");
    resolver->shape = *shape;
    resolver->shape.max_frame_bytes = (shape->max_frame_bytes + 63) & ~UINT64_C(63);
    resolver->device = shape->memory->device;
    int code = make_parts(resolver);
    if (code) {
        const struct gravel_kept met = gravel_keep(code);
        gravel_device_resolver_destroy(resolver);
        return gravel_fail_again(&met);
    }
    *out = resolver;
    return 0;
}

bool gravel_device_resolver_destroy(struct gravel_device_resolver *resolver)
{
    if (!resolver)
        return true;
    if (!gravel_wait_is_done(resolver->device, resolver->queue, "resolver: the last frames") ||
        !gravel_wait_is_done(resolver->device, resolver->uploads, "resolver: the last uploads"))
        return false;
    gravel_pinned_destroy(&resolver->runs.staged);
    gravel_pinned_destroy(&resolver->records);
    if (!gravel_wait_is_done(resolver->device, resolver->queue, "resolver: unmapping"))
        return false;
    if (resolver->queue)
        clFinish(resolver->queue); /* all has ended: the driver lets go of what its commands held */
    gravel_device_runs_destroy(&resolver->runs);
    for (uint32_t i = 0; i < N_FRAMES; i++) {
        gravel_cl_event_release(resolver->frames[i].sent);
        gravel_cl_buffer_release(resolver->frames[i].uploaded);
    }
    gravel_cl_event_release(resolver->told);
    gravel_cl_buffer_release(resolver->refused);
    gravel_cl_queue_release(resolver->uploads);
    gravel_cl_queue_release(resolver->queue);
    free(resolver);
    return true;
}

/* ---- the ring -------------------------------------------------------------------------------- */

/* Notes, if `code` is an error, that what is under way is never applied. @return code */
static int check_whole(struct gravel_device_resolver *resolver, int code)
{
    if (code && !resolver->broken.code)
        resolver->broken = gravel_keep(code);
    return code;
}

static int tell_broken(const struct gravel_device_resolver *resolver)
{
    return resolver->broken.code ? gravel_fail_again(&resolver->broken) : 0;
}

/* Returns the slot of frame i, counted from the oldest. */
static struct in_flight *slot_of(struct gravel_device_resolver *resolver, uint32_t i)
{
    return &resolver->frames[(resolver->first + i) % N_FRAMES];
}

static uint32_t number_of(const struct gravel_device_resolver *resolver,
                          const struct in_flight *slot)
{
    return (uint32_t)(slot - resolver->frames);
}

/* Enqueues a run of a frame that is kept. @param applies  false: only its check. */
static int enqueue_run(const struct gravel_device_resolver *resolver, const struct in_flight *slot,
                       const struct gravel_planned_run *planned, bool applies)
{
    const struct gravel_rows *rows = slot->received.rows;
    struct gravel_device_run run =
        gravel_device_run_of(&resolver->runs, &planned->run, rows ? rows->memory : slot->uploaded,
                             planned->at, slot->heap_offset);
    run.refused = resolver->refused;
    run.record = number_of(resolver, slot);
    run.first = planned->first;
    run.n_words = planned->n_words;
    if (rows) {
        run.indices_at = (uint32_t)rows->indices;
        run.values_at = (uint32_t)rows->values;
    }
    return applies ? gravel_device_runs_enqueue(&resolver->runs, &run)
                   : gravel_device_runs_check(&resolver->runs, &run);
}

/* Has the records of all frames that are begun read, unless they are being read: one read for many frames, as the
 * device's kernels wait for it. */
static int tell(struct gravel_device_resolver *resolver)
{
    if (resolver->told || resolver->n_begun == 0)
        return 0;
    cl_int error =
        clEnqueueReadBuffer(resolver->queue, resolver->refused, CL_FALSE, 0, RECORDS_BYTES,
                            resolver->records.begin, 0, NULL, &resolver->told);
    resolver->n_told = resolver->n_begun;
    return gravel_check_cl(finishing, gravel_cl_flush(resolver->queue, error));
}

/* Begins the first frame that is not, and is on the device: gives it back if it is a copy, and applies it. */
static int begin(struct gravel_device_resolver *resolver)
{
    struct in_flight *slot = slot_of(resolver, resolver->n_begun);
    const struct gravel_plan *plan = &slot->plan;
    const struct gravel_frame_owner *owner = &resolver->shape.owner;
    gravel_cl_event_release(slot->sent);
    slot->sent = NULL;
    if (!slot->received.rows)
        owner->give_back(owner->context, &slot->received);
    for (uint32_t i = 0; i < 2 * plan->n_runs; i++)
        GRAVEL_TRY(enqueue_run(resolver, slot, &plan->runs[i % plan->n_runs], i >= plan->n_runs));
    resolver->n_begun++;
    return resolver->told ? gravel_check_cl(finishing, clFlush(resolver->queue)) : tell(resolver);
}

/* Reports a frame that was kept, and is applied or refused. */
static int report(struct gravel_device_resolver *resolver, const struct in_flight *slot)
{
    const uint32_t number = number_of(resolver, slot);
    const struct record *record = (const struct record *)(void *)resolver->records.begin + number;
    const struct gravel_frame_owner *owner = &resolver->shape.owner;
    const struct gravel_expect expect = gravel_received_expects(&slot->received);
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

/* Ends the oldest frame. */
static int end(struct gravel_device_resolver *resolver)
{
    struct in_flight *slot = slot_of(resolver, 0);
    gravel_cl_event_release(slot->sent);
    slot->sent = NULL;
    resolver->first = (resolver->first + 1) % N_FRAMES;
    resolver->n--;
    resolver->n_begun--;
    return slot->is_kept ? report(resolver, slot) : 0;
}

/* Whether a owner waits to hear of a frame that is begun. */
static bool has_kept(struct gravel_device_resolver *resolver)
{
    uint32_t i = 0;
    while (i < resolver->n_begun && !slot_of(resolver, i)->is_kept)
        i++;
    return i < resolver->n_begun;
}

/* The records are read: ends the frames that they tell of. */
static int end_told(struct gravel_device_resolver *resolver)
{
    /* It returns at once, and orders the records' read before ours. */
    int code = gravel_check_cl(finishing, clWaitForEvents(1, &resolver->told));
    gravel_cl_event_release(resolver->told);
    resolver->told = NULL;
    for (; resolver->n_told && !code; resolver->n_told--)
        code = end(resolver);
    return code || !has_kept(resolver) ? code : tell(resolver);
}

/* Waits for the upload of the first frame that is not begun, and begins it. */
static int wait_to_begin(struct gravel_device_resolver *resolver)
{
    const struct in_flight *slot = slot_of(resolver, resolver->n_begun);
    if (slot->sent)
        GRAVEL_TRY(gravel_wait_event(resolver->device, slot->sent, uploading));
    return begin(resolver);
}

static int finish_oldest(struct gravel_device_resolver *resolver)
{
    if (!resolver->n_begun)
        GRAVEL_TRY(wait_to_begin(resolver));
    GRAVEL_TRY(tell(resolver));
    GRAVEL_TRY(gravel_wait_event(resolver->device, resolver->told, finishing));
    return end_told(resolver);
}

/* Makes room for one more frame. Half a ring of copies asks for the read that ends them, before the room is needed. */
static int make_room(struct gravel_device_resolver *resolver)
{
    if (resolver->n_begun >= N_FRAMES / 2)
        GRAVEL_TRY(tell(resolver));
    return resolver->n == N_FRAMES ? finish_oldest(resolver) : 0;
}

int gravel_device_resolver_give_back(struct gravel_device_resolver *resolver)
{
    int code = tell_broken(resolver);
    while (!code && resolver->n_begun < resolver->n)
        code = check_whole(resolver, wait_to_begin(resolver));
    return code;
}

int gravel_device_resolver_begin_finish(struct gravel_device_resolver *resolver)
{
    return resolver->broken.code ? 0 : check_whole(resolver, tell(resolver));
}

int gravel_device_resolver_finish(struct gravel_device_resolver *resolver)
{
    GRAVEL_TRY(tell_broken(resolver));
    int code = gravel_device_calls_wait(resolver->shape.calls);
    if (gravel_device_calls_are_stuck(resolver->shape.calls))
        return code; /* the queue will not finish either */
    int broken = gravel_device_resolver_give_back(resolver);
    while (!broken && resolver->n)
        broken = check_whole(resolver, finish_oldest(resolver));
    return code ? code : broken;
}

/* Asks whether an event has come, or there is none to wait for. @return 0; GRAVEL_ECL. */
static int ask(cl_event event, const char *what, bool *has_come)
{
    *has_come = !event;
    if (*has_come)
        return 0;
    cl_int status = gravel_cl_event_status(event);
    *has_come = status == CL_COMPLETE;
    return status < CL_COMPLETE ? gravel_fail_cl(what, status) : 0;
}

int gravel_device_resolver_poll(struct gravel_device_resolver *resolver, bool *moved)
{
    bool has_come = true;
    int code = 0;
    *moved = false;
    if (resolver->broken.code)
        return 0;
    while (!code && resolver->n_begun < resolver->n && has_come) {
        code = ask(slot_of(resolver, resolver->n_begun)->sent, uploading, &has_come);
        if (!code && has_come)
            code = begin(resolver);
        *moved |= has_come;
    }
    has_come = true;
    while (!code && resolver->told && has_come) {
        code = ask(resolver->told, finishing, &has_come);
        if (!code && has_come)
            code = end_told(resolver);
        *moved |= has_come;
    }
    return check_whole(resolver, code);
}

/* ---- frames that are kept -------------------------------------------------------------------- */

static bool goes_straight(const struct gravel_device_resolver *resolver, const void *frame,
                          uint64_t bytes)
{
    return bytes >= GRAVEL_STRAIGHT_BYTES && gravel_memory_is_pinned(resolver->shape.memory, frame);
}

/* Takes a frame that will be applied in its turn. */
static int take(struct gravel_device_resolver *resolver, const void *frame,
                const struct gravel_plan *plan, const struct gravel_received *received,
                uint64_t heap_offset)
{
    GRAVEL_TRY(tell_broken(resolver));
    GRAVEL_TRY(check_whole(resolver, make_room(resolver)));
    struct in_flight *slot = slot_of(resolver, resolver->n);
    cl_int error = CL_SUCCESS;
    if (!received->rows)
        error = gravel_cl_flush(resolver->uploads,
                                clEnqueueWriteBuffer(resolver->uploads, slot->uploaded, CL_FALSE, 0,
                                                     received->bytes, frame, 0, NULL, &slot->sent));
    GRAVEL_TRY(gravel_check_cl(uploading, error));
    slot->is_kept = true;
    slot->received = *received;
    slot->plan = *plan;
    slot->heap_offset = heap_offset;
    resolver->n++;
    return 0;
}

int gravel_device_resolver_keep(struct gravel_device_resolver *resolver, const void *frame,
                                const struct gravel_received *received,
                                const struct gravel_expect *expect, uint64_t heap_offset,
                                bool *is_planned, struct gravel_refusal *refusal)
{
    struct gravel_plan plan;
    *is_planned = received->rows || (received->bytes <= resolver->shape.max_frame_bytes &&
                                     goes_straight(resolver, frame, received->bytes));
    if (!*is_planned || gravel_decode_plan(frame, received->bytes, expect, resolver->shape.heap,
                                           received->rows, &plan, refusal))
        return 0;
    *is_planned = plan.n_runs || received->rows;
    if (plan.n_runs)
        return take(resolver, frame, &plan, received, heap_offset);
    if (!received->rows)
        return 0;
    refusal->code = GRAVEL_ECORRUPT;
    snprintf(refusal->text, sizeof refusal->text,
             "frame %" PRIu64 " has headers alone, of a run whose indices the device cannot check",
             received->sequence);
    return 0;
}

/* ---- frames that are copied ------------------------------------------------------------------ */

/* Waits until a slot's last upload has ended. */
static int wait_for_upload(const struct gravel_device_resolver *resolver, struct in_flight *slot)
{
    cl_event sent = slot->sent;
    slot->sent = NULL;
    return sent
               ? gravel_wait_command(resolver->device, resolver->queue, CL_SUCCESS, sent, uploading)
               : 0;
}

/* Uploads the frame. A long one that lies in pinned memory is not copied before: the bus is faster than a memcpy. */
static int upload(struct pass *pass)
{
    struct in_flight *slot = pass->slot;
    bool waits = goes_straight(pass->resolver, pass->frame, pass->frame->bytes);
    const void *from = waits ? (const void *)pass->frame : pass->staged;
    if (!waits)
        memcpy(pass->staged, pass->frame, pass->frame->bytes);
    pass->is_uploaded = true;
    gravel_cl_event_release(slot->sent); /* of the same frame, before handlers of the host ran */
    slot->sent = NULL;
    cl_int error = clEnqueueWriteBuffer(pass->resolver->queue, slot->uploaded, CL_FALSE, 0,
                                        pass->frame->bytes, from, 0, NULL, &slot->sent);
    GRAVEL_TRY(gravel_check_cl(uploading, error));
    return waits ? wait_for_upload(pass->resolver, slot) : 0;
}

/* Waits for all that is enqueued, of this frame too. */
static int wait_for_kernels(struct gravel_device_resolver *resolver)
{
    int code = gravel_device_calls_wait(resolver->shape.calls);
    if (gravel_device_calls_are_stuck(resolver->shape.calls))
        return code; /* the queue will not finish either */
    int broken =
        check_whole(resolver, gravel_wait_queue(resolver->device, resolver->queue, finishing));
    return code ? code : broken;
}

/* The runs since the last call whose answers only the device has: fetch them into the frame. */
static int fetch_answers(struct pass *pass)
{
    uint64_t begin = pass->answers_begin, end = pass->answers_end;
    pass->answers_begin = pass->answers_end = 0;
    if (begin == end)
        return 0;
    GRAVEL_TRY(gravel_device_calls_wait(pass->resolver->shape.calls)); /* names one that is stuck */
    cl_event fetched = NULL;
    cl_int error =
        clEnqueueReadBuffer(pass->resolver->queue, pass->slot->uploaded, CL_FALSE, begin,
                            end - begin, (unsigned char *)pass->frame + begin, 0, NULL, &fetched);
    return gravel_wait_command(pass->resolver->device, pass->resolver->queue, error, fetched,
                               "resolver: reading answers");
}

static void note_answers(struct pass *pass, const struct gravel_run *run)
{
    uint64_t at = (uint64_t)((const unsigned char *)run - (const unsigned char *)pass->frame);
    if (pass->answers_begin == pass->answers_end)
        pass->answers_begin = at;
    pass->answers_end = at + GRAVEL_RUN_BYTES(run->command, run->n_messages);
}

/* Returns a run of the frame as it is on the device. */
static struct gravel_device_run run_of(const struct pass *pass, const struct gravel_run *run)
{
    return gravel_device_run_of(&pass->resolver->runs, run, pass->slot->uploaded,
                                (uint64_t)((const char *)run - (const char *)pass->frame),
                                pass->heap_offset);
}

static int apply_words(struct pass *pass, const struct gravel_run *run)
{
    if (!pass->is_uploaded)
        GRAVEL_TRY(upload(pass));
    if (GRAVELP_IS_REQUEST(run->command))
        note_answers(pass, run);
    const struct gravel_device_run on_device = run_of(pass, run);
    return gravel_device_runs_enqueue(&pass->resolver->runs, &on_device);
}

static int apply_device_calls(struct pass *pass, const struct gravel_run *run)
{
    if (!pass->is_uploaded)
        GRAVEL_TRY(upload(pass));
    GRAVEL_TRY(gravel_device_calls_enqueue(pass->resolver->shape.calls, pass->resolver->queue,
                                           pass->slot->uploaded, pass->frame, run,
                                           pass->heap_offset));
    if (GRAVELP_IS_REQUEST(run->command))
        note_answers(pass, run);
    return 0;
}

/* Runs active messages of the host's, once all before them is applied: as a frame of this run alone, which apply.c can
 * do. */
static int apply_calls(struct pass *pass, struct gravel_run *run, struct gravel_applied *applied)
{
    GRAVEL_TRY(fetch_answers(pass));
    GRAVEL_TRY(wait_for_kernels(pass->resolver));
    uint64_t run_bytes = GRAVEL_RUN_BYTES(run->command, run->n_messages);
    struct gravel_frame *alone = (void *)pass->staged;
    struct gravel_applied calls;
    const struct gravel_apply apply = {.call = pass->apply->call, .context = pass->apply->context};
    pass->is_uploaded = false; /* its slot is taken */
    *alone = *pass->frame;
    alone->bytes = (uint32_t)(sizeof *alone + run_bytes);
    memcpy(alone + 1, run, run_bytes);
    gravel_apply_frame(&apply, alone, &calls);
    if (GRAVELP_IS_REQUEST(run->command))
        memcpy(run, alone + 1, run_bytes); /* with its answers */
    if (!applied->n_failed) {
        applied->result = calls.result;
        applied->handler = calls.handler;
    }
    applied->n_failed += calls.n_failed;
    return 0;
}

/* Whether the frame is one short run that goes with the kernel's launch. */
static bool is_given(const struct pass *pass)
{
    const struct gravel_run *run = (const void *)(pass->frame + 1);
    return pass->frame->bytes > sizeof *pass->frame &&
           sizeof *pass->frame + GRAVEL_RUN_BYTES(run->command, (gravelp_u64)run->n_messages) ==
               pass->frame->bytes &&
           gravel_device_runs_can_give(&pass->resolver->runs, run, pass->frame->bytes);
}

static int give(struct pass *pass, struct gravel_applied *applied)
{
    const struct gravel_run *run = (const void *)(pass->frame + 1);
    const struct gravel_device_run on_device = run_of(pass, run);
    int code =
        gravel_device_runs_give(&pass->resolver->runs, &on_device, pass->frame, pass->frame->bytes);
    applied->n_messages = code ? 0 : run->n_messages;
    return code;
}

/* Applies the runs of a frame, in order. */
static int apply_runs(struct pass *pass, struct gravel_applied *applied)
{
    int code = 0;
    for (uint64_t at = sizeof *pass->frame; !code && at < pass->frame->bytes;) {
        struct gravel_run *run = (void *)((char *)pass->frame + at);
        if (!GRAVELP_IS_CALL(run->command))
            code = apply_words(pass, run);
        else if (gravel_device_calls_can_take(pass->resolver->shape.calls, run))
            code = apply_device_calls(pass, run);
        else
            code = apply_calls(pass, run, applied);
        applied->n_messages += code ? 0 : run->n_messages;
        applied->has_signals |= GRAVELP_HAS_SIGNAL(run->command);
        at += GRAVEL_RUN_BYTES(run->command, (gravelp_u64)run->n_messages);
    }
    return code;
}

int gravel_device_resolver_apply(struct gravel_device_resolver *resolver,
                                 const struct gravel_apply *apply, uint64_t heap_offset,
                                 void *frame, struct gravel_applied *applied)
{
    const uint64_t most = resolver->shape.max_frame_bytes;
    struct pass pass = {
        .resolver = resolver, .apply = apply, .frame = frame, .heap_offset = heap_offset};
    assert(heap_offset % 8 == 0);
    *applied = (struct gravel_applied){0};
    if (pass.frame->bytes > most)
        return gravel_fail(GRAVEL_EINVAL, "frame of %u bytes, the device resolver takes %" PRIu64,
                           pass.frame->bytes, most);
    GRAVEL_TRY(gravel_device_resolver_give_back(resolver));
    GRAVEL_TRY(check_whole(resolver, make_room(resolver)));
    pass.slot = slot_of(resolver, resolver->n);
    const uint32_t number = number_of(resolver, pass.slot);
    pass.staged = resolver->records.begin + RECORDS_BYTES + number % N_STAGED * most;
    struct in_flight *before = &resolver->frames[(number + N_FRAMES - N_STAGED) % N_FRAMES];
    GRAVEL_TRY(check_whole(resolver, wait_for_upload(resolver, before)));
    int code = is_given(&pass) ? give(&pass, applied) : apply_runs(&pass, applied);
    pass.slot->is_kept = false;
    resolver->n++;
    resolver->n_begun++;
    cl_int flushed = clFlush(resolver->queue);
    if (!code)
        code = gravel_check_cl("resolver: clFlush", flushed);
    GRAVEL_TRY(code);
    return fetch_answers(&pass);
}

/* ---- packages in place ----------------------------------------------------------------------- */

int gravel_device_resolver_apply_in_place(struct gravel_device_resolver *resolver,
                                          const uint32_t *tickets, uint32_t n_queues,
                                          cl_command_queue *behind)
{
    bool has = false;
    int code = resolver->runs.heap
                   ? gravel_device_runs_in_place(&resolver->runs, tickets, n_queues, &has)
                   : 0;
    *behind = has && !code ? resolver->queue : NULL;
    return code;
}
