/* SPDX-License-Identifier: MIT */
/*
 * Frames of nodes that have begun the next round of kernels that stay: they are held until this node's kernel has
 * applied what came with the round before. It does that itself, while messages that go as those of any kernel would
 * overtake.
 *
 * What comes behind a frame that is held is held too, except for parts of rounds, heartbeats and news of a death: the
 * kernel waits for no other frame, as a node begins a round once all have ended their barriers of the one before.
 *
 * Path:    control.c -> this -> network.c; which rounds have begun and are applied: rounds/nodes.c.
 * Memory:  Y7.
 * Threads: the network thread.
 */
#include "network/parts.h"

#include <string.h>

#define LOOK_NS UINT64_C(20000) /* at whether the kernel has */

/* Returns whether this node has applied all of a round, or never will. */
static bool is_applied(const struct gravel_network *network, uint32_t round)
{
    const uint32_t applied =
        atomic_load_explicit(&network->exchange.applied, memory_order_acquire); /* Y7 */
    return (int32_t)(round - applied) <= 0 || gravel_network_has_aborted(network);
}

bool gravel_ahead_hold(struct gravel_network *network, const struct gravel_frame *frame,
                       const struct gravel_received *received)
{
    if (received->buffer || frame->kind == GRAVEL_FRAME_ROUND || gravel_frame_is_life(frame->kind))
        return false; /* of this node, whose kernel sent it behind that; or awaited */
    if (!network->held.first && is_applied(network, frame->round))
        return false;
    struct gravel_buffer *buffer = gravel_buffer_create((frame->bytes + 7) & ~7u);
    if (buffer)
        gravel_fifo_push(&network->held, buffer);
    else
        gravel_network_fail(network, GRAVEL_ENOMEM, "no memory for a frame of the next round");
    if (buffer)
        memcpy(buffer->frame, frame, frame->bytes);
    return buffer;
}

struct gravel_buffer *gravel_ahead_next(struct gravel_network *network, uint64_t *due_ns)
{
    if (network->held.first && is_applied(network, network->held.first->frame->round))
        return gravel_fifo_pop(&network->held);
    if (network->held.first && *due_ns > LOOK_NS)
        *due_ns = LOOK_NS;
    return NULL;
}
