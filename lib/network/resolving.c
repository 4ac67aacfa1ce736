/* SPDX-License-Identifier: MIT */
/*
 * Frames of messages: the resolver applies them, at once or after a while, and the network thread counts and tells what
 * came of each.
 *
 * Path:    control.c -> resolving.c -> resolver.h -> gravel_resolving_ended, gravel_resolving_give_back.
 * Threads: the network thread.
 */
#include "base/trace.h"
#include "network/parts.h"

#include <stdio.h>

void gravel_resolving_refuse(struct gravel_network *network, int code, const char *why,
                             uint32_t source, uint32_t destination)
{
    char text[GRAVEL_FRAME_TEXT_BYTES];
    snprintf(text, sizeof text, "node %u refused a buffer from node %u: %s", destination, source,
             why);
    network->shape.report(network->shape.context, code, false, text);
    if (gravel_transport_is_local(network->transport, source))
        return;
    struct gravel_buffer *buffer = gravel_network_frame(network, GRAVEL_FRAME_REFUSAL, source,
                                                        sizeof(struct gravel_refusal_frame));
    if (!buffer)
        return;
    struct gravel_refusal_frame *frame = (struct gravel_refusal_frame *)buffer->frame;
    frame->code = code;
    snprintf(frame->text, sizeof frame->text, "%s", text);
    gravel_network_put(network, buffer);
}

static void end_messages(struct gravel_network *network, const struct gravel_loan *loan,
                         uint64_t n_messages, const struct gravel_refusal *refusal)
{
    gravel_counter_add(&network->counts.resolved_buffers, 1);
    gravel_counter_add(&network->counts.resolved_messages, n_messages);
    gravel_trace_buffer(network->trace, "resolve", loan->source, (uint32_t)loan->bytes);
    if (refusal->code) {
        gravel_counter_add(&network->counts.refused_buffers, 1);
        gravel_resolving_refuse(network, refusal->code, refusal->text, loan->source,
                                loan->destination);
    }
    if (refusal->code == GRAVEL_EKERNEL) /* a handler on the device that does not end */
        gravel_network_fail(network, refusal->code, refusal->text);
}

bool gravel_resolving_take(struct gravel_network *network, struct gravel_frame *frame,
                           const struct gravel_loan *loan)
{
    struct gravel_refusal refusal;
    bool is_kept;
    network->resolving_node = loan->destination;
    uint64_t n = gravel_resolver_resolve(network->resolver, frame, loan,
                                         gravel_network_heap_of(network, loan->destination),
                                         &is_kept, &refusal);
    if (is_kept)
        network->n_kept++;
    else
        end_messages(network, loan, n, &refusal);
    return is_kept;
}

/* Only now is it resolved: else a barrier of its sender could end before the refusal arrives. */
void gravel_resolving_ended(void *context, const struct gravel_loan *loan, uint64_t n_messages,
                            const struct gravel_refusal *refusal)
{
    struct gravel_network *network = context;
    end_messages(network, loan, n_messages, refusal);
    network->n_counted_resolved++;
}

void gravel_resolving_give_back(void *context, const struct gravel_loan *loan)
{
    struct gravel_network *network = context;
    network->n_kept--;
    if (loan->buffer) {
        gravel_pool_return(loan->buffer);
        return;
    }
    network->transport->operations->give_back(network->transport, loan->source);
    network->n_kept_foreign--;
}

bool gravel_resolving_look(struct gravel_network *network)
{
    bool has_moved;
    gravel_network_check(network, gravel_resolver_look(network->resolver, &has_moved));
    return has_moved;
}

void gravel_resolving_begin_finish(struct gravel_network *network)
{
    if (network->sees_attached)
        gravel_network_check(network, gravel_resolver_begin_finish(network->resolver));
}

void gravel_resolving_finish(struct gravel_network *network)
{
    if (network->sees_attached)
        gravel_network_check(network, gravel_resolver_finish(network->resolver));
}
