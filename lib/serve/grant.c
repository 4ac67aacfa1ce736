/* SPDX-License-Identifier: MIT */
/*
 * Transactions that go to other nodes.
 *
 * Path:    transactions.c -> grant.c -> courier.h -> network/control.c -> incoming.c of another node.
 * Owner:   see transactions.h; a frame is freed when it has been sent.
 * Threads: the network thread.
 * Source:  Wang, Fussell, Lin 2019, section 3.3 (replies and unlocks).
 */
#include "serve/transactions_parts.h"

#include <string.h>

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
