/* SPDX-License-Identifier: MIT */
/*
 * Frames of messages: the resolver applies them, at once or after a while, and the network thread counts and reports
 * what came of each. Answers of requests go back as puts with signal, like messages of a handler.
 *
 * Path:    control.c -> resolving.c -> resolver.h -> gravel_resolving_ended, gravel_resolving_give_back;
 *          apply.c -> gravel_reply_send -> handler_sender -> the asking node's resolver -> its heap.
 * Threads: the network thread.
 */
#include "base/trace.h"
#include "network/parts.h"
#include "resolve/apply.h"

#include <stdio.h>

#define CHUNK 256u /* [answers] */

void gravel_resolving_refuse(struct gravel_network *network, int code, const char *why,
                             uint32_t source, uint32_t destination)
{
    struct gravel_error_frame refusal = {.code = code};
    snprintf(refusal.text, sizeof refusal.text, "node %u refused a buffer from node %u: %s",
             destination, source, why);
    network->shape.report(network->shape.context, code, false, refusal.text);
    if (!gravel_transport_is_local(network->transport, source))
        gravel_network_put(network, gravel_network_frame(network, GRAVEL_FRAME_REFUSAL, source,
                                                         &refusal, sizeof refusal, 0));
}

static void end_messages(struct gravel_network *network, const struct gravel_received *received,
                         uint64_t n_messages, const struct gravel_refusal *refusal)
{
    gravel_counter_add(&network->counts.resolved_buffers, 1);
    gravel_counter_add(&network->counts.resolved_messages, n_messages);
    gravel_trace_buffer(network->trace, "resolve", received->source, (uint32_t)received->bytes);
    if (refusal->code) {
        gravel_counter_add(&network->counts.refused_buffers, 1);
        gravel_resolving_refuse(network, refusal->code, refusal->text, received->source,
                                received->destination);
    }
    if (refusal->code == GRAVEL_EKERNEL) /* a handler on the device that does not end */
        gravel_network_fail(network, refusal->code, "%s", refusal->text);
}

bool gravel_resolving_take(struct gravel_network *network, struct gravel_frame *frame,
                           const struct gravel_received *received)
{
    struct gravel_refusal refusal;
    bool is_kept;
    network->resolving_node = received->destination;
    uint64_t n = gravel_resolver_resolve(network->resolver, frame, received,
                                         gravel_network_heap_of(network, received->destination),
                                         &is_kept, &refusal);
    if (is_kept)
        network->n_kept++;
    else
        end_messages(network, received, n, &refusal);
    return is_kept;
}

/* Counts a frame as resolved only now: else a barrier of its sender could end before the refusal arrives. */
void gravel_resolving_ended(void *context, const struct gravel_received *received,
                            uint64_t n_messages, const struct gravel_refusal *refusal)
{
    struct gravel_network *network = context;
    end_messages(network, received, n_messages, refusal);
    network->n_counted_resolved++;
}

void gravel_resolving_give_back(void *context, const struct gravel_received *received)
{
    struct gravel_network *network = context;
    network->n_kept--;
    if (received->buffer) {
        gravel_pool_return(received->buffer);
        return;
    }
    gravel_handover_give_back(&network->transport->handover, received->source);
    network->n_kept_foreign--;
}

void gravel_resolving_finish(struct gravel_network *network)
{
    if (network->sees_attached)
        gravel_network_check(network, gravel_resolver_finish(network->resolver));
}

void gravel_reply_send(void *context, const struct gravel_signal_run *run, uint32_t source,
                       const void *requests, const unsigned char *answers)
{
    const uint32_t command = run->run.command, type = GRAVELP_COMMAND_TYPE(command);
    const uint32_t far = command & GRAVELP_COMMAND_FAR;
    struct gravel_network *network = context;
    uint32_t refused;
    uint32_t nodes[CHUNK], near_positions[CHUNK];
    uint64_t far_positions[CHUNK];
    for (uint32_t first = 0; first < run->run.n_messages; first += CHUNK) {
        uint32_t left = run->run.n_messages - first, n = left < CHUNK ? left : CHUNK;
        for (uint32_t i = 0; i < n; i++) {
            nodes[i] = source;
            far_positions[i] = gravel_element_at(command, requests, first + i).position;
            near_positions[i] = (uint32_t)far_positions[i];
        }
        const struct gravel_columns columns = {
            .key = {.command = GRAVELP_COMMAND(GRAVEL_PUT_SIGNAL, type) | far,
                    .base = run->result,
                    .signal = run->signal},
            .n = n,
            .nodes = nodes,
            .index = far ? (const void *)far_positions : (const void *)near_positions,
            .values = {answers + (size_t)first * GRAVEL_TYPE_BYTES(type)},
        };
        int code =
            gravel_sender_append(network->handler_sender, &columns, gravel_clock_ns(), &refused);
        if (code == GRAVEL_ENOMEM)
            gravel_network_fail(network, code, "no memory for a node buffer with answers");
    }
}
