/* SPDX-License-Identifier: MIT */
/*
 * What the network thread does with each kind of frame.
 *
 * Path:    transport (or a local sender) -> control.c -> resolving.c, job.c and others.
 * Threads: the network thread.
 */
#include "memory/memory.h"
#include "network/parts.h"

#include <stdio.h>
#include <string.h>

/* Whether bytes [offset, offset + bytes) lie in one live allocation; if not, why they are refused.
 */
static bool has_bytes(struct gravel_network *network, uint32_t node, uint64_t offset,
                      uint64_t bytes, struct gravel_refusal *refusal)
{
    char text[GRAVEL_HEAP_TEXT_BYTES];
    if (gravel_heap_has(network->shape.heap, offset, bytes, text))
        return true;
    refusal->code = GRAVEL_ERANGE;
    snprintf(refusal->text, sizeof refusal->text, "node %u's heap: %s", node, text);
    return false;
}

static void handle_bytes(struct gravel_network *network, const struct gravel_bytes_frame *frame,
                         const struct gravel_received *received)
{
    struct gravel_refusal refusal = {.code = 0};
    uint64_t n = received->bytes - sizeof *frame;
    gravel_counter_add(&network->counts.resolved_buffers, 1);
    if (has_bytes(network, received->destination, frame->offset, n, &refusal)) {
        gravel_network_check(
            network, gravel_memory_write(network->shape.memory,
                                         gravel_network_heap_of(network, received->destination),
                                         frame->offset, frame->data, n));
        gravel_counter_add(&network->counts.resolved_messages, 1);
    } else {
        gravel_counter_add(&network->counts.refused_buffers, 1);
        gravel_resolving_refuse(network, refusal.code, refusal.text, received->source,
                                received->destination);
    }
}

static void handle_ack(struct gravel_network *network, const struct gravel_ack_frame *frame,
                       const struct gravel_received *received)
{
    struct gravel_network_peer *peer = &network->peers[received->source];
    if (frame->acked > peer->n_sent[0]) {
        gravel_fields_fail(network, received,
                           "acknowledgement (of %" PRIu64 " frames, of which %" PRIu64
                           " were sent)",
                           frame->acked, peer->n_sent[0]);
        return;
    }
    if (frame->acked > peer->n_acked)
        peer->n_acked = frame->acked;
    gravel_job_note_life(network);
}

static void handle_get(struct gravel_network *network, const struct gravel_get_frame *get,
                       const struct gravel_received *received)
{
    struct gravel_refusal refusal = {.code = 0};
    const uint64_t n = get->bytes, most = gravel_get_piece_bytes(network);
    if (n == 0 || n > most) {
        gravel_fields_fail(network, received,
                           "count of bytes that it asks for (%" PRIu64 ", not 1 to %" PRIu64 ")", n,
                           most);
        return;
    }
    uint32_t node = network->transport->node;
    bool is_here = has_bytes(network, node, get->offset, n, &refusal);
    const struct gravel_reply_frame head = {
        .id = get->id, .position = get->position, .code = refusal.code};
    struct gravel_buffer *buffer =
        gravel_network_frame(network, GRAVEL_FRAME_REPLY, received->source, &head, sizeof head,
                             is_here ? (uint32_t)n : 0);
    if (!buffer)
        return;
    struct gravel_reply_frame *reply = (struct gravel_reply_frame *)buffer->frame;
    if (is_here)
        reply->code =
            gravel_network_check(network, gravel_memory_read(network->shape.memory,
                                                             gravel_network_heap_of(network, node),
                                                             get->offset, reply->data, n));
    if (reply->code)
        buffer->frame->bytes = sizeof *reply;
    gravel_network_put(network, buffer);
}

static bool dispatch(struct gravel_network *network, struct gravel_frame *frame,
                     const struct gravel_received *received)
{
    void *whole = frame;
    const struct gravel_refusal_frame *refusal = whole;
    const struct gravel_death_frame *death = whole;
    if (frame->kind == GRAVEL_FRAME_MESSAGES)
        return gravel_resolving_take(network, frame, received);
    if (frame->kind == GRAVEL_FRAME_RECORDS) {
        gravel_records_take(network, frame, received);
        return false;
    }
    if (frame->kind == GRAVEL_FRAME_CREDIT) {
        gravel_records_hear(network, whole, received);
        return false;
    }
    gravel_resolving_finish(network); /* they rely on what came before them having been applied */
    switch (frame->kind) {
    case GRAVEL_FRAME_BYTES:
        handle_bytes(network, whole, received);
        break;
    case GRAVEL_FRAME_REFUSAL:
        if (gravel_fields_check_error(network, received, refusal->code, refusal->text))
            network->shape.report(network->shape.context, refusal->code, false, refusal->text);
        break;
    case GRAVEL_FRAME_FLUSH:
        /* All frames before this one have been resolved, for they are handled in order, except records, which take
         * longer; answers go first. */
        if (network->sees_attached)
            gravel_sender_flush_urgent(network->handler_sender);
        gravel_records_acknowledge(network, received->source, received->sequence + 1);
        break;
    case GRAVEL_FRAME_ACK:
        handle_ack(network, whole, received);
        break;
    case GRAVEL_FRAME_GET:
        handle_get(network, whole, received);
        break;
    case GRAVEL_FRAME_REPLY:
        gravel_job_reply(network, whole, received);
        break;
    case GRAVEL_FRAME_DEATH:
        if (!gravel_fields_check_error(network, received, death->code, death->text))
            break;
        gravel_liveness_set_death(network, GRAVEL_DEATH_SENT); /* its finder tells all nodes */
        gravel_network_fail(network, GRAVEL_EPEER, death->text);
        break;
    default:
        gravel_late_read(network, whole, received);
        break;
    }
    return false;
}

bool gravel_control_handle(struct gravel_network *network, struct gravel_frame *frame,
                           const struct gravel_received *received)
{
    if (!gravel_fields_check(network, frame, received))
        return false;
    uint16_t kind = frame->kind;
    bool is_kept = dispatch(network, frame, received);
    if (gravel_frame_is_counted(kind) && !is_kept)
        network->n_counted_resolved++;
    return is_kept;
}
