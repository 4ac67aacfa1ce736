/* SPDX-License-Identifier: MIT */
/*
 * The resolver and its helper threads. See resolver.h.
 *
 * Memory:  V1 hands a buffer to the helpers, V2 tells that they are done with it.
 */
#include "resolve/resolver.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/event.h"
#include "base/thread.h"
#include "resolve/on_device/device_resolver.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct helper {
    struct gravel_resolver *resolver;
    pthread_t thread;
    uint32_t shard;
    bool is_running;
    struct gravel_applied applied;
    _Alignas(GRAVELP_CACHELINE) _Atomic uint64_t done; /* V2: buffers finished */
};

struct gravel_resolver {
    struct gravel_resolver_shape shape;
    struct helper *helpers;                /* [n_helpers] */
    struct gravel_device_resolver *device; /* NULL where the host reaches the heap */
    /* The buffer at hand, and which runs of it [bytes], for the helpers. */
    void *frame;
    uint64_t from, to;
    unsigned char *memory;
    _Atomic uint64_t given; /* V1: buffers handed out */
    _Atomic bool stopping;
    struct gravel_event work, finished;
};

static void apply_shard(const struct gravel_resolver *resolver, uint32_t shard,
                        struct gravel_applied *applied)
{
    struct gravel_apply apply = {
        .heap = resolver->memory,
        .shard = {shard, resolver->shape.n_helpers + 1},
        .call = resolver->shape.call,
        .context = resolver->shape.context,
    };
    gravel_apply_runs(&apply, resolver->frame, resolver->from, resolver->to, applied);
}

/* Wait for the next buffer. @return false if the resolver stops. */
static bool wait_for_work(struct helper *helper, uint64_t done)
{
    struct gravel_resolver *resolver = helper->resolver;
    for (;;) {
        uint32_t key = gravel_event_prepare(&resolver->work);
        bool has_work =
            atomic_load_explicit(&resolver->given, memory_order_acquire) != done; /* V1 */
        bool stops = atomic_load_explicit(&resolver->stopping, memory_order_relaxed);
        if (has_work || stops) {
            gravel_event_cancel(&resolver->work);
            return has_work;
        }
        gravel_event_wait(&resolver->work, key, GRAVEL_NS_PER_S);
    }
}

static void *helper_main(void *argument)
{
    struct helper *helper = argument;
    struct gravel_resolver *resolver = helper->resolver;
    char name[16];
    snprintf(name, sizeof name, "gravel-res-%u", helper->shard);
    gravel_thread_begin(name);
    for (uint64_t done = 0; wait_for_work(helper, done); done++) {
        apply_shard(resolver, helper->shard, &helper->applied);
        atomic_store_explicit(&helper->done, done + 1, memory_order_release); /* V2 */
        gravel_event_signal(&resolver->finished);
    }
    return NULL;
}

static int create_on_device(struct gravel_resolver *resolver)
{
    const struct gravel_resolver_shape *shape = &resolver->shape;
    const struct gravel_device_resolver_shape on_device = {
        .device = shape->memory->device,
        .arena = shape->memory->buffer,
        .max_frame_bytes = shape->max_frame_bytes,
        .calls = shape->calls,
        .memory = shape->memory,
        .straight_bytes = GRAVEL_STRAIGHT_BYTES,
        .lending = shape->lending,
    };
    return gravel_device_resolver_create(&resolver->device, &on_device);
}

int gravel_resolver_create(struct gravel_resolver **out, const struct gravel_resolver_shape *shape)
{
    *out = NULL;
    struct gravel_resolver *resolver = aligned_alloc(GRAVELP_CACHELINE, sizeof *resolver);
    if (!resolver)
        return gravel_fail(GRAVEL_ENOMEM, "resolver");
    memset(resolver, 0, sizeof *resolver);
    resolver->shape = *shape;
    size_t bytes = (shape->n_helpers + 1) * sizeof *resolver->helpers;
    resolver->helpers = aligned_alloc(GRAVELP_CACHELINE, bytes);
    if (!resolver->helpers) {
        gravel_resolver_destroy(resolver);
        return gravel_fail(GRAVEL_ENOMEM, "%u resolver helpers", shape->n_helpers);
    }
    memset(resolver->helpers, 0, bytes);
    if (shape->memory->buffer) {
        int code = create_on_device(resolver);
        if (code) {
            gravel_resolver_destroy(resolver);
            return code;
        }
        *out = resolver;
        return 0;
    }
    for (uint32_t i = 0; i < shape->n_helpers; i++) {
        struct helper *helper = &resolver->helpers[i];
        helper->resolver = resolver;
        helper->shard = i + 1; /* the network thread has shard 0 */
        int error = pthread_create(&helper->thread, NULL, helper_main, helper);
        if (error) {
            gravel_resolver_destroy(resolver);
            return gravel_fail(GRAVEL_ESYSTEM, "resolver thread %u: %s", i, strerror(error));
        }
        helper->is_running = true;
    }
    *out = resolver;
    return 0;
}

void gravel_resolver_destroy(struct gravel_resolver *resolver)
{
    if (!resolver)
        return;
    atomic_store_explicit(&resolver->stopping, true, memory_order_relaxed);
    gravel_event_signal(&resolver->work);
    for (uint32_t i = 0; resolver->helpers && i < resolver->shape.n_helpers; i++)
        if (resolver->helpers[i].is_running)
            pthread_join(resolver->helpers[i].thread, NULL);
    gravel_device_resolver_destroy(resolver->device);
    free(resolver->helpers);
    free(resolver);
}

static void wait_for_helper(struct gravel_resolver *resolver, struct helper *helper, uint64_t given)
{
    for (uint32_t round = 0;; round++) {
        if (atomic_load_explicit(&helper->done, memory_order_acquire) == given) /* V2 */
            return;
        if (round < 16) {
            sched_yield();
            continue;
        }
        uint32_t key = gravel_event_prepare(&resolver->finished);
        if (atomic_load_explicit(&helper->done, memory_order_relaxed) == given) /* looks again */
            gravel_event_cancel(&resolver->finished);
        else
            gravel_event_wait(&resolver->finished, key, GRAVEL_NS_PER_S);
    }
}

static void add_applied(struct gravel_applied *sum, const struct gravel_applied *part)
{
    if (!sum->n_failed) {
        sum->result = part->result;
        sum->handler = part->handler;
    }
    sum->n_failed += part->n_failed;
    sum->n_messages += part->n_messages;
    sum->has_signals |= part->has_signals;
}

/* Hand the runs to all helpers, take a share, and wait for them. */
static void apply_together(struct gravel_resolver *resolver, struct gravel_applied *applied)
{
    uint64_t given = 0;
    struct gravel_applied mine;
    if (resolver->shape.n_helpers) {
        given = atomic_load_explicit(&resolver->given, memory_order_relaxed) + 1;
        atomic_store_explicit(&resolver->given, given, memory_order_release); /* V1 */
        gravel_event_signal(&resolver->work);
    }
    apply_shard(resolver, 0, &mine);
    add_applied(applied, &mine);
    for (uint32_t i = 0; i < resolver->shape.n_helpers; i++) {
        wait_for_helper(resolver, &resolver->helpers[i], given);
        applied->n_messages += resolver->helpers[i].applied.n_messages;
    }
}

/* The first run from byte `at` on that the device takes; the frame's end if there is none. */
static uint64_t find_call(const struct gravel_resolver *resolver, const struct gravel_frame *frame,
                          uint64_t at)
{
    while (resolver->shape.calls && at < frame->bytes) {
        const struct gravel_run *run = (const void *)((const char *)frame + at);
        if (gravel_device_calls_can_take(resolver->shape.calls, run))
            return at;
        at += GRAVEL_RUN_BYTES(run->command, (gravelp_u64)run->n_messages);
    }
    return frame->bytes;
}

/* A run on the device, while all helpers rest. */
static int call(struct gravel_resolver *resolver, struct gravel_run *run, uint32_t heap,
                struct gravel_applied *applied)
{
    int code = gravel_device_calls_run(resolver->shape.calls, resolver->frame, run, heap);
    applied->n_messages += code ? 0 : run->n_messages;
    applied->has_signals |= GRAVELP_HAS_SIGNAL(run->command);
    return code;
}

/* Runs of the host's and of the device's, in the order of the frame. */
static int apply_in_turn(struct gravel_resolver *resolver, uint32_t heap,
                         struct gravel_applied *applied)
{
    const struct gravel_frame *frame = resolver->frame;
    int code = 0;
    for (uint64_t at = sizeof *frame; !code && at < frame->bytes;) {
        struct gravel_run *run = (void *)((char *)resolver->frame + at);
        resolver->from = at;
        resolver->to = find_call(resolver, frame, at);
        if (resolver->to > at) {
            apply_together(resolver, applied);
            at = resolver->to;
        } else {
            code = call(resolver, run, heap, applied);
            at += GRAVEL_RUN_BYTES(run->command, (gravelp_u64)run->n_messages);
        }
    }
    return code;
}

static void refuse_handler(const struct gravel_resolver *resolver,
                           const struct gravel_applied *applied, struct gravel_refusal *refusal)
{
    refusal->code = GRAVEL_EHANDLER;
    snprintf(refusal->text, sizeof refusal->text, "handler %s returned %d%s",
             resolver->shape.handlers[applied->handler].name, applied->result,
             applied->n_failed > 1 ? " (and others failed)" : "");
}

/* Kernels apply it where the heap is device memory. */
static int apply(struct gravel_resolver *resolver, void *frame, uint32_t heap,
                 struct gravel_applied *applied)
{
    const struct gravel_memory *memory = resolver->shape.memory;
    const struct gravel_apply callbacks = {.call = resolver->shape.call,
                                           .context = resolver->shape.context};
    int code = 0;
    resolver->frame = frame;
    resolver->memory = gravel_memory_heap(memory, heap); /* NULL with a device resolver */
    if (resolver->device)
        code = gravel_device_resolver_apply(
            resolver->device, &callbacks, gravel_memory_heap_offset(memory, heap), frame, applied);
    else
        code = apply_in_turn(resolver, heap, applied);
    if (!code && applied->has_signals)
        gravel_requests_finish(frame, resolver->memory, resolver->shape.reply,
                               resolver->shape.network);
    return code;
}

static void refuse_device(int code, struct gravel_refusal *refusal)
{
    refusal->code = code;
    snprintf(refusal->text, sizeof refusal->text, "the device could not apply it: %s",
             gravel_last_error());
}

/* A frame whose indices the device checks. @return whether it is one: then it is kept, or refused. */
static bool keep(struct gravel_resolver *resolver, const void *frame,
                 const struct gravel_loan *loan, const struct gravel_expect *expect, uint32_t heap,
                 struct gravel_refusal *refusal)
{
    struct gravel_plan plan;
    if (!resolver->device || !gravel_device_resolver_keeps(resolver->device, frame, loan))
        return false;
    if (gravel_decode_plan(frame, loan->bytes, expect, resolver->shape.heap, loan->rows, &plan,
                           refusal))
        return true;
    if (plan.n_runs == 0 && !loan->rows)
        return false;
    if (plan.n_runs == 0) {
        refusal->code = GRAVEL_ECORRUPT;
        snprintf(refusal->text, sizeof refusal->text,
                 "frame %llu has headers alone, of a run whose indices the device cannot check",
                 (unsigned long long)loan->sequence);
        return true;
    }
    int code = gravel_device_resolver_lend(resolver->device, frame, &plan, loan,
                                           gravel_memory_heap_offset(resolver->shape.memory, heap));
    if (code)
        refuse_device(code, refusal);
    return true;
}

/* Any other frame. @return messages applied. */
static uint64_t check_and_apply(struct gravel_resolver *resolver, void *frame,
                                const struct gravel_loan *loan, const struct gravel_expect *expect,
                                uint32_t heap, struct gravel_refusal *refusal)
{
    struct gravel_applied applied = {.n_messages = 0};
    if (gravel_decode_check(frame, loan->bytes, expect, resolver->shape.heap, refusal))
        return 0;
    int code = apply(resolver, frame, heap, &applied);
    if (code)
        refuse_device(code, refusal);
    else if (applied.n_failed)
        refuse_handler(resolver, &applied, refusal);
    return applied.n_messages;
}

uint64_t gravel_resolver_resolve(struct gravel_resolver *resolver, void *frame,
                                 const struct gravel_loan *loan, uint32_t heap, bool *is_kept,
                                 struct gravel_refusal *refusal)
{
    struct gravel_expect expect = gravel_loan_expects(loan);
    uint64_t n_messages = 0;
    expect.handlers = resolver->shape.handlers;
    expect.n_handlers = resolver->shape.n_handlers;
    *refusal = (struct gravel_refusal){.code = 0};
    gravel_heap_lock_shared(resolver->shape.heap);
    bool is_planned = keep(resolver, frame, loan, &expect, heap, refusal);
    if (!is_planned)
        n_messages = check_and_apply(resolver, frame, loan, &expect, heap, refusal);
    gravel_heap_unlock_shared(resolver->shape.heap);
    *is_kept = is_planned && !refusal->code;
    return n_messages;
}

int gravel_resolver_give_back(struct gravel_resolver *resolver)
{
    return resolver->device ? gravel_device_resolver_give_back(resolver->device) : 0;
}

int gravel_resolver_finish(struct gravel_resolver *resolver)
{
    if (resolver->device)
        return gravel_device_resolver_finish(resolver->device);
    return gravel_device_calls_wait(resolver->shape.calls); /* fails if one is stuck */
}

int gravel_resolver_look(struct gravel_resolver *resolver, bool *moved)
{
    *moved = false;
    int code = gravel_device_calls_look(resolver->shape.calls);
    return code || !resolver->device ? code : gravel_device_resolver_look(resolver->device, moved);
}
