/* SPDX-License-Identifier: MIT */
/*
 * Frames on their way out: node buffers that senders have shipped, frames of this thread's own that wait for their
 * turn, and the call that hands a frame to the transport.
 *
 * Path:    sender.c (ship), control.c and others (frame, put) -> network.c takes them -> transmit -> transport.
 * Memory:  buffers come through the list `outgoing` (M3), and return through lists as well.
 */
#include "network/parts.h"

#include "base/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void gravel_network_ship(void *context, struct gravel_buffer *buffer)
{
    struct gravel_network *network = context;
    gravel_list_push(&network->outgoing, buffer);
    gravel_event_signal(&network->event);
}

void gravel_network_put(void *context, struct gravel_buffer *buffer)
{
    if (buffer)
        gravel_fifo_push(&((struct gravel_network *)context)->pending, buffer);
}

void gravel_network_fail(const struct gravel_network *network, int code, const char *format, ...)
{
    char text[GRAVEL_ERROR_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    network->shape.report(network->shape.context, code, true, text);
}

struct gravel_buffer *gravel_network_frame(struct gravel_network *network, uint16_t kind,
                                           uint32_t node, const void *frame, uint32_t bytes,
                                           uint32_t more)
{
    struct gravel_buffer *buffer = gravel_buffer_create((bytes + more + 7) & ~7u);
    if (!buffer) {
        gravel_network_fail(network, GRAVEL_ENOMEM, "no memory for a control frame");
        return NULL;
    }
    memcpy(buffer->frame, frame, bytes);
    gravel_buffer_reset(buffer, kind, network->transport->node, node);
    buffer->frame->bytes = bytes + more;
    return buffer;
}

void gravel_network_number(struct gravel_network *network, struct gravel_frame *frame)
{
    const bool is_life = gravel_frame_is_life(frame->kind);
    frame->sequence = network->peers[frame->destination].n_sent[is_life]++;
    frame->round = atomic_load_explicit(&network->exchange.ended, memory_order_acquire); /* Y7 */
    if (gravel_frame_is_counted(frame->kind))
        network->n_counted_sent++;
}

void gravel_network_transmit(struct gravel_network *network, struct gravel_buffer *buffer)
{
    if (!buffer)
        return;
    struct gravel_frame *frame = buffer->frame;
    gravel_network_number(network, frame);
    if (frame->kind <= GRAVEL_FRAME_BYTES ||
        frame->kind == GRAVEL_FRAME_RECORDS) { /* a node buffer of a sender */
        gravel_counter_add(&network->counts.network_buffers, 1);
        gravel_counter_add(&network->counts.network_bytes, frame->bytes);
        gravel_trace_buffer(network->trace, "send", frame->destination, frame->bytes); /* set: N2 */
    }
    if (gravel_network_check(network,
                             network->transport->operations->send(network->transport, buffer)))
        gravel_pool_return(buffer);
}
