/* SPDX-License-Identifier: MIT */
/*
 * The network thread as the courier of messages with keys that wait. See serve/courier.h.
 *
 * Path:    serve/transactions.c -> courier.c -> outgoing.c, resolving.c, control.c, reply.c.
 * Threads: the network thread, after gravel_network_attach.
 */
#include "network/parts.h"

static struct gravel_buffer *frame(void *context, uint16_t kind, uint32_t node, uint32_t bytes)
{
    return gravel_network_frame(context, kind, node, bytes);
}

static void put(void *context, struct gravel_buffer *buffer)
{
    gravel_network_put(context, buffer);
}

static void fail(void *context, int code, const char *text)
{
    gravel_network_fail(context, code, text);
}

struct gravel_courier gravel_network_courier(struct gravel_network *network)
{
    return (struct gravel_courier){
        .transport = network->transport,
        .heap = network->shape.heap,
        .failure = network->shape.failure,
        .patience_ns = gravel_network_patience_ms(network) * GRAVEL_NS_PER_MS,
        .most_bytes = gravel_network_frame_bytes(network),
        .context = network,
        .frame = frame,
        .put = put,
        .answer = gravel_reply_send,
        .refuse = gravel_resolving_refuse,
        .fail = fail,
    };
}
