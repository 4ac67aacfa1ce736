/* SPDX-License-Identifier: MIT */
/*
 * What the network thread does with each kind of frame.
 *
 * Path:    transport (or a local sender) -> control.c -> resolver, job.c.
 * Threads: the network thread.
 */
#include "base/trace.h"
#include "memory/memory.h"
#include "network/parts.h"
#include "serve/transactions.h"

#include <stdio.h>
#include <string.h>

/* Number of a local node's heap. */
static uint32_t heap_of(const struct gravel_network *network, uint32_t node)
{
    return network->transport->is_loopback ? node : 0;
}

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

/* A copy between host and heap failed, which no peer can mend. @return code */
static int check_copy(struct gravel_network *network, int code)
{
    if (code)
        gravel_network_fail(network, code, gravel_last_error());
    return code;
}

void gravel_control_refuse(void *context, int code, const char *why, uint32_t source,
                           uint32_t destination)
{
    struct gravel_network *network = context;
    char text[GRAVEL_FRAME_TEXT_BYTES];
    snprintf(text, sizeof text, "node %u refused a buffer from node %u: %s", destination, source,
             why);
    network->shape.report(network->shape.context, code, false, text);
    if (gravel_transport_is_local(network->transport, source))
        return;
    struct gravel_buffer *buffer = gravel_network_frame(network, GRAVEL_FRAME_REFUSAL, source,
                                                        sizeof(struct gravel_refusal_frame));
    if (!buffer)
        return;
    struct gravel_refusal_frame *frame = (struct gravel_refusal_frame *)buffer->frame;
    frame->code = code;
    snprintf(frame->text, sizeof frame->text, "%s", text);
    gravel_network_put(network, buffer);
}

static void end_messages(struct gravel_network *network, const struct gravel_loan *loan,
                         uint64_t n_messages, const struct gravel_refusal *refusal)
{
    gravel_counter_add(&network->counts.resolved_buffers, 1);
    gravel_counter_add(&network->counts.resolved_messages, n_messages);
    gravel_trace_buffer(network->trace, "resolve", loan->source, (uint32_t)loan->bytes);
    if (refusal->code) {
        gravel_counter_add(&network->counts.refused_buffers, 1);
        gravel_control_refuse(network, refusal->code, refusal->text, loan->source,
                              loan->destination);
    }
    if (refusal->code == GRAVEL_EKERNEL) /* a handler on the device that does not end */
        gravel_network_fail(network, refusal->code, refusal->text);
}

/* Only now is it resolved: else a barrier of its sender could end before the refusal arrives. */
void gravel_control_ended(void *context, const struct gravel_loan *loan, uint64_t n_messages,
                          const struct gravel_refusal *refusal)
{
    struct gravel_network *network = context;
    end_messages(network, loan, n_messages, refusal);
    network->n_counted_resolved++;
}

static bool handle_messages(struct gravel_network *network, struct gravel_frame *frame,
                            const struct gravel_loan *loan)
{
    struct gravel_refusal refusal;
    bool is_kept;
    network->resolving_node = loan->destination;
    uint64_t n = gravel_resolver_resolve(network->resolver, frame, loan,
                                         heap_of(network, loan->destination), &is_kept, &refusal);
    if (is_kept)
        network->n_kept++;
    else
        end_messages(network, loan, n, &refusal);
    return is_kept;
}

static void handle_bytes(struct gravel_network *network, const struct gravel_bytes_frame *frame,
                         const struct gravel_loan *loan)
{
    struct gravel_refusal refusal = {.code = 0};
    uint64_t n = loan->bytes - sizeof *frame;
    gravel_counter_add(&network->counts.resolved_buffers, 1);
    if (has_bytes(network, loan->destination, frame->offset, n, &refusal)) {
        check_copy(network,
                   gravel_memory_write(network->shape.memory, heap_of(network, loan->destination),
                                       frame->offset, frame->data, n));
        gravel_counter_add(&network->counts.resolved_messages, 1);
    } else {
        gravel_counter_add(&network->counts.refused_buffers, 1);
        gravel_control_refuse(network, refusal.code, refusal.text, loan->source, loan->destination);
    }
}

static void handle_refusal(struct gravel_network *network, const struct gravel_refusal_frame *frame,
                           const struct gravel_loan *loan)
{
    if (gravel_fields_check_error(network, loan, frame->code, frame->text))
        network->shape.report(network->shape.context, frame->code, false, frame->text);
}

void gravel_control_ack(void *context, uint32_t source, uint64_t acked)
{
    struct gravel_network *network = context;
    struct gravel_buffer *buffer =
        gravel_network_frame(network, GRAVEL_FRAME_ACK, source, sizeof(struct gravel_ack_frame));
    if (!buffer)
        return;
    ((struct gravel_ack_frame *)buffer->frame)->acked = acked;
    gravel_network_put(network, buffer);
}

/* All frames before this one have been resolved, for they are handled in order, but for transactions that take
 * longer; their answers go first. */
static void handle_flush(struct gravel_network *network, uint32_t source, uint64_t sequence)
{
    if (network->sees_attached)
        gravel_sender_flush_urgent(network->handler_sender);
    if (!gravel_transactions_hold_ack(network->transactions, source, sequence + 1))
        gravel_control_ack(network, source, sequence + 1);
}

static void handle_ack(struct gravel_network *network, const struct gravel_ack_frame *frame,
                       const struct gravel_loan *loan)
{
    const uint32_t source = loan->source;
    if (frame->acked > network->n_sent[source]) {
        gravel_fields_fail(
            network, loan, "acknowledgement (of %llu frames, of which %llu were sent)",
            (unsigned long long)frame->acked, (unsigned long long)network->n_sent[source]);
        return;
    }
    if (frame->acked > network->n_acked[source])
        network->n_acked[source] = frame->acked;
    gravel_job_note_life(network);
}

static void handle_get(struct gravel_network *network, const struct gravel_get_frame *get,
                       const struct gravel_loan *loan)
{
    struct gravel_refusal refusal = {.code = 0};
    const uint64_t n = get->bytes, most = gravel_get_piece_bytes(network);
    if (n == 0 || n > most) {
        gravel_fields_fail(network, loan, "count of bytes that it asks for (%llu, not 1 to %llu)",
                           (unsigned long long)n, (unsigned long long)most);
        return;
    }
    uint32_t node = network->transport->node;
    bool is_here = has_bytes(network, node, get->offset, n, &refusal);
    struct gravel_buffer *buffer =
        gravel_network_frame(network, GRAVEL_FRAME_REPLY, loan->source,
                             (uint32_t)(sizeof(struct gravel_reply_frame) + (is_here ? n : 0)));
    if (!buffer)
        return;
    struct gravel_reply_frame *reply = (struct gravel_reply_frame *)buffer->frame;
    reply->id = get->id;
    reply->position = get->position;
    reply->code = refusal.code;
    if (is_here)
        reply->code =
            check_copy(network, gravel_memory_read(network->shape.memory, heap_of(network, node),
                                                   get->offset, reply->data, n));
    if (reply->code)
        buffer->frame->bytes = sizeof *reply;
    gravel_network_put(network, buffer);
}

static void handle_transactions(struct gravel_network *network,
                                const struct gravel_transactions_frame *frame,
                                const struct gravel_loan *loan)
{
    char why[GRAVEL_WHY_BYTES];
    if (!gravel_transactions_arrive(network->transactions, frame, why))
        gravel_fields_fail(network, loan, "%s", why);
}

static void handle_death(struct gravel_network *network, const struct gravel_death_frame *frame,
                         const struct gravel_loan *loan)
{
    if (!gravel_fields_check_error(network, loan, frame->code, frame->text))
        return;
    network->has_told_death = true; /* the node that found out tells all nodes */
    gravel_network_fail(network, GRAVEL_EPEER, frame->text);
}

/* All other frames rely on what came before them having been applied. */
void gravel_network_finish_resolving(struct gravel_network *network)
{
    if (network->sees_attached)
        check_copy(network, gravel_resolver_finish(network->resolver));
}

static bool dispatch(struct gravel_network *network, struct gravel_frame *frame,
                     const struct gravel_loan *loan)
{
    void *whole = frame;
    if (frame->kind == GRAVEL_FRAME_MESSAGES)
        return handle_messages(network, frame, loan);
    if (frame->kind == GRAVEL_FRAME_TRANSACTIONS) {
        handle_transactions(network, whole, loan);
        return false;
    }
    gravel_network_finish_resolving(network);
    switch (frame->kind) {
    case GRAVEL_FRAME_BYTES:
        handle_bytes(network, whole, loan);
        break;
    case GRAVEL_FRAME_REFUSAL:
        handle_refusal(network, whole, loan);
        break;
    case GRAVEL_FRAME_FLUSH:
        handle_flush(network, loan->source, loan->sequence);
        break;
    case GRAVEL_FRAME_ACK:
        handle_ack(network, whole, loan);
        break;
    case GRAVEL_FRAME_GET:
        handle_get(network, whole, loan);
        break;
    case GRAVEL_FRAME_REPLY:
        gravel_job_reply(network, whole, loan);
        break;
    case GRAVEL_FRAME_DEATH:
        handle_death(network, whole, loan);
        break;
    default:
        gravel_late_read(network, whole, loan);
        break;
    }
    return false;
}

bool gravel_control_handle(struct gravel_network *network, struct gravel_frame *frame,
                           const struct gravel_loan *loan)
{
    if (!gravel_fields_check(network, frame, loan))
        return false;
    uint16_t kind = frame->kind;
    bool is_kept = dispatch(network, frame, loan);
    if (gravel_frame_is_counted(kind) && !is_kept)
        network->n_counted_resolved++;
    return is_kept;
}
