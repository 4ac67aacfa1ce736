/* SPDX-License-Identifier: MIT */
/*
 * Transactions that go to other nodes, and acknowledgements that wait for them.
 *
 * Path:    transactions.c -> grant.c -> courier.h -> network/control.c -> incoming.c of another node.
 * Owner:   see transactions.h; a frame is freed when it has been sent.
 * Threads: the network thread.
 * Source:  Wang, Fussell, Lin 2019, section 3.3 (replies and unlocks).
 */
#include "serve/transactions_parts.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- send ------------------------------------------------------------------------------------ */

static struct gravel_transactions_frame *frame_of(const struct gravel_buffer *buffer)
{
    return (struct gravel_transactions_frame *)buffer->frame;
}

static void ship(struct gravel_transactions *transactions, uint32_t node)
{
    struct gravel_buffer *buffer = transactions->open[node];
    transactions->open[node] = NULL;
    if (!buffer)
        return;
    frame_of(buffer)->frame.bytes =
        (uint32_t)(sizeof(struct gravel_transactions_frame) +
                   frame_of(buffer)->n *
                       gravel_transactions_record_bytes(transactions, frame_of(buffer)->handler));
    transactions->courier.put(transactions->courier.context, buffer);
}

void gravel_transactions_send(struct gravel_transactions *transactions, uint32_t what,
                              uint32_t node, const struct transaction *transaction)
{
    const uint32_t bytes = gravel_transactions_record_bytes(transactions, transaction->handler);
    const struct gravel_courier *courier = &transactions->courier;
    const uint32_t most = courier->most_bytes;
    struct gravel_buffer **buffer = &transactions->open[node];
    if (!*buffer)
        *buffer = courier->frame(courier->context, GRAVEL_FRAME_TRANSACTIONS, node, most);
    if (!*buffer)
        return; /* the node has failed */
    struct gravel_transactions_frame *frame = frame_of(*buffer);
    frame->what = what;
    frame->handler = transaction->handler;
    memcpy(frame->records + (size_t)frame->n++ * bytes, &transaction->record, bytes);
    if (sizeof *frame + (frame->n + 1) * (size_t)bytes > most)
        ship(transactions, node);
}

void gravel_transactions_flush(struct gravel_transactions *transactions)
{
    for (uint32_t node = 0; node < transactions->n_nodes; node++)
        ship(transactions, node);
}

/* ---- acknowledgements ------------------------------------------------------------------------ */

bool gravel_transactions_hold_ack(struct gravel_transactions *transactions, uint32_t source,
                                  uint64_t acked)
{
    if (!gravel_transactions_are_open(transactions))
        return false;
    struct held_ack *ack = malloc(sizeof *ack), **end = &transactions->acks;
    if (!ack) {
        transactions->courier.fail(transactions->courier.context, GRAVEL_ENOMEM,
                                   "no memory for a quiet");
        return true;
    }
    *ack = (struct held_ack){
        .source = source, .acked = acked, .mark = gravel_transactions_mark(transactions)};
    while (*end)
        end = &(*end)->next;
    *end = ack;
    return true;
}

/* A node that waits gives up on a node that says nothing: as long as transactions move, tell so. */
static void tell_all_is_well(struct gravel_transactions *transactions, uint64_t now_ns)
{
    const uint64_t every_ns = transactions->courier.patience_ns / 8;
    if (now_ns < transactions->told_ns + every_ns || transactions->moved_ns < transactions->told_ns)
        return;
    for (const struct held_ack *ack = transactions->acks; ack; ack = ack->next)
        transactions->courier.ack(transactions->courier.context, ack->source, 0);
    transactions->told_ns = now_ns;
}

void gravel_transactions_send_acks(struct gravel_transactions *transactions, uint64_t now_ns)
{
    struct held_ack *ack;
    while ((ack = transactions->acks) && gravel_transactions_have_passed(transactions, ack->mark)) {
        transactions->courier.ack(transactions->courier.context, ack->source, ack->acked);
        transactions->acks = ack->next;
        free(ack);
    }
    if (ack)
        tell_all_is_well(transactions, now_ns);
}
