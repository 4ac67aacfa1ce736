/* SPDX-License-Identifier: MIT */
/*
 * Transactions as network threads send them to each other, and acknowledgements that wait for them.
 *
 * Path:    transactions.c -> grant.c -> courier.h -> network/control.c -> grant.c -> transactions.c of another node.
 * Owner:   see transactions.h; a frame is freed when it has been sent.
 * Threads: the network thread.
 * Source:  Wang, Fussell, Lin 2019, section 3.3 (replies and unlocks).
 */
#include "serve/transactions_parts.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- send ------------------------------------------------------------------------------------ */

static uint32_t record_bytes(const struct gravel_transactions *transactions, uint32_t handler)
{
    return (uint32_t)GRAVELP_TRANSACTION_BYTES(transactions->shape->handlers[handler].datum_words);
}

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
                   frame_of(buffer)->n * record_bytes(transactions, frame_of(buffer)->handler));
    transactions->courier.put(transactions->courier.context, buffer);
}

void gravel_transactions_send(struct gravel_transactions *transactions, uint32_t what,
                              uint32_t node, const struct transaction *transaction)
{
    const uint32_t bytes = record_bytes(transactions, transaction->handler);
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

/* ---- receive --------------------------------------------------------------------------------- */

/* A frame that is being read. */
struct arrival {
    struct gravel_transactions *transactions;
    const struct gravel_transactions_frame *frame;
    char *why;      /* [GRAVEL_WHY_BYTES] [out] */
    uint32_t bytes; /* of a record */
};

static const struct gravelp_transaction *record_at(const struct arrival *arrival, uint32_t i)
{
    return (const void *)(arrival->frame->records + (size_t)i * arrival->bytes);
}

/* Whether a node is who sent the frame: of a process that stands for all nodes, each is. */
static bool is_sender(const struct arrival *arrival, uint32_t node)
{
    return node == arrival->frame->frame.source ||
           arrival->transactions->courier.transport->is_loopback;
}

/* @return false */
__attribute__((format(printf, 2, 3))) static bool tell_bad(const struct arrival *arrival,
                                                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(arrival->why, GRAVEL_WHY_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

/* Its handler gives the length of a record. */
static bool check_header(struct arrival *arrival)
{
    struct gravel_transactions *transactions = arrival->transactions;
    const struct gravel_transactions_frame *frame = arrival->frame;
    if (!transactions || frame->handler >= transactions->shape->n_handlers ||
        !gravel_device_steps_have(transactions->steps, frame->handler))
        return tell_bad(arrival, "handler (%u has no transactions between nodes)", frame->handler);
    if (frame->what > GRAVEL_TRANSACTIONS_UNLOCK)
        return tell_bad(arrival, "kind of transactions (%u)", frame->what);
    arrival->bytes = record_bytes(transactions, frame->handler);
    return (frame->n > 0 &&
            frame->frame.bytes == sizeof *frame + (uint64_t)frame->n * arrival->bytes) ||
           tell_bad(arrival, "count of records (%u of %u bytes)", frame->n, arrival->bytes);
}

static bool is_sane(const struct arrival *arrival, const struct gravelp_transaction *record)
{
    const uint32_t n_nodes = arrival->transactions->n_nodes;
    const uint32_t here = arrival->frame->frame.destination;
    if (record->lesser > 1 || record->node[0] >= n_nodes || record->node[1] >= n_nodes ||
        record->source >= n_nodes)
        return false;
    const uint32_t lesser = record->node[record->lesser], greater = record->node[!record->lesser];
    if (arrival->frame->what == GRAVEL_TRANSACTIONS_GRANT)
        return lesser < greater && greater == here && is_sender(arrival, lesser);
    return lesser == here && is_sender(arrival, greater) &&
           gravel_transactions_granted(arrival->transactions, arrival->frame->handler, record);
}

static bool check(struct arrival *arrival)
{
    if (!check_header(arrival))
        return false;
    for (uint32_t i = 0; i < arrival->frame->n; i++)
        if (!is_sane(arrival, record_at(arrival, i)))
            return tell_bad(arrival, "record %u of %u (of no transaction between these nodes)", i,
                            arrival->frame->n);
    return true;
}

/* @return false for what comes twice. */
static bool apply(const struct arrival *arrival, const struct gravelp_transaction *record)
{
    struct gravel_transactions *transactions = arrival->transactions;
    const uint32_t handler = arrival->frame->handler;
    if (arrival->frame->what == GRAVEL_TRANSACTIONS_GRANT) {
        gravel_transactions_invite(transactions, handler, record);
        return true;
    }
    struct transaction *transaction = gravel_transactions_granted(transactions, handler, record);
    if (transaction)
        gravel_transactions_return(transactions, transaction, record);
    return transaction;
}

bool gravel_transactions_arrive(struct gravel_transactions *transactions,
                                const struct gravel_transactions_frame *frame,
                                char why[GRAVEL_WHY_BYTES])
{
    struct arrival arrival = {.transactions = transactions, .frame = frame, .why = why};
    if (!check(&arrival))
        return false;
    for (uint32_t i = 0; i < frame->n; i++)
        if (!apply(&arrival, record_at(&arrival, i)))
            return tell_bad(&arrival, "record %u of %u (it comes twice)", i, frame->n);
    return true;
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
