/* SPDX-License-Identifier: MIT */
/*
 * Which way an incoming buffer takes: by this thread and handlers on the device, or by kernels (on_device/). See
 * resolver.h.
 */
#include "resolve/resolver.h"

#include "base/clock.h"
#include "base/error.h"
#include "resolve/on_device/ring.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_on_device(const struct gravel_resolver *resolver)
{
    return resolver->shape.memory->region.buffer;
}

int gravel_resolver_create(struct gravel_resolver **out, const struct gravel_resolver_shape *shape)
{
    struct gravel_resolver *resolver = *out = calloc(1, sizeof *resolver);
    if (!resolver)
        return gravel_fail_memory("resolver", sizeof *resolver);
    resolver->shape = *shape;
    int code = is_on_device(resolver) ? gravel_ring_create(resolver) : 0;
    if (!code)
        return 0;
    const struct gravel_kept met = gravel_keep(code);
    gravel_resolver_destroy(resolver);
    *out = NULL;
    return gravel_fail_again(&met);
}

bool gravel_resolver_destroy(struct gravel_resolver *resolver)
{
    if (resolver && is_on_device(resolver) && !gravel_ring_destroy(resolver))
        return false;
    free(resolver);
    return true;
}

void gravel_resolver_share(struct gravel_resolver *resolver)
{
    atomic_store_explicit(&resolver->is_shared, true, memory_order_relaxed); /* U14 */
}

/* Applies runs of the host's and of the device's, in the order of the frame. */
static int apply_in_order(const struct gravel_resolver *resolver, struct gravel_frame *frame,
                          uint32_t heap, struct gravel_applied *applied)
{
    const struct gravel_apply here = {.heap = gravel_memory_heap(resolver->shape.memory, heap),
                                      .call = resolver->shape.endpoints->call,
                                      .context = resolver->shape.endpoints->node};
    struct gravel_device_calls *calls = resolver->shape.calls;
    for (uint64_t at = sizeof *frame, next; at < frame->bytes; at = next) {
        struct gravel_run *run = (void *)((char *)frame + at);
        next = at + GRAVEL_RUN_BYTES(run->command, (gravelp_u64)run->n_messages);
        const uint64_t begin_ns = resolver->shape.trace ? gravel_clock_ns() : 0;
        if (!gravel_device_calls_can_take(calls, run)) {
            gravel_apply_runs(&here, frame, at, next, applied);
            gravel_resolver_trace(&resolver->shape, run, begin_ns);
            continue;
        }
        GRAVEL_TRY(gravel_device_calls_run(calls, frame, run, heap));
        gravel_resolver_trace(&resolver->shape, run, begin_ns);
        applied->n_messages += run->n_messages;
        applied->has_signals |= GRAVELP_HAS_SIGNAL(run->command);
    }
    return 0;
}

uint64_t gravel_resolver_resolve(struct gravel_resolver *resolver, void *frame,
                                 const struct gravel_received *received, uint32_t heap,
                                 bool *is_kept, struct gravel_refusal *refusal)
{
    const struct gravel_resolver_shape *shape = &resolver->shape;
    const uint64_t heap_offset = gravel_memory_heap_offset(shape->memory, heap);
    const struct gravel_expect expect =
        gravel_received_expects(received, shape->endpoints, shape->heap);
    struct gravel_applied applied = {.n_messages = 0};
    int code = 0;
    *refusal = (struct gravel_refusal){.code = 0};
    *is_kept = false;
    gravel_heap_lock_shared(shape->heap);
    if (is_on_device(resolver))
        code = gravel_ring_keep(resolver, frame, received, &expect, heap_offset, is_kept, refusal);
    if (!code && !*is_kept && !refusal->code &&
        !gravel_decode_check(frame, received->bytes, &expect, NULL, refusal)) {
        code = is_on_device(resolver) ? gravel_ring_copy(resolver, heap_offset, frame, &applied)
                                      : apply_in_order(resolver, frame, heap, &applied);
        if (!code && applied.has_signals)
            gravel_requests_finish(frame, gravel_memory_heap(shape->memory, heap), shape->reply,
                                   shape->network);
    }
    gravel_heap_unlock_shared(shape->heap);
    if (code) {
        refusal->code = code;
        snprintf(refusal->text, sizeof refusal->text, "the device could not apply it: %s",
                 gravel_last_error());
    } else if (applied.n_failed) {
        refusal->code = GRAVEL_EHANDLER;
        snprintf(refusal->text, sizeof refusal->text, "handler %s returned %d%s",
                 shape->endpoints->handlers[applied.handler].name, applied.result,
                 applied.n_failed > 1 ? " (and others failed)" : "");
    }
    return applied.n_messages;
}
