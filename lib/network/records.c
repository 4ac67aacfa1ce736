/* SPDX-License-Identifier: MIT */
/*
 * Frames of records: checked, spooled for the writer, and counted when they are written, so that their senders hear of
 * it; and acknowledgements of all frames of a node, which wait for the records among them.
 *
 * Path:    control.c -> records.c -> decode.c, lib/spool -> records.c -> credit.c, control.c of the sender.
 * Threads: the network thread.
 */
#include "network/parts.h"
#include "resolve/apply.h"
#include "spool/format.h"
#include "spool/spool.h"

#include <stdio.h>

#define SIGNS \
    8u /* that we live, in the time after which a node that waits for an acknowledgement gives up */

bool gravel_records_ask(const struct gravel_frame *frame)
{
    const struct gravel_signal_run *run;
    for (uint64_t at = sizeof *frame; (run = gravel_records_next(frame, &at));)
        if (GRAVELP_IS_REQUEST(run->run.command))
            return true;
    return false;
}

/* A frame is dealt with: its sender may send another. @param is_awaited  it had questions, or may have had. */
static void give_credit(struct gravel_network *network, uint32_t source, uint32_t destination,
                        bool is_awaited)
{
    if (gravel_transport_is_local(network->transport, source)) {
        gravel_credit_written_here(&network->credit, destination);
        return;
    }
    if (!gravel_credit_done(&network->credit, source, is_awaited))
        return;
    const struct gravel_credit_frame credit = {.n_written = network->credit.sides[source].n_told};
    gravel_network_put(network, gravel_network_frame(network, GRAVEL_FRAME_CREDIT, source, &credit,
                                                     sizeof credit, 0));
}

/* @return whether it may be spooled; else *refusal. */
static bool check(struct gravel_network *network, const struct gravel_frame *frame,
                  const struct gravel_received *received, struct gravel_refusal *refusal)
{
    const struct gravel_expect expect = gravel_received_expects(received, network->shape.endpoints);
    if (gravel_transport_is_local(network->transport, received->source) ||
        gravel_credit_come(&network->credit, received->source)) {
        gravel_heap_lock_shared(network->shape.heap);
        const int code =
            gravel_decode_records(frame, received->bytes, &expect, network->shape.heap, refusal);
        gravel_heap_unlock_shared(network->shape.heap);
        return !code;
    }
    refusal->code = GRAVEL_ECORRUPT;
    snprintf(refusal->text, sizeof refusal->text,
             "records beyond credit: %" PRIu64 " frames may be unwritten", network->credit.window);
    return false;
}

void gravel_records_take(struct gravel_network *network, const struct gravel_frame *frame,
                         const struct gravel_received *received)
{
    struct gravel_refusal refusal;
    if (check(network, frame, received, &refusal)) {
        gravel_network_check(network, gravel_spool_push(network->spool, frame, received->buffer));
        return;
    }
    gravel_counter_add(&network->counts.refused_buffers, 1);
    gravel_resolving_refuse(network, refusal.code, refusal.text, received->source,
                            received->destination);
    give_credit(network, received->source, received->destination, true);
}

void gravel_records_hear(struct gravel_network *network, const struct gravel_credit_frame *frame,
                         const struct gravel_received *received)
{
    const struct gravel_credit_side *side = &network->credit.sides[received->source];
    if (!gravel_credit_hear(&network->credit, received->source, frame->n_written))
        gravel_fields_fail(network, received,
                           "count of frames written (%" PRIu64 ", not %" PRIu64 " to %" PRIu64 ")",
                           frame->n_written, side->n_written, side->n_sent);
}

/* A function has failed: here, and at the sender. */
static void tell_failure(struct gravel_network *network, const struct gravel_buffer *buffer)
{
    char text[160];
    const char *kind, *name = gravel_endpoint_name(network->shape.endpoints, buffer->room, &kind);
    if (!name)
        return;
    snprintf(text, sizeof text, "%s %.100s: its function failed", kind, name);
    gravel_resolving_refuse(network, GRAVEL_EHANDLER, text, buffer->frame->source,
                            buffer->frame->destination);
}

static struct gravel_buffer *make_ack(struct gravel_network *network, uint32_t source,
                                      uint64_t acked)
{
    const struct gravel_ack_frame ack = {.acked = acked};
    return gravel_network_frame(network, GRAVEL_FRAME_ACK, source, &ack, sizeof ack, 0);
}

/* Until it is sent, its number is the mark of the spool that it waits for. */
void gravel_records_acknowledge(struct gravel_network *network, uint32_t source, uint64_t acked)
{
    struct gravel_buffer *ack = make_ack(network, source, acked), **end = &network->held_acks;
    if (!ack)
        return;
    ack->frame->sequence = gravel_spool_mark(network->spool);
    while (*end)
        end = &(*end)->next;
    *end = ack;
}

/* Tells those who wait that the spool moves: they give up on a node that says nothing. The spool has its own limit. */
static void tell_all_is_well(struct gravel_network *network)
{
    const uint64_t now_ns = gravel_network_lived_ns(network);
    const uint64_t every_ns = gravel_network_patience_ns(network) / SIGNS;
    if (now_ns < network->told_ns + every_ns)
        return;
    for (const struct gravel_buffer *ack = network->held_acks; ack; ack = ack->next)
        gravel_network_put(network, make_ack(network, ack->frame->destination, 0));
    network->told_ns = now_ns;
}

/* @return whether any could be sent. */
static bool send_acks(struct gravel_network *network)
{
    struct gravel_buffer *ack;
    bool has_moved = false;
    while ((ack = network->held_acks) &&
           gravel_spool_has_passed(network->spool, ack->frame->sequence)) {
        network->held_acks = ack->next;
        gravel_network_put(network, ack);
        has_moved = true;
    }
    if (ack)
        tell_all_is_well(network);
    return has_moved;
}

bool gravel_records_collect(struct gravel_network *network)
{
    struct gravel_buffer *buffer, **end = &network->dealt_with;
    while ((buffer = gravel_spool_take(network->spool))) {
        buffer->next = NULL;
        *end = buffer;
        end = &buffer->next;
    }
    return network->dealt_with != NULL;
}

bool gravel_records_poll(struct gravel_network *network)
{
    struct gravel_buffer *buffer;
    const bool has_moved = network->dealt_with != NULL;
    while ((buffer = network->dealt_with)) {
        network->dealt_with = buffer->next;
        tell_failure(network, buffer);
        const bool asks = gravel_records_ask(buffer->frame);
        if (asks) { /* answers go ahead of acknowledgements */
            gravel_requests_finish(buffer->frame, NULL, gravel_reply_send, network);
            gravel_sender_flush(network->handler_sender);
        }
        give_credit(network, buffer->frame->source, buffer->frame->destination, asks);
        gravel_buffer_destroy(buffer);
    }
    int code = gravel_spool_check(network->spool, gravel_network_lived_ns(network));
    if (code && !gravel_network_has_aborted(network))
        gravel_network_check(network, code);
    return send_acks(network) || has_moved;
}

void gravel_records_tell_lost(struct gravel_network *network)
{
    int code = network->spool ? gravel_spool_lost(network->spool) : 0;
    if (code)
        network->shape.report(network->shape.context, code, false, gravel_last_error());
}
