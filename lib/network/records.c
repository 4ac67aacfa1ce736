/* SPDX-License-Identifier: MIT */
/*
 * Frames of records: sent as far as their writers give credit; checked, spooled for the writer, and counted when they
 * are written, so that their senders hear of it; and acknowledgements of all frames of a node, which wait for the
 * records among them.
 *
 * Credit:  of each source at most `window` frames are unwritten at a node, so the memory of spools is bounded and no
 *          frame is refused. A frame beyond that is parked at its sender, behind which other messages pass. A node
 *          counts what it has sent to each other, and hears how many of these frames are written there: after each half
 *          of a window, and after each frame with questions, by a frame of kind CREDIT. Both sides know the window,
 *          so a frame beyond it is noticed; and a node knows whether all that it has asked is answered.
 *
 * Path:    network.c -> records.c (credit) -> network.c; control.c -> records.c -> decode.c, lib/spool -> records.c ->
 *          a CREDIT frame -> control.c of the sender -> records.c.
 * Threads: the network thread; create and destroy of credit: one that opens and closes the node.
 */
#include "network/parts.h"
#include "resolve/apply.h"
#include "spool/format.h"
#include "spool/spool.h"

#include <stdio.h>
#include <stdlib.h>

#define LEAST_WINDOW 2u /* one is written while the next one travels */
#define SIGNS \
    8u /* that we live, in the time after which a node that waits for an acknowledgement gives up */

/* ---- who sends ------------------------------------------------------------------------------- */

int gravel_credit_create(struct gravel_credit *credit, uint32_t n_nodes, uint64_t spool_bytes)
{
    const uint64_t window = spool_bytes / GRAVEL_RECORDS_MOST_BYTES / n_nodes;
    const size_t bytes = n_nodes * sizeof *credit->sides;
    *credit = (struct gravel_credit){.sides = calloc(1, bytes),
                                     .window = window < LEAST_WINDOW ? LEAST_WINDOW : window};
    credit->n_nodes = credit->sides ? n_nodes : 0;
    return credit->sides ? 0 : gravel_fail_memory("credit for records", bytes);
}

static struct gravel_buffer *unpark(struct gravel_credit *credit, struct gravel_credit_side *side)
{
    side->n_parked--;
    credit->n_waiting--;
    return gravel_fifo_pop(&side->parked);
}

void gravel_credit_destroy(struct gravel_credit *credit)
{
    for (uint32_t node = 0; node < credit->n_nodes; node++)
        while (credit->sides[node].n_parked)
            gravel_pool_return(unpark(credit, &credit->sides[node]));
    credit->n_nodes = 0;
    free(credit->sides);
    credit->sides = NULL;
}

static bool has_credit(const struct gravel_credit *credit, const struct gravel_credit_side *side)
{
    return side->n_sent - side->n_written < credit->window;
}

static bool is_unanswered(const struct gravel_credit_side *side)
{
    return side->n_asking > side->n_written;
}

/* @param before  whether it was, before the side changed. */
static void count_unanswered(struct gravel_credit *credit, const struct gravel_credit_side *side,
                             bool before)
{
    const uint32_t n = atomic_load_explicit(&credit->n_unanswered, memory_order_relaxed);
    atomic_store_explicit(&credit->n_unanswered, n + is_unanswered(side) - before,
                          memory_order_relaxed); /* U10 */
}

/* Notes how many frames a node has written of those that were sent to it. */
static void note_written(struct gravel_credit *credit, uint32_t node, uint64_t n_written)
{
    struct gravel_credit_side *side = &credit->sides[node];
    const bool before = is_unanswered(side);
    side->n_written = n_written;
    count_unanswered(credit, side, before);
    if (side->n_parked && node < credit->next)
        credit->next = node;
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

bool gravel_credit_admit(struct gravel_credit *credit, struct gravel_buffer *buffer)
{
    struct gravel_credit_side *side = &credit->sides[buffer->frame->destination];
    const bool before = is_unanswered(side);
    if (has_questions(buffer->frame)) {
        side->n_asking = side->n_sent + side->n_parked + 1;
        count_unanswered(credit, side, before);
    }
    if (!side->n_parked && has_credit(credit, side)) {
        side->n_sent++;
        return true;
    }
    gravel_fifo_push(&side->parked, buffer);
    side->n_parked++;
    buffer->frame->sequence = credit->n_parked++;
    credit->n_waiting++;
    return false;
}

struct gravel_buffer *gravel_credit_take(struct gravel_credit *credit)
{
    for (; credit->next < credit->n_nodes; credit->next++) {
        struct gravel_credit_side *side = &credit->sides[credit->next];
        if (side->n_parked && has_credit(credit, side)) {
            side->n_sent++;
            return unpark(credit, side);
        }
    }
    return NULL;
}

uint64_t gravel_credit_mark(const struct gravel_credit *credit)
{
    return credit->n_parked;
}

bool gravel_credit_has_passed(const struct gravel_credit *credit, uint64_t mark)
{
    uint32_t node = credit->n_waiting ? 0 : credit->n_nodes;
    while (node < credit->n_nodes && (!credit->sides[node].n_parked ||
                                      credit->sides[node].parked.first->frame->sequence >= mark))
        node++;
    return node == credit->n_nodes;
}

int gravel_records_hear(struct gravel_network *network, const void *frame,
                        const struct gravel_received *received)
{
    const struct gravel_credit_side *side = &network->credit.sides[received->source];
    const uint64_t n_written = ((const struct gravel_credit_frame *)frame)->n_written;
    if (n_written < side->n_written || n_written > side->n_sent)
        return gravel_fail(GRAVEL_ECORRUPT,
                           "count of frames written (%" PRIu64 ", not %" PRIu64 " to %" PRIu64 ")",
                           n_written, side->n_written, side->n_sent);
    note_written(&network->credit, received->source, n_written);
    return 0;
}

/* ---- who writes ------------------------------------------------------------------------------ */

/* A frame is dealt with: its sender may send another. @param is_awaited  it had questions, or may have had. */
static void give_credit(struct gravel_network *network, uint32_t source, uint32_t destination,
                        bool is_awaited)
{
    struct gravel_credit *credit = &network->credit;
    struct gravel_credit_side *side = &credit->sides[source];
    if (gravel_transport_is_local(network->transport, source)) {
        note_written(credit, destination, credit->sides[destination].n_written + 1);
        return;
    }
    side->n_done++;
    if (!is_awaited && side->n_done - side->n_told < credit->window / 2)
        return;
    side->n_told = side->n_done;
    const struct gravel_credit_frame frame = {.n_written = side->n_told};
    gravel_network_put(network, gravel_network_frame(network, GRAVEL_FRAME_CREDIT, source, &frame,
                                                     sizeof frame, 0));
}

/* Counts a frame of another process's node. @return false: it is beyond its credit. */
static bool count_arrival(struct gravel_credit *credit, uint32_t source)
{
    struct gravel_credit_side *side = &credit->sides[source];
    side->n_come++;
    return side->n_come - side->n_told <= credit->window;
}

/* @return whether it may be spooled; else *refusal. */
static bool check(struct gravel_network *network, const struct gravel_frame *frame,
                  const struct gravel_received *received, struct gravel_refusal *refusal)
{
    const struct gravel_expect expect = gravel_received_expects(received, network->shape.endpoints);
    if (gravel_transport_is_local(network->transport, received->source) ||
        count_arrival(&network->credit, received->source)) {
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
    struct gravel_buffer *ack = make_ack(network, source, acked);
    if (!ack)
        return;
    ack->frame->sequence = gravel_spool_mark(network->spool);
    gravel_fifo_push(&network->held_acks, ack);
}

/* Tells those who wait that the spool moves: they give up on a node that says nothing. The spool has its own limit. */
static void tell_all_is_well(struct gravel_network *network)
{
    const uint64_t now_ns = gravel_network_lived_ns(network);
    const uint64_t every_ns = gravel_network_patience_ns(network) / SIGNS;
    if (now_ns < network->told_ns + every_ns)
        return;
    for (const struct gravel_buffer *ack = network->held_acks.first; ack; ack = ack->next)
        gravel_network_put(network, make_ack(network, ack->frame->destination, 0));
    network->told_ns = now_ns;
}

/* @return whether any could be sent. */
static bool send_acks(struct gravel_network *network)
{
    struct gravel_buffer *ack;
    bool has_moved = false;
    while ((ack = network->held_acks.first) &&
           gravel_spool_has_passed(network->spool, ack->frame->sequence)) {
        gravel_network_put(network, gravel_fifo_pop(&network->held_acks));
        has_moved = true;
    }
    if (ack)
        tell_all_is_well(network);
    return has_moved;
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
    const bool has_moved = network->dealt_with.first;
    while ((buffer = gravel_fifo_pop(&network->dealt_with))) {
        tell_failure(network, buffer);
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
    return send_acks(network) || has_moved;
}

void gravel_records_tell_lost(struct gravel_network *network)
{
    int code = network->spool ? gravel_spool_lost(network->spool) : 0;
    if (code)
        network->shape.report(network->shape.context, code, false, gravel_last_error());
}
