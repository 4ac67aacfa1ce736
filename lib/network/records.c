/* SPDX-License-Identifier: MIT */
/*
 * Frames of records: sent as far as their writers give credit; checked, spooled for the writer, and counted when they
 * are written, so that their senders know; and acknowledgements of all frames of a node, which wait for the
 * records among them.
 *
 * Credit:  of each source at most `window` frames are unwritten at a node, so the memory of spools is bounded and no
 *          frame is refused. A frame beyond that is parked at its sender, behind which other messages pass. A node
 *          counts what it has sent to each other, and is sent how many of these frames are written there: after each
 *          half of a window, and after each frame with questions, by a frame of kind CREDIT. Both sides know the
 *          window, so a frame beyond it is noticed; and a node knows whether all that it has asked is answered.
 *
 * Path:    network.c -> records.c (credit) -> network.c; control.c -> records.c -> decode.c, lib/spool -> records.c ->
 *          a CREDIT frame -> control.c of the sender -> records.c.
 * Threads: the network thread.
 */
#include "network/parts.h"
#include "resolve/apply.h"
#include "spool/format.h"
#include "spool/spool.h"

#include <stdio.h>

#define SIGNS \
    8u /* that we live, in the time after which a node that waits for an acknowledgement gives up */

/* ---- who sends ------------------------------------------------------------------------------- */

static bool has_credit(const struct gravel_network *network, const struct gravel_network_peer *peer)
{
    return peer->n_records_sent - peer->n_written < network->credit.window;
}

static bool is_unanswered(const struct gravel_network_peer *peer)
{
    return peer->n_asking > peer->n_written;
}

/* @param before  whether it was, before the peer changed. */
static void count_unanswered(struct gravel_network *network, const struct gravel_network_peer *peer,
                             bool before)
{
    _Atomic uint32_t *n_unanswered = &network->credit.n_unanswered;
    const uint32_t n = atomic_load_explicit(n_unanswered, memory_order_relaxed);
    atomic_store_explicit(n_unanswered, n + is_unanswered(peer) - before,
                          memory_order_relaxed); /* U10 */
}

/* Notes how many frames a node has written of those that were sent to it. */
static void note_written(struct gravel_network *network, uint32_t node, uint64_t n_written)
{
    struct gravel_network_peer *peer = &network->peers[node];
    const bool before = is_unanswered(peer);
    peer->n_written = n_written;
    count_unanswered(network, peer, before);
    if (peer->n_parked && node < network->credit.next)
        network->credit.next = node;
}

/* Returns whether a frame of records has questions for functions that block. */
static bool has_questions(const struct gravel_frame *frame)
{
    const struct gravel_signal_run *run;
    for (uint64_t at = sizeof *frame; (run = gravel_records_next(frame, &at));)
        if (GRAVELP_IS_REQUEST(run->run.command))
            return true;
    return false;
}

bool gravel_records_admit(struct gravel_network *network, struct gravel_buffer *buffer)
{
    struct gravel_network_peer *peer = &network->peers[buffer->frame->destination];
    const bool before = is_unanswered(peer);
    if (has_questions(buffer->frame)) {
        peer->n_asking = peer->n_records_sent + peer->n_parked + 1;
        count_unanswered(network, peer, before);
    }
    if (!peer->n_parked && has_credit(network, peer)) {
        peer->n_records_sent++;
        return true;
    }
    gravel_fifo_push(&peer->parked, buffer);
    peer->n_parked++;
    buffer->frame->sequence = network->credit.n_parked++;
    network->credit.n_waiting++;
    gravel_counter_add(&network->counts.credit_waits, 1);
    return false;
}

struct gravel_buffer *gravel_records_unpark(struct gravel_network *network)
{
    for (uint32_t *node = &network->credit.next; *node < network->n_nodes; (*node)++) {
        struct gravel_network_peer *peer = &network->peers[*node];
        if (peer->n_parked && has_credit(network, peer)) {
            peer->n_records_sent++;
            peer->n_parked--;
            network->credit.n_waiting--;
            return gravel_fifo_pop(&peer->parked);
        }
    }
    return NULL;
}

bool gravel_records_have_left(const struct gravel_network *network, uint64_t mark)
{
    uint32_t node = network->credit.n_waiting ? 0 : network->n_nodes;
    while (node < network->n_nodes && (!network->peers[node].n_parked ||
                                       network->peers[node].parked.first->frame->sequence >= mark))
        node++;
    return node == network->n_nodes;
}

int gravel_records_hear(struct gravel_network *network, const void *frame,
                        const struct gravel_received *received)
{
    const struct gravel_network_peer *peer = &network->peers[received->source];
    const uint64_t n_written = ((const struct gravel_credit_frame *)frame)->n_written;
    if (n_written < peer->n_written || n_written > peer->n_records_sent)
        return gravel_fail(GRAVEL_ECORRUPT,
                           "count of frames written (%" PRIu64 ", not %" PRIu64 " to %" PRIu64 ")",
                           n_written, peer->n_written, peer->n_records_sent);
    note_written(network, received->source, n_written);
    return 0;
}

/* ---- who writes ------------------------------------------------------------------------------ */

/* Lets a sender send another frame, for one is dealt with. @param is_awaited  it had questions, or may have had. */
static void give_credit(struct gravel_network *network, uint32_t source, uint32_t destination,
                        bool is_awaited)
{
    struct gravel_network_peer *peer = &network->peers[source];
    if (gravel_transport_is_local(network->transport, source)) {
        note_written(network, destination, network->peers[destination].n_written + 1);
        return;
    }
    peer->n_done++;
    if (!is_awaited && peer->n_done - peer->n_known < network->credit.window / 2)
        return;
    peer->n_known = peer->n_done;
    const struct gravel_credit_frame frame = {.n_written = peer->n_known};
    gravel_network_put(network, gravel_network_frame(network, GRAVEL_FRAME_CREDIT, source, &frame,
                                                     sizeof frame, 0));
}

/* @return whether it may be spooled; else *refusal. */
static bool check(struct gravel_network *network, const struct gravel_frame *frame,
                  const struct gravel_received *received, struct gravel_refusal *refusal)
{
    struct gravel_expect expect =
        gravel_received_expects(received, network->shape.endpoints, network->shape.heap);
    expect.are_records = true;
    struct gravel_network_peer *peer = &network->peers[received->source];
    const bool is_local = gravel_transport_is_local(network->transport, received->source);
    peer->n_come += !is_local;
    if (is_local || peer->n_come - peer->n_known <= network->credit.window) {
        gravel_heap_lock_shared(network->shape.heap);
        const int code = gravel_decode_check(frame, received->bytes, &expect, NULL, refusal);
        gravel_heap_unlock_shared(network->shape.heap);
        return !code;
    }
    refusal->code = GRAVEL_ECORRUPT;
    snprintf(refusal->text, sizeof refusal->text,
             "records beyond credit: %" PRIu64 " frames may be unwritten", network->credit.window);
    return false;
}

int gravel_records_take(struct gravel_network *network, const void *frame,
                        const struct gravel_received *received)
{
    struct gravel_refusal refusal;
    if (check(network, frame, received, &refusal)) {
        gravel_network_check(network, gravel_spool_push(network->spool, frame, received->buffer));
        return 0;
    }
    gravel_counter_add(&network->counts.refused_buffers, 1);
    gravel_resolving_refuse(network, refusal.code, refusal.text, received->source,
                            received->destination);
    give_credit(network, received->source, received->destination, true);
    return 0;
}

static struct gravel_buffer *make_ack(struct gravel_network *network, uint32_t source,
                                      uint64_t acked)
{
    const struct gravel_ack_frame ack = {.acked = acked};
    return gravel_network_frame(network, GRAVEL_FRAME_ACK, source, &ack, sizeof ack, 0);
}

/* Makes an acknowledgement. Until it is sent, its number is the mark of the spool that it waits for. */
void gravel_records_acknowledge(struct gravel_network *network, uint32_t source, uint64_t acked)
{
    struct gravel_buffer *ack = make_ack(network, source, acked);
    if (!ack)
        return;
    ack->frame->sequence = gravel_spool_mark(network->spool);
    gravel_fifo_push(&network->held_acks, ack);
}

/* Reports that the spool makes progress: nodes that wait give up on a silent one. The spool has its own limit. */
static void report_progress(struct gravel_network *network)
{
    const uint64_t now_ns = gravel_network_lived_ns(network);
    const uint64_t every_ns = gravel_network_patience_ns(network) / SIGNS;
    if (now_ns < network->reported_ns + every_ns)
        return;
    for (const struct gravel_buffer *ack = network->held_acks.first; ack; ack = ack->next)
        gravel_network_put(network, make_ack(network, ack->frame->destination, 0));
    network->reported_ns = now_ns;
}

bool gravel_records_collect(struct gravel_network *network)
{
    struct gravel_buffer *buffer;
    while ((buffer = gravel_spool_take(network->spool)))
        gravel_fifo_push(&network->dealt_with, buffer);
    return network->dealt_with.first;
}

bool gravel_records_poll(struct gravel_network *network)
{
    struct gravel_buffer *buffer;
    bool has_moved = network->dealt_with.first;
    while ((buffer = gravel_fifo_pop(&network->dealt_with))) {
        char text[160];
        const char *kind,
            *name = gravel_endpoint_name(network->shape.endpoints, buffer->room, &kind);
        if (name) { /* its function has failed: here, and at the sender */
            snprintf(text, sizeof text, "%s %.100s: its function failed", kind, name);
            gravel_resolving_refuse(network, GRAVEL_EHANDLER, text, buffer->frame->source,
                                    buffer->frame->destination);
        }
        const bool asks = has_questions(buffer->frame);
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
    while ((buffer = network->held_acks.first) &&
           gravel_spool_has_passed(network->spool, buffer->frame->sequence)) {
        gravel_network_put(network, gravel_fifo_pop(&network->held_acks));
        has_moved = true;
    }
    if (buffer)
        report_progress(network);
    return has_moved;
}
