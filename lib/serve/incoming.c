/* SPDX-License-Identifier: MIT */
/*
 * Transactions that come from other nodes: each field of a frame is checked first.
 *
 * Path:    grant.c of another node -> network/control.c -> incoming.c -> transactions.c.
 * Owner:   the frame is the caller's.
 * Threads: the network thread.
 */
#include "serve/transactions_parts.h"

#include <stdarg.h>
#include <stdio.h>

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
    arrival->bytes = gravel_transactions_record_bytes(transactions, frame->handler);
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
