/* SPDX-License-Identifier: MIT */
/*
 * Which way an incoming buffer takes: by this thread, by handlers on the device, by kernels. See resolver.h.
 */
#include "resolve/resolver.h"

#include "base/error.h"
#include "resolve/on_device/device_resolver.h"

#include <stdio.h>
#include <stdlib.h>

struct gravel_resolver {
    struct gravel_resolver_shape shape;
    struct gravel_device_resolver *device; /* NULL where the host reaches the heap */
};

int gravel_resolver_create(struct gravel_resolver **out, const struct gravel_resolver_shape *shape)
{
    struct gravel_resolver *resolver = calloc(1, sizeof *resolver);
    *out = resolver;
    if (!resolver)
        return gravel_fail(GRAVEL_ENOMEM, "resolver");
    resolver->shape = *shape;
    int code =
        shape->memory->region.buffer ? gravel_device_resolver_create(&resolver->device, shape) : 0;
    if (code) {
        gravel_resolver_destroy(resolver);
        *out = NULL;
    }
    return code;
}

bool gravel_resolver_destroy(struct gravel_resolver *resolver)
{
    if (!resolver)
        return true;
    if (!gravel_device_resolver_destroy(resolver->device))
        return false;
    free(resolver);
    return true;
}

/* Applies runs of the host's and of the device's, in the order of the frame. */
static int apply_in_turn(const struct gravel_resolver *resolver, void *frame, uint32_t heap,
                         struct gravel_applied *applied)
{
    const struct gravel_frame *header = frame;
    const struct gravel_apply here = {.heap = gravel_memory_heap(resolver->shape.memory, heap),
                                      .call = resolver->shape.call,
                                      .context = resolver->shape.context};
    struct gravel_device_calls *calls = resolver->shape.calls;
    int code = 0;
    for (uint64_t at = sizeof *header, next; !code && at < header->bytes; at = next) {
        struct gravel_run *run = (void *)((char *)frame + at);
        next = at + GRAVEL_RUN_BYTES(run->command, (gravelp_u64)run->n_messages);
        if (!calls || !gravel_device_calls_can_take(calls, run)) {
            gravel_apply_runs(&here, frame, at, next, applied);
            continue;
        }
        code = gravel_device_calls_run(calls, frame, run, heap);
        applied->n_messages += code ? 0 : run->n_messages;
        applied->has_signals |= GRAVELP_HAS_SIGNAL(run->command);
    }
    return code;
}

/* Applies a frame that is not kept; kernels do where the heap is device memory. */
static int apply(const struct gravel_resolver *resolver, void *frame, uint32_t heap,
                 struct gravel_applied *applied)
{
    const struct gravel_memory *memory = resolver->shape.memory;
    const struct gravel_apply callbacks = {.call = resolver->shape.call,
                                           .context = resolver->shape.context};
    int code = 0;
    if (resolver->device)
        code = gravel_device_resolver_apply(
            resolver->device, &callbacks, gravel_memory_heap_offset(memory, heap), frame, applied);
    else
        code = apply_in_turn(resolver, frame, heap, applied);
    if (!code && applied->has_signals)
        gravel_requests_finish(frame, gravel_memory_heap(memory, heap), resolver->shape.reply,
                               resolver->shape.network);
    return code;
}

static void refuse_device(int code, struct gravel_refusal *refusal)
{
    refusal->code = code;
    snprintf(refusal->text, sizeof refusal->text, "the device could not apply it: %s",
             gravel_last_error());
}

/* Applies any other frame. @return messages applied. */
static uint64_t check_and_apply(struct gravel_resolver *resolver, void *frame,
                                const struct gravel_received *received,
                                const struct gravel_expect *expect, uint32_t heap,
                                struct gravel_refusal *refusal)
{
    struct gravel_applied applied = {.n_messages = 0};
    if (gravel_decode_check(frame, received->bytes, expect, resolver->shape.heap, refusal))
        return 0;
    int code = apply(resolver, frame, heap, &applied);
    if (code)
        refuse_device(code, refusal);
    else if (applied.n_failed) {
        refusal->code = GRAVEL_EHANDLER;
        snprintf(refusal->text, sizeof refusal->text, "handler %s returned %d%s",
                 resolver->shape.handlers[applied.handler].name, applied.result,
                 applied.n_failed > 1 ? " (and others failed)" : "");
    }
    return applied.n_messages;
}

uint64_t gravel_resolver_resolve(struct gravel_resolver *resolver, void *frame,
                                 const struct gravel_received *received, uint32_t heap,
                                 bool *is_kept, struct gravel_refusal *refusal)
{
    struct gravel_expect expect = gravel_received_expects(received);
    uint64_t n_messages = 0;
    bool is_planned = false;
    expect.handlers = resolver->shape.handlers;
    expect.n_handlers = resolver->shape.n_handlers;
    *refusal = (struct gravel_refusal){.code = 0};
    gravel_heap_lock_shared(resolver->shape.heap);
    int code =
        resolver->device
            ? gravel_device_resolver_keep(resolver->device, frame, received, &expect,
                                          gravel_memory_heap_offset(resolver->shape.memory, heap),
                                          &is_planned, refusal)
            : 0;
    if (code)
        refuse_device(code, refusal);
    if (!is_planned)
        n_messages = check_and_apply(resolver, frame, received, &expect, heap, refusal);
    gravel_heap_unlock_shared(resolver->shape.heap);
    *is_kept = is_planned && !refusal->code;
    return n_messages;
}

int gravel_resolver_apply_in_place(struct gravel_resolver *resolver, const uint32_t *tickets,
                                   uint32_t n_queues, cl_command_queue *behind)
{
    *behind = NULL;
    return resolver->device
               ? gravel_device_resolver_apply_in_place(resolver->device, tickets, n_queues, behind)
               : 0;
}

int gravel_resolver_give_back(struct gravel_resolver *resolver)
{
    return resolver->device ? gravel_device_resolver_give_back(resolver->device) : 0;
}

int gravel_resolver_begin_finish(struct gravel_resolver *resolver)
{
    return resolver->device ? gravel_device_resolver_begin_finish(resolver->device) : 0;
}

int gravel_resolver_finish(struct gravel_resolver *resolver)
{
    if (resolver->device)
        return gravel_device_resolver_finish(resolver->device);
    return gravel_device_calls_wait(resolver->shape.calls); /* fails if one is stuck */
}

int gravel_resolver_poll(struct gravel_resolver *resolver, bool *moved)
{
    *moved = false;
    int code = gravel_device_calls_poll(resolver->shape.calls);
    return code || !resolver->device ? code : gravel_device_resolver_poll(resolver->device, moved);
}
