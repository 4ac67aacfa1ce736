/* SPDX-License-Identifier: MIT */
/*
 * Uploads frames and enqueues their runs. See device_resolver.h.
 *
 * A frame is one upload, from pinned memory. Everything goes to one in-order queue of the
 * resolver's own, so that nothing waits behind the caller's kernels. Several frames are under way
 * at once, each in a berth of its own: while the device applies one, the host checks and copies the
 * next. A berth is free again when its upload has ended: the queue orders the next one behind the kernels that read it.
 *
 * A long frame that lies in pinned memory is not copied before: the bus is faster than a memcpy, so
 * waiting for its upload takes less time, and all frames before it are applied then.
 */
#include "resolve/on_device/device_resolver.h"

#include "base/error.h"
#include "opencl/objects.h"
#include "opencl/wait.h"
#include "resolve/on_device/packages.h"
#include "resolve/on_device/lent.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_BERTHS 4u

/* Room for one frame. */
struct berth {
    cl_mem uploaded; /* [max_frame_bytes] on the device */
    void *staged;    /* [max_frame_bytes] pinned */
    cl_event sent;   /* the last upload from there; NULL: none that may be under way */
};

struct gravel_device_resolver {
    struct gravel_device_resolver_shape shape; /* max_frame_bytes a multiple of a line */
    struct gravel_device_runs runs;
    struct gravel_lent *lent;        /* NULL: no frame is kept */
    struct gravel_in_place in_place; /* without a kernel: no package is applied in place */
    cl_command_queue queue;
    struct gravel_pinned staging; /* what the berths' `staged` lie in */
    struct berth berths[N_BERTHS];
    uint32_t next;             /* berth */
    bool is_under_way;         /* some frame may be */
    cl_event all;              /* ends when all that are under way have; NULL: not yet asked for */
    struct gravel_kept broken; /* why frames that were under way are not applied; stays */
};

/* A frame that is being applied. */
struct pass {
    struct gravel_device_resolver *resolver;
    struct berth *berth;
    const struct gravel_apply *apply;
    struct gravel_frame *frame;
    uint64_t heap_offset;
    bool is_uploaded; /* nothing is enqueued before */
    uint64_t answers_begin,
        answers_end; /* [bytes] part of the frame with answers only the device has */
};

static int make_parts(struct gravel_device_resolver *resolver)
{
    const struct gravel_device_resolver_shape *shape = &resolver->shape;
    const uint64_t bytes = shape->max_frame_bytes;
    static const char using[] = "resolver: first use of its buffers";
    /* A handler on the device may keep the resolver's queue; and where launches are drained, no round is short. */
    const bool may_be_in_place =
        shape->heap && !shape->calls && gravel_step_is_pumped(shape->device->step);
    GRAVEL_TRY(gravel_cl_queue_create(shape->device, "resolver", &resolver->queue));
    GRAVEL_TRY(gravel_pinned_create(&resolver->staging, shape->device, resolver->queue,
                                    "resolver: pinned memory", NULL, N_BERTHS * bytes));
    GRAVEL_TRY(gravel_device_runs_create(&resolver->runs, shape->device, resolver->queue,
                                         shape->arena, bytes));
    for (uint32_t i = 0; i < N_BERTHS; i++) {
        struct berth *berth = &resolver->berths[i];
        berth->staged = resolver->staging.begin + i * bytes;
        GRAVEL_TRY(gravel_cl_buffer_create(shape->device, "resolver", bytes, &berth->uploaded));
        /* from here on, see gravel_device_runs_warm_up */
        GRAVEL_TRY(gravel_cl_buffer_zero(resolver->queue, berth->uploaded, 0, bytes, using));
        GRAVEL_TRY(gravel_device_runs_warm_up(&resolver->runs, berth->uploaded));
        GRAVEL_TRY(gravel_device_calls_warm_up(shape->calls, resolver->queue, berth->uploaded));
    }
    GRAVEL_TRY(gravel_wait_queue(shape->device, resolver->queue, using));
    if (shape->memory && shape->lending.ended)
        GRAVEL_TRY(gravel_lent_create(&resolver->lent, &resolver->runs, shape->max_frame_bytes,
                                      &shape->lending));
    return may_be_in_place
               ? gravel_in_place_create(&resolver->in_place, &resolver->runs, shape->heap)
               : 0;
}

int gravel_device_resolver_create(struct gravel_device_resolver **out,
                                  const struct gravel_device_resolver_shape *shape)
{
    *out = NULL;
    struct gravel_device_resolver *resolver = calloc(1, sizeof *resolver);
    if (!resolver)
        return gravel_fail(GRAVEL_ENOMEM, "device resolver");
    resolver->shape = *shape;
    resolver->shape.max_frame_bytes = (shape->max_frame_bytes + 63) & ~UINT64_C(63);
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
    if (!gravel_wait_is_done(resolver->shape.device, resolver->queue,
                             "resolver: the last frames") ||
        !gravel_lent_destroy(resolver->lent))
        return false;
    resolver->lent = NULL;
    gravel_in_place_destroy(&resolver->in_place);
    gravel_pinned_destroy(&resolver->staging);
    if (!gravel_wait_is_done(resolver->shape.device, resolver->queue, "resolver: unmapping"))
        return false;
    if (resolver->queue)
        clFinish(resolver->queue); /* all has ended: the driver lets go of what its commands held */
    gravel_cl_event_release(resolver->all);
    gravel_device_runs_destroy(&resolver->runs);
    for (uint32_t i = 0; i < N_BERTHS; i++) {
        gravel_cl_event_release(resolver->berths[i].sent);
        gravel_cl_buffer_release(resolver->berths[i].uploaded);
    }
    gravel_cl_queue_release(resolver->queue);
    free(resolver);
    return true;
}

/* ---- berths ---------------------------------------------------------------------------------- */

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

static const char finishing[] = "resolver: frames were not applied";

int gravel_device_resolver_begin_finish(struct gravel_device_resolver *resolver)
{
    if (!resolver->is_under_way || resolver->all || resolver->broken.code)
        return 0;
    cl_int error = gravel_wait_mark(resolver->shape.device, resolver->queue, &resolver->all);
    return check_whole(resolver,
                       gravel_check_cl(finishing, gravel_cl_flush(resolver->queue, error)));
}

/* Another frame is under way. */
static void note_under_way(struct gravel_device_resolver *resolver)
{
    resolver->is_under_way = true;
    gravel_cl_event_release(resolver->all);
    resolver->all = NULL;
}

/* Waits for the frames in berths. */
static int finish_berths(struct gravel_device_resolver *resolver)
{
    if (!resolver->is_under_way)
        return 0;
    resolver->is_under_way = false;
    int code = gravel_device_calls_wait(resolver->shape.calls);
    if (gravel_device_calls_are_stuck(resolver->shape.calls))
        return code; /* the queue will not finish either */
    cl_event all = resolver->all;
    resolver->all = NULL;
    int broken = check_whole(
        resolver, all ? gravel_wait_command(resolver->shape.device, resolver->queue, CL_SUCCESS,
                                            all, finishing)
                      : gravel_wait_queue(resolver->shape.device, resolver->queue, finishing));
    for (uint32_t i = 0; i < N_BERTHS && !broken; i++) { /* all that the queue held has ended */
        gravel_cl_event_release(resolver->berths[i].sent);
        resolver->berths[i].sent = NULL;
    }
    return code ? code : broken;
}

int gravel_device_resolver_finish(struct gravel_device_resolver *resolver)
{
    GRAVEL_TRY(tell_broken(resolver));
    GRAVEL_TRY(finish_berths(resolver));
    return resolver->lent ? check_whole(resolver, gravel_lent_finish(resolver->lent)) : 0;
}

static bool goes_straight(const struct gravel_device_resolver *resolver, const void *frame,
                          uint64_t bytes)
{
    const struct gravel_memory *memory = resolver->shape.memory;
    return memory && bytes >= resolver->shape.straight_bytes &&
           gravel_memory_is_pinned(memory, frame);
}

/* Wait until the berth's last upload has ended. */
static int wait_for_upload(const struct gravel_device_resolver *resolver, struct berth *berth)
{
    cl_event sent = berth->sent;
    berth->sent = NULL;
    return sent ? gravel_wait_command(resolver->shape.device, resolver->queue, CL_SUCCESS, sent,
                                      "resolver: uploading a frame")
                : 0;
}

static int upload(struct pass *pass)
{
    struct berth *berth = pass->berth;
    bool waits = goes_straight(pass->resolver, pass->frame, pass->frame->bytes);
    const void *from = waits ? (const void *)pass->frame : berth->staged;
    if (!waits)
        memcpy(berth->staged, pass->frame, pass->frame->bytes);
    pass->is_uploaded = true;
    gravel_cl_event_release(berth->sent); /* of the same frame, before handlers of the host ran */
    berth->sent = NULL;
    cl_int error = clEnqueueWriteBuffer(pass->resolver->queue, berth->uploaded, CL_FALSE, 0,
                                        pass->frame->bytes, from, 0, NULL, &berth->sent);
    GRAVEL_TRY(gravel_check_cl("resolver: clEnqueueWriteBuffer", error));
    return waits ? wait_for_upload(pass->resolver, berth) : 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

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
        clEnqueueReadBuffer(pass->resolver->queue, pass->berth->uploaded, CL_FALSE, begin,
                            end - begin, (unsigned char *)pass->frame + begin, 0, NULL, &fetched);
    return gravel_wait_command(pass->resolver->shape.device, pass->resolver->queue, error, fetched,
                               "resolver: reading answers");
}

static void note_answers(struct pass *pass, const struct gravel_run *run)
{
    uint64_t at = (uint64_t)((const unsigned char *)run - (const unsigned char *)pass->frame);
    if (pass->answers_begin == pass->answers_end)
        pass->answers_begin = at;
    pass->answers_end = at + GRAVEL_RUN_BYTES(run->command, run->n_messages);
}

static int apply_words(struct pass *pass, const struct gravel_run *run)
{
    if (!pass->is_uploaded)
        GRAVEL_TRY(upload(pass));
    if (GRAVELP_IS_REQUEST(run->command))
        note_answers(pass, run);
    struct gravel_device_run on_device = {
        .frame = pass->berth->uploaded,
        .run = run,
        .heap_offset = pass->heap_offset,
    };
    gravel_device_run_follow(&on_device, (uint64_t)((const char *)run - (const char *)pass->frame));
    return gravel_device_runs_enqueue(&pass->resolver->runs, &on_device);
}

static int apply_device_calls(struct pass *pass, const struct gravel_run *run)
{
    if (!pass->is_uploaded)
        GRAVEL_TRY(upload(pass));
    GRAVEL_TRY(gravel_device_calls_enqueue(pass->resolver->shape.calls, pass->resolver->queue,
                                           pass->berth->uploaded, pass->frame, run,
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
    GRAVEL_TRY(finish_berths(pass->resolver));
    uint64_t run_bytes = GRAVEL_RUN_BYTES(run->command, run->n_messages);
    struct gravel_frame *alone = pass->berth->staged;
    struct gravel_applied calls;
    const struct gravel_apply apply = {.call = pass->apply->call, .context = pass->apply->context};
    pass->is_uploaded = false; /* its place is taken */
    note_under_way(pass->resolver);
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
    struct gravel_device_run on_device = {
        .frame = pass->berth->uploaded,
        .run = run,
        .heap_offset = pass->heap_offset,
    };
    gravel_device_run_follow(&on_device, sizeof *pass->frame);
    int code =
        gravel_device_runs_give(&pass->resolver->runs, &on_device, pass->frame, pass->frame->bytes);
    cl_int flushed = clFlush(pass->resolver->queue);
    applied->n_messages = code ? 0 : run->n_messages;
    return code ? code : gravel_check_cl("resolver: clFlush", flushed);
}

int gravel_device_resolver_apply(struct gravel_device_resolver *resolver,
                                 const struct gravel_apply *apply, uint64_t heap_offset,
                                 void *frame, struct gravel_applied *applied)
{
    struct pass pass = {.resolver = resolver,
                        .berth = &resolver->berths[resolver->next],
                        .apply = apply,
                        .frame = frame,
                        .heap_offset = heap_offset};
    assert(heap_offset % 8 == 0);
    *applied = (struct gravel_applied){0};
    if (pass.frame->bytes > resolver->shape.max_frame_bytes)
        return gravel_fail(GRAVEL_EINVAL, "frame of %u bytes, the device resolver takes %llu",
                           pass.frame->bytes, (unsigned long long)resolver->shape.max_frame_bytes);
    int code = gravel_device_resolver_give_back(resolver);
    if (!code)
        code = check_whole(resolver, wait_for_upload(resolver, pass.berth));
    if (!code) {
        resolver->next = (resolver->next + 1) % N_BERTHS;
        note_under_way(resolver);
    }
    if (!code && is_given(&pass))
        return give(&pass, applied);
    for (uint64_t at = sizeof *pass.frame; !code && at < pass.frame->bytes;) {
        struct gravel_run *run = (void *)((char *)frame + at);
        if (!GRAVELP_IS_CALL(run->command))
            code = apply_words(&pass, run);
        else if (gravel_device_calls_can_take(resolver->shape.calls, run))
            code = apply_device_calls(&pass, run);
        else
            code = apply_calls(&pass, run, applied);
        applied->n_messages += code ? 0 : run->n_messages;
        applied->has_signals |= GRAVELP_HAS_SIGNAL(run->command);
        at += GRAVEL_RUN_BYTES(run->command, (gravelp_u64)run->n_messages);
    }
    cl_int flushed = clFlush(resolver->queue);
    if (!code)
        code = gravel_check_cl("resolver: clFlush", flushed);
    return code ? code : fetch_answers(&pass);
}

/* ---- packages in place ----------------------------------------------------------------------- */

int gravel_device_resolver_apply_in_place(struct gravel_device_resolver *resolver,
                                          const uint32_t *tickets, uint32_t n_queues,
                                          cl_command_queue *behind)
{
    bool has = false;
    int code = resolver->in_place.kernel
                   ? gravel_in_place_enqueue(&resolver->in_place, tickets, n_queues, &has)
                   : 0;
    *behind = has && !code ? resolver->queue : NULL;
    return code;
}

/* ---- frames that are kept -------------------------------------------------------------------- */

bool gravel_device_resolver_keeps(const struct gravel_device_resolver *resolver, const void *frame,
                                  const struct gravel_loan *loan)
{
    uint64_t bytes = loan->bytes;
    if (!resolver->lent || loan->rows)
        return resolver->lent;
    return bytes <= resolver->shape.max_frame_bytes && goes_straight(resolver, frame, bytes);
}

int gravel_device_resolver_lend(struct gravel_device_resolver *resolver, const void *frame,
                                const struct gravel_plan *plan, const struct gravel_loan *loan,
                                uint64_t heap_offset)
{
    GRAVEL_TRY(tell_broken(resolver));
    GRAVEL_TRY(check_whole(resolver, gravel_lent_make_room(resolver->lent)));
    return gravel_lent_take(resolver->lent, frame, plan, loan, heap_offset);
}

int gravel_device_resolver_give_back(struct gravel_device_resolver *resolver)
{
    int code = tell_broken(resolver);
    return code || !resolver->lent ? code
                                   : check_whole(resolver, gravel_lent_begin_all(resolver->lent));
}

int gravel_device_resolver_look(struct gravel_device_resolver *resolver, bool *moved)
{
    *moved = false;
    return resolver->broken.code || !resolver->lent
               ? 0
               : check_whole(resolver, gravel_lent_look(resolver->lent, moved));
}
