/* SPDX-License-Identifier: MIT */
/*
 * Parts of rounds of kernels that stay: each node posts one for every other node, and a round ends here when all have
 * come. A node of the same machine reads a part where it lies, in the segment; to others the network thread sends it.
 * No node posts its next part before it has all of a round, so at most one of them is a round ahead.
 *
 * Path:    rounds/nodes.c -> meeting.c -> exchange.c, or between machines job.c -> transport -> another node's
 *          control.c -> another node's exchange.c.
 * Owner:   a part is its sender's: it writes there again behind the next round, for which the reader has posted then.
 * Threads: take and step: the network thread; the rest: the host thread that makes and runs rounds.
 * Memory:  Y6.
 */
#include "base/error.h"
#include "network/parts.h"

#include <stdlib.h>
#include <string.h>

static uint64_t posts_bytes(const struct gravel_network *network)
{
    return 2 * (uint64_t)network->n_nodes * sizeof(struct gravel_post);
}

static uint64_t messages_bytes(const struct gravel_network *network)
{
    return 2 * (uint64_t)network->n_nodes * network->exchange.room *
           sizeof(struct gravelp_round_message);
}

static uint64_t outbox_bytes(const struct gravel_network *network)
{
    return posts_bytes(network) + messages_bytes(network);
}

struct gravel_post *gravel_exchange_post(const struct gravel_network *network,
                                         const struct gravel_pinned *outbox, uint32_t node,
                                         uint64_t number)
{
    return (struct gravel_post *)outbox->begin + number % 2 * network->n_nodes + node;
}

/* Returns the messages for a node, or of one, among those at `begin`. */
static struct gravelp_round_message *messages_of(const struct gravel_network *network,
                                                 unsigned char *begin, uint32_t node,
                                                 uint64_t number)
{
    return (struct gravelp_round_message *)begin +
           (number % 2 * network->n_nodes + node) * network->exchange.room;
}

struct gravelp_round_message *gravel_exchange_outbox(const struct gravel_network *network,
                                                     uint32_t node, uint64_t number)
{
    return messages_of(network, network->exchange.outbox.begin + posts_bytes(network), node,
                       number);
}

/* Returns whether the outbox lies where nodes of this machine read it. */
static bool is_shared(const struct gravel_network *network)
{
    return gravel_segment_offset(network->shape.opening.segment, network->exchange.outbox.begin);
}

/* ---- open ---------------------------------------------------------------------------------------- */

/* Pins memory if it is for copies and can be pinned. @param given  NULL: memory of its own */
static int make(struct gravel_network *network, struct gravel_pinned *memory, unsigned char *given,
                uint64_t bytes)
{
    const struct gravel_memory *heap = network->shape.memory;
    if (network->exchange.room && !gravel_pinned_create(memory, heap->device, heap->copies,
                                                        "what rounds exchange", given, bytes))
        return 0;
    memory->begin = given ? given : calloc(1, bytes);
    return memory->begin ? 0 : gravel_fail_memory("what rounds exchange", bytes);
}

static void unmake(struct gravel_pinned *memory, bool is_own)
{
    if (memory->buffer)
        gravel_pinned_destroy(memory);
    else if (is_own)
        free(memory->begin);
    *memory = (struct gravel_pinned){.begin = NULL};
}

int gravel_exchange_open(struct gravel_network *network, uint32_t room)
{
    struct gravel_exchange *exchange = &network->exchange;
    struct gravel_segment *segment = network->shape.opening.segment;
    unsigned char *shared = NULL;
    if (exchange->peers)
        return 0;
    exchange->room = room;
    if (room)
        gravel_resolver_share(network->resolver);
    if (network->transport->handover.n_takers)
        shared = gravel_segment_take(segment, outbox_bytes(network));
    GRAVEL_TRY(make(network, &exchange->outbox, shared, outbox_bytes(network)));
    memset(exchange->outbox.begin, 0, posts_bytes(network));
    if (shared)
        atomic_store_explicit(&segment->head->outbox, gravel_segment_offset(segment, shared),
                              memory_order_release); /* Y6 */
    exchange->peers = calloc(network->n_nodes, sizeof *exchange->peers);
    return exchange->peers ? 0 : gravel_fail_memory("nodes of rounds", network->n_nodes);
}

/* Finds the outbox of another node, if it is where this one reads. */
static int find(struct gravel_network *network, uint32_t node)
{
    struct gravel_segment_head *view = network->transport->handover.peers[node].view;
    struct gravel_exchange_peer *peer = &network->exchange.peers[node];
    const uint64_t at =
        view ? atomic_load_explicit(&view->outbox, memory_order_acquire) : 0; /* Y6 */
    if (at == 0 || peer->outbox.begin)
        return 0;
    if (at % GRAVELP_CACHELINE || at > GRAVEL_SEGMENT_BYTES - outbox_bytes(network))
        return gravel_fail(GRAVEL_ECORRUPT,
                           "the outbox of node %u is at %" PRIu64 " of its shared memory", node,
                           at);
    return make(network, &peer->outbox, (unsigned char *)view + at, outbox_bytes(network));
}

int gravel_exchange_meet(struct gravel_network *network)
{
    struct gravel_exchange *exchange = &network->exchange;
    for (uint32_t node = 0; node < network->n_nodes; node++) {
        struct gravel_exchange_peer *peer = &exchange->peers[node];
        if (node == network->node)
            continue;
        GRAVEL_TRY(find(network, node));
        if (!peer->outbox.begin && !exchange->inbox.begin)
            GRAVEL_TRY(make(network, &exchange->inbox, NULL, messages_bytes(network) + 1));
        for (uint32_t number = 0; number < 2; number++)
            peer->parts[number].messages =
                peer->outbox.begin ? messages_of(network, peer->outbox.begin + posts_bytes(network),
                                                 network->node, number)
                                   : messages_of(network, exchange->inbox.begin, node, number);
    }
    return 0;
}

void gravel_exchange_close(struct gravel_network *network)
{
    struct gravel_exchange *exchange = &network->exchange;
    for (uint32_t node = 0; exchange->peers && node < network->n_nodes; node++)
        unmake(&exchange->peers[node].outbox, false);
    unmake(&exchange->inbox, true);
    unmake(&exchange->outbox, !is_shared(network));
    free(exchange->peers);
    exchange->peers = NULL;
}

/* ---- nodes that send ----------------------------------------------------------------------------- */

int gravel_exchange_take(struct gravel_network *network, const void *frame,
                         const struct gravel_received *received)
{
    const struct gravel_round_frame *piece = frame;
    const struct gravel_exchange *exchange = &network->exchange;
    const uint64_t n = (received->bytes - sizeof *piece) / sizeof *piece->messages;
    if (!exchange->inbox.begin || piece->n > exchange->room)
        return gravel_fail(GRAVEL_ECORRUPT, "count of messages (%u, not 0 to %u)", piece->n,
                           exchange->room);
    struct gravel_part *part = &exchange->peers[received->source].parts[piece->number % 2];
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
    memcpy(messages_of(network, exchange->inbox.begin, received->source, piece->number) +
               part->n_come,
           piece->messages, n * sizeof *piece->messages);
    part->n_come += (uint32_t)n;
    return 0;
}

bool gravel_exchange_is_read_by(const struct gravel_network *network, uint32_t node)
{
    return is_shared(network) && network->transport->handover.peers[node].takes;
}

/* Sends a part to a node, in pieces of a node buffer. */
static void send(struct gravel_network *network, uint64_t number, uint32_t node)
{
    const struct gravel_post *post =
        gravel_exchange_post(network, &network->exchange.outbox, node, number);
    const struct gravelp_round_message *messages = gravel_exchange_outbox(network, node, number);
    const uint32_t most =
        (uint32_t)((network->shape.config->buffer_bytes - sizeof(struct gravel_round_frame)) /
                   sizeof *messages);
    uint32_t first = 0, n;
    do {
        n = post->n - first < most ? post->n - first : most;
        const struct gravel_round_frame head = {
            .number = number, .sum = post->sum, .flags = post->flags, .n = post->n, .first = first};
        struct gravel_buffer *buffer = gravel_network_frame(
            network, GRAVEL_FRAME_ROUND, node, &head, sizeof head, n * (uint32_t)sizeof *messages);
        if (!buffer)
            return; /* the node has failed */
        memcpy(((struct gravel_round_frame *)buffer->frame)->messages, messages + first,
               n * sizeof *messages);
        gravel_network_transmit(network, buffer);
        first += n;
    } while (first < post->n);
}

bool gravel_job_step_exchange(struct gravel_network *network, struct gravel_job *job)
{
    const struct gravel_exchange *exchange = &network->exchange;
    if (job->state == GRAVEL_JOB_NEW)
        for (uint32_t node = 0; node < network->n_nodes; node++)
            if (node != network->node && !gravel_exchange_is_read_by(network, node))
                send(network, job->number, node);
    job->state = GRAVEL_JOB_RUNS;
    for (uint32_t node = 0; node < network->n_nodes; node++) {
        const struct gravel_part *part = gravel_exchange_part(network, node, job->number);
        if (node != network->node && !exchange->peers[node].outbox.begin &&
            (part->number != job->number || part->n_come < part->n))
            return false;
    }
    return true;
}
