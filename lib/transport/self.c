/* SPDX-License-Identifier: MIT */
/*
 * Transport self: one process that stands for one or several nodes. Nothing ever travels: the network thread
 * resolves buffers for local nodes itself.
 *
 * Source:  Orr 2016, section 3.3 (loop-back nodes, figure 3-8).
 */
#include "base/error.h"
#include "transport/transport.h"

#include <stdlib.h>

static int self_prepare(struct gravel_transport *transport, uint32_t frame_bytes)
{
    (void)transport, (void)frame_bytes;
    return 0;
}

static int self_send(struct gravel_transport *transport, struct gravel_buffer *buffer)
{
    (void)transport;
    return gravel_fail(GRAVEL_EINVAL, "transport self has no node %u to send to",
                       buffer->frame->destination);
}

static struct gravel_buffer *self_sent(struct gravel_transport *transport)
{
    (void)transport;
    return NULL;
}

static struct gravel_frame *self_receive(struct gravel_transport *transport, uint32_t *bytes,
                                         uint32_t *source)
{
    (void)transport;
    *bytes = *source = 0;
    return NULL;
}

static void self_received(struct gravel_transport *transport)
{
    (void)transport;
}

static void self_give_back(struct gravel_transport *transport, uint32_t source)
{
    (void)transport, (void)source;
}

/* Merges nothing: what one process merges or adds is its own. */
static int self_merge(struct gravel_transport *transport)
{
    (void)transport;
    return 0;
}

static int self_sum(struct gravel_transport *transport, uint64_t *values, uint32_t n)
{
    (void)transport, (void)values, (void)n;
    return 0;
}

static int self_has_merged(struct gravel_transport *transport)
{
    (void)transport;
    return 1;
}

static void self_close(struct gravel_transport *transport, bool is_clean)
{
    (void)is_clean;
    free(transport->round);
    free(transport);
}

static const struct gravel_transport_operations self_operations = {
    .name = "self",
    .prepare = self_prepare,
    .send = self_send,
    .sent = self_sent,
    .receive = self_receive,
    .received = self_received,
    .keep = self_received,
    .give_back = self_give_back,
    .merge = self_merge,
    .sum = self_sum,
    .has_merged = self_has_merged,
    .close = self_close,
};

int gravel_transport_self_open(struct gravel_transport **out, uint32_t n_nodes)
{
    struct gravel_transport *transport = calloc(1, sizeof *transport);
    *out = NULL;
    if (transport)
        transport->round = calloc(1, sizeof *transport->round);
    if (!transport || !transport->round) {
        free(transport);
        return gravel_fail(GRAVEL_ENOMEM, "transport self");
    }
    *out = transport;
    transport->operations = &self_operations;
    transport->n_nodes = n_nodes;
    transport->n_local = transport->n_sharing = 1;
    transport->is_loopback = true;
    return 0;
}
