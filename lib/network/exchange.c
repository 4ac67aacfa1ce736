/* SPDX-License-Identifier: MIT */
/*
 * Parts of rounds of kernels that stay: each node sends one to every other node, and a round ends here when all have
 * come. No node sends its next part before it has all of a round, so at most one of them is a round ahead.
 *
 * Path:    rounds/run.c -> job.c -> exchange.c -> transport -> another node's control.c -> exchange.c.
 * Threads: the network thread; open: the thread that makes the rounds, before a barrier.
 */
#include "base/error.h"
#include "network/parts.h"

#include <stdlib.h>
#include <string.h>

int gravel_exchange_open(struct gravel_network *network, uint32_t room)
{
    struct gravel_exchange *exchange = &network->exchange;
    const size_t n = 2 * (size_t)network->n_nodes,
                 bytes = room * sizeof(struct gravelp_round_message);
    if (exchange->parts)
        return 0;
    exchange->parts = calloc(n, sizeof *exchange->parts + bytes);
    if (!exchange->parts)
        return gravel_fail_memory("parts of rounds", n * (sizeof *exchange->parts + bytes));
    exchange->room = room;
    struct gravelp_round_message *messages = (struct gravelp_round_message *)(exchange->parts + n);
    for (size_t i = 0; i < n; i++)
        exchange->parts[i].messages = messages + i * room;
    return 0;
}

int gravel_exchange_take(struct gravel_network *network, const void *frame,
                         const struct gravel_received *received)
{
    const struct gravel_round_frame *piece = frame;
    const struct gravel_exchange *exchange = &network->exchange;
    const uint64_t n = (received->bytes - sizeof *piece) / sizeof *piece->messages;
    if (!exchange->parts || piece->n > exchange->room)
        return gravel_fail(GRAVEL_ECORRUPT, "count of messages (%u, not 0 to %u)", piece->n,
                           exchange->room);
    struct gravel_part *part = &exchange->parts[2 * received->source + piece->number % 2];
    if (part->number != piece->number)
        *part = (struct gravel_part){.number = piece->number,
                                     .sum = piece->sum,
                                     .flags = piece->flags,
                                     .n = piece->n,
                                     .messages = part->messages};
    if (piece->first != part->n_come || n > part->n - part->n_come)
        return gravel_fail(GRAVEL_ECORRUPT,
                           "place in its part (%u to %" PRIu64 ", not from %u to %u)", piece->first,
                           piece->first + n, part->n_come, part->n);
    memcpy(part->messages + part->n_come, piece->messages, n * sizeof *piece->messages);
    part->n_come += (uint32_t)n;
    return 0;
}

/* Sends a part to a node, in pieces of a node buffer. */
static void send(struct gravel_network *network, const struct gravel_part *part, uint32_t node)
{
    const uint32_t most =
        (uint32_t)((network->shape.config->buffer_bytes - sizeof(struct gravel_round_frame)) /
                   sizeof *part->messages);
    uint32_t first = 0, n;
    do {
        n = part->n - first < most ? part->n - first : most;
        const struct gravel_round_frame head = {.number = part->number,
                                                .sum = part->sum,
                                                .flags = part->flags,
                                                .n = part->n,
                                                .first = first};
        struct gravel_buffer *buffer =
            gravel_network_frame(network, GRAVEL_FRAME_ROUND, node, &head, sizeof head,
                                 n * (uint32_t)sizeof *part->messages);
        if (!buffer)
            return; /* the node has failed */
        memcpy(((struct gravel_round_frame *)buffer->frame)->messages, part->messages + first,
               n * sizeof *part->messages);
        gravel_network_transmit(network, buffer);
        first += n;
    } while (first < part->n);
}

bool gravel_job_step_exchange(struct gravel_network *network, struct gravel_job *job)
{
    if (job->state == GRAVEL_JOB_NEW)
        for (uint32_t node = 0; node < network->n_nodes; node++)
            if (node != network->node)
                send(network, &job->brings[node], node);
    job->state = GRAVEL_JOB_RUNS;
    const uint64_t number = job->brings[network->node].number;
    for (uint32_t node = 0; node < network->n_nodes; node++) {
        const struct gravel_part *part = gravel_exchange_part(network, node, number);
        if (node != network->node && (part->number != number || part->n_come < part->n))
            return false;
    }
    return true;
}
