/* SPDX-License-Identifier: MIT */
/*
 * Acknowledgements: of all frames up to one, once the records among them are written. Those of messages with keys are
 * held by lib/serve/grant.c first.
 *
 * Path:    control.c (a flush), courier.c -> acks.c -> control.c of the node that asked.
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

void gravel_acks_give(void *context, uint32_t source, uint64_t acked)
{
    struct gravel_network *network = context;
    const uint64_t mark = gravel_spool_mark(network->spool);
    if (acked == 0 || gravel_spool_has_passed(network->spool, mark)) {
        send(network, source, acked);
        return;
    }
    struct gravel_held_ack *ack = malloc(sizeof *ack), **end = &network->held_acks;
    if (!ack) {
        gravel_network_fail(network, GRAVEL_ENOMEM, "no memory for a quiet");
        return;
    }
    *ack = (struct gravel_held_ack){.source = source, .acked = acked, .mark = mark};
    while (*end)
        end = &(*end)->next;
    *end = ack;
}

/* A node that waits gives up on one that says nothing; the spool has a limit of its own. */
static void tell_all_is_well(struct gravel_network *network)
{
    const uint64_t now_ns = gravel_network_lived_ns(network);
    const uint64_t every_ns = gravel_network_patience_ms(network) * GRAVEL_NS_PER_MS / SIGNS;
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
    while ((ack = network->held_acks) && gravel_spool_has_passed(network->spool, ack->mark)) {
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
