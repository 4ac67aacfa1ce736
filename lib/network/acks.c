/* SPDX-License-Identifier: MIT */
/*
 * Acknowledgements: of all frames up to one, once the records that had come by then are written.
 *
 * Path:    control.c (a flush) -> acks.c -> control.c of the node that asked.
 * Owner:   the network has those that are held.
 * Threads: the network thread.
 */
#include "base/clock.h"
#include "network/parts.h"
#include "spool/spool.h"

#include <stdlib.h>

#define SIGNS 8u /* that we live, in the time after which the node that waits gives up */

struct gravel_held_ack {
    struct gravel_held_ack *next;
    uint32_t source;
    uint64_t acked; /* frames */
    uint64_t mark;  /* of the spool */
};

static void send(struct gravel_network *network, uint32_t source, uint64_t acked)
{
    struct gravel_buffer *buffer =
        gravel_network_frame(network, GRAVEL_FRAME_ACK, source, sizeof(struct gravel_ack_frame));
    if (!buffer)
        return;
    ((struct gravel_ack_frame *)buffer->frame)->acked = acked;
    gravel_network_put(network, buffer);
}

static bool is_due(const struct gravel_network *network, const struct gravel_held_ack *ack)
{
    return gravel_spool_has_passed(network->spool, ack->mark);
}

void gravel_acks_give(struct gravel_network *network, uint32_t source, uint64_t acked)
{
    const struct gravel_held_ack ack = {
        .source = source, .acked = acked, .mark = gravel_spool_mark(network->spool)};
    if (is_due(network, &ack)) {
        send(network, source, acked);
        return;
    }
    struct gravel_held_ack *held = malloc(sizeof *held), **end = &network->held_acks;
    if (!held) {
        gravel_network_fail(network, GRAVEL_ENOMEM, "no memory for a quiet");
        return;
    }
    *held = ack;
    while (*end)
        end = &(*end)->next;
    *end = held;
}

/* Tells those who wait that the oldest moves: they give up on a node that says nothing. The spool has its own limit. */
static void tell_all_is_well(struct gravel_network *network)
{
    const uint64_t now_ns = gravel_network_lived_ns(network);
    const uint64_t every_ns = gravel_network_patience_ns(network) / SIGNS;
    if (now_ns < network->told_ns + every_ns)
        return;
    for (const struct gravel_held_ack *ack = network->held_acks; ack; ack = ack->next)
        send(network, ack->source, 0);
    network->told_ns = now_ns;
}

bool gravel_acks_step(struct gravel_network *network)
{
    struct gravel_held_ack *ack;
    bool has_moved = false;
    while ((ack = network->held_acks) && is_due(network, ack)) {
        send(network, ack->source, ack->acked);
        network->held_acks = ack->next;
        free(ack);
        has_moved = true;
    }
    if (ack)
        tell_all_is_well(network);
    return has_moved;
}

void gravel_acks_free(struct gravel_network *network)
{
    struct gravel_held_ack *ack;
    while ((ack = network->held_acks)) {
        network->held_acks = ack->next;
        free(ack);
    }
}
