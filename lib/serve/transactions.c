/* SPDX-License-Identifier: MIT */
/*
 * Transactions over keys of two nodes. See transactions.h.
 *
 * A transaction is a guest at the node of its greater key. It waits for admission there, as a message does at the
 * head of the line; but one that came from this process's own line is in already, and must not wait for what waits
 * for it.
 */
#include "serve/transactions.h"

#include "base/error.h"
#include "memory/heap_books.h"
#include "serve/transactions_parts.h"
#include "transport/pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- create and destroy ---------------------------------------------------------------------- */

static void queue_init(struct transaction_queue *queue)
{
    queue->first = NULL;
    queue->end = &queue->first;
}

static void push(struct transaction_queue *queue, struct transaction *transaction)
{
    transaction->next = NULL;
    *queue->end = transaction;
    queue->end = &transaction->next;
}

static struct transaction *pop(struct transaction_queue *queue)
{
    struct transaction *transaction = queue->first;
    if (!transaction)
        return NULL;
    queue->first = transaction->next;
    if (!queue->first)
        queue->end = &queue->first;
    return transaction;
}

int gravel_transactions_create(struct gravel_transactions **out,
                               const struct gravel_courier *courier,
                               struct gravel_device_calls *calls)
{
    struct gravel_device_steps *steps = NULL;
    *out = NULL;
    struct gravel_mail *mail = gravel_line_mail(calls);
    int code = courier->transport->n_nodes > 1
                   ? gravel_device_steps_create(&steps, calls, mail != NULL)
                   : 0;
    if (code || (!steps && !mail))
        return code;
    struct gravel_transactions *transactions = calloc(1, sizeof *transactions);
    void *records = malloc(GRAVEL_STEP_MOST * GRAVELP_TRANSACTION_BYTES(GRAVEL_DATUM_MAX_WORDS));
    struct gravel_buffer **open = calloc(courier->transport->n_nodes, sizeof *open);
    if (!transactions || !records || !open) {
        free(transactions), free(records), free(open);
        gravel_device_steps_destroy(steps);
        return gravel_fail(GRAVEL_ENOMEM, "transactions between nodes");
    }
    transactions->courier = *courier;
    transactions->n_nodes = courier->transport->n_nodes;
    transactions->calls = calls;
    transactions->shape = gravel_device_calls_shape_of(calls);
    transactions->steps = steps;
    transactions->mail = mail;
    transactions->records = records;
    transactions->open = open;
    queue_init(&transactions->guests);
    queue_init(&transactions->postponed);
    for (uint32_t step = 0; step < GRAVELP_N_STEPS; step++)
        queue_init(&transactions->ready[step]);
    gravel_device_calls_set_line(calls, (struct gravel_line){gravel_line_take, transactions});
    *out = transactions;
    return 0;
}

/* Those under way are claims' owners, or in queues; after a failure there may be some. */
void gravel_transactions_destroy(struct gravel_transactions *transactions)
{
    if (!transactions)
        return;
    gravel_device_calls_set_line(transactions->calls, (struct gravel_line){.take = NULL});
    while (transactions->all) {
        struct transaction *next = transactions->all->after;
        free(transactions->all);
        transactions->all = next;
    }
    while (transactions->oldest) {
        struct waiting_run *next = transactions->oldest->next;
        free(transactions->oldest);
        transactions->oldest = next;
    }
    for (uint32_t node = 0; node < transactions->n_nodes; node++)
        if (transactions->open[node])
            gravel_pool_return(transactions->open[node]);
    gravel_device_steps_destroy(transactions->steps);
    free(transactions->records);
    free(transactions->open);
    free(transactions);
}

void gravel_transactions_end(struct gravel_transactions *transactions)
{
    if (!transactions || !transactions->has_turn)
        return;
    transactions->has_turn = false;
    gravel_device_calls_let_go(transactions->calls);
}

static void fail(const struct gravel_transactions *transactions, int code, const char *text)
{
    transactions->courier.fail(transactions->courier.context, code, text);
}

/* ---- a transaction --------------------------------------------------------------------------- */

static struct transaction *make(struct gravel_transactions *transactions, uint32_t handler)
{
    const uint32_t words = transactions->shape->handlers[handler].serve.datum_words;
    struct transaction *transaction = calloc(1, sizeof *transaction + 8 * words);
    if (!transaction) {
        fail(transactions, GRAVEL_ENOMEM, "no memory for a transaction");
        return NULL;
    }
    transaction->handler = handler;
    transaction->claims[0].owner = transaction->claims[1].owner = transaction;
    transaction->before = &transactions->all;
    transaction->after = transactions->all;
    if (transaction->after)
        transaction->after->before = &transaction->after;
    transactions->all = transaction;
    return transaction;
}

static void forget(struct transaction *transaction)
{
    *transaction->before = transaction->after;
    if (transaction->after)
        transaction->after->before = transaction->before;
    free(transaction);
}

/* A transaction's last step here has been made. */
static void end(struct gravel_transactions *transactions, struct transaction *transaction)
{
    struct waiting_run *run = transaction->run;
    transactions->n_under_way--;
    forget(transaction);
    if (run && --run->n_open == 0)
        gravel_line_leave(transactions, run);
}

static bool is_whole(const struct transaction *transaction)
{
    return transaction->record.node[0] == transaction->record.node[1];
}

static uint64_t key_of(const struct transaction *transaction, uint32_t which)
{
    return transaction->record.key[which ^ transaction->record.lesser];
}

static uint32_t node_of(const struct transaction *transaction, uint32_t which)
{
    return transaction->record.node[which ^ transaction->record.lesser];
}

/* Claim the lesser key (0) or the greater one (1), and get ready for what the lock allows. */
static void claim(struct gravel_transactions *transactions, struct transaction *transaction,
                  uint32_t which);

static void take_lock(struct gravel_transactions *transactions, struct transaction *transaction,
                      uint32_t which)
{
    const bool has_both = which == 1 || key_of(transaction, 0) == key_of(transaction, 1);
    if (!is_whole(transaction))
        push(&transactions->ready[which ? GRAVELP_STEP_RUN : GRAVELP_STEP_LOAD], transaction);
    else if (has_both)
        push(&transactions->ready[GRAVELP_STEP_WHOLE], transaction);
    else
        claim(transactions, transaction, 1);
}

static void claim(struct gravel_transactions *transactions, struct transaction *transaction,
                  uint32_t which)
{
    transaction->claims[which].key = key_of(transaction, which);
    if (gravel_claims_take(&transactions->claims, &transaction->claims[which]))
        take_lock(transactions, transaction, which);
}

static void release(struct gravel_transactions *transactions, struct transaction *transaction,
                    uint32_t which)
{
    struct gravel_claim *next =
        gravel_claims_release(&transactions->claims, &transaction->claims[which]);
    if (next) {
        struct transaction *holder = next->owner;
        take_lock(transactions, holder, (uint32_t)(next - holder->claims));
    }
}

/* ---- from the line --------------------------------------------------------------------------- */

/* The next transaction of the run at the head; NULL if memory is out. */
static struct transaction *take_next(struct gravel_transactions *transactions)
{
    struct waiting_run *run = transactions->head;
    const struct gravel_run *of = (const void *)run->run;
    const uint64_t *rows = (const void *)(of + 1);
    const uint32_t n_args = GRAVELP_COMMAND_N_ARGS(of->command), i = run->n_taken;
    struct transaction *transaction = make(transactions, run->handler);
    if (!transaction)
        return NULL;
    transaction->run = run;
    transaction->record.at = run->frame.destination;
    transaction->record.source = run->frame.source;
    for (uint32_t row = 0; row < n_args; row++)
        *(row < 2 ? &transaction->record.key[row] : &transaction->record.argument[row - 2]) =
            rows[(size_t)row * run->n + i];
    if (++run->n_taken == run->n)
        transactions->head = run->next;
    transactions->n_under_way++;
    transactions->n_in_window++;
    return transaction;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* A step of n transactions of a handler. @return 0; or what it returns. */
static int make_step(struct gravel_transactions *transactions, uint32_t step,
                     struct transaction *const *batch, uint32_t n)
{
    const uint32_t handler = batch[0]->handler;
    const uint64_t bytes = gravel_transactions_record_bytes(transactions, handler);
    for (uint32_t i = 0; i < n; i++) {
        struct gravelp_transaction *record = &batch[i]->record;
        if (step != GRAVELP_STEP_ROUTE)
            record->at = node_of(batch[i], step == GRAVELP_STEP_RUN);
        record->heap = gravel_memory_heap_offset(
            transactions->shape->memory,
            transactions->courier.transport->is_loopback ? record->at : 0);
        memcpy(transactions->records + i * bytes, record, bytes);
    }
    int code =
        gravel_device_steps_run(transactions->steps, handler, step, transactions->records, n);
    for (uint32_t i = 0; i < n && !code; i++)
        memcpy(&batch[i]->record, transactions->records + i * bytes, bytes);
    return code;
}

static void refuse(struct gravel_transactions *transactions, const struct transaction *transaction)
{
    const struct gravelp_transaction *record = &transaction->record;
    char text[256];
    snprintf(text, sizeof text,
             "handler %s: keys %" PRIu64 " and %" PRIu64 " are of nodes %u and %u of %u "
             "(GRAVEL_NODE_OF), and the message came to node %u",
             transactions->shape->handlers[transaction->handler].name, record->key[0],
             record->key[1], record->node[0], record->node[1], transactions->n_nodes, record->at);
    transactions->courier.refuse(transactions->courier.context, GRAVEL_ERANGE, text, record->source,
                                 record->at);
}

/* Its keys' nodes are known: claim the first. */
static void enter(struct gravel_transactions *transactions, struct transaction *transaction)
{
    if (node_of(transaction, 1) < transactions->n_nodes &&
        node_of(transaction, 0) == transaction->record.at) {
        claim(transactions, transaction, 0);
        return;
    }
    refuse(transactions, transaction);
    transactions->n_in_window--;
    end(transactions, transaction);
}

/* Let transactions at the head of the line in. @return 0; or what finding their nodes returns. */
static int admit(struct gravel_transactions *transactions)
{
    struct transaction *batch[GRAVEL_STEP_MOST];
    uint32_t n = 0;
    const struct waiting_run *head = transactions->head;
    while (n < GRAVEL_STEP_MOST &&
           transactions->n_in_window < transactions->shape->config->transactions_window &&
           transactions->head && transactions->head->is_transaction &&
           transactions->head->handler == head->handler) {
        batch[n] = take_next(transactions);
        if (!batch[n++])
            return 0; /* the node has failed */
    }
    int code = n ? make_step(transactions, GRAVELP_STEP_ROUTE, batch, n) : 0;
    for (uint32_t i = 0; i < n && !code; i++)
        enter(transactions, batch[i]);
    return code;
}

/* Lets all of a queue in, which claim their lesser key (0) or the greater one (1). */
static void admit_all(struct gravel_transactions *transactions, struct transaction_queue *queue,
                      uint32_t which)
{
    struct transaction *transaction;
    while ((transaction = pop(queue))) {
        transactions->n_under_way++;
        claim(transactions, transaction, which);
    }
}

/*
 * A claim waits while others drain. It stays if what drains waits for it: the transaction has its other lock here, or
 * is a guest of one of this process.
 */
static bool leaves(void *context, struct gravel_claim *waiting)
{
    struct gravel_transactions *transactions = context;
    struct transaction *transaction = waiting->owner;
    const bool is_first = waiting == &transaction->claims[0];
    if (!is_first &&
        gravel_transport_is_local(transactions->courier.transport, node_of(transaction, 0)))
        return false;
    push(is_first ? &transactions->postponed : &transactions->guests, transaction);
    transactions->n_under_way--;
    return true;
}

/* What follows a step of a transaction. */
static void finish_step(struct gravel_transactions *transactions, uint32_t step,
                        struct transaction *transaction)
{
    switch (step) {
    case GRAVELP_STEP_LOAD:
        transaction->is_granted = true;
        gravel_transactions_send(transactions, GRAVEL_TRANSACTIONS_GRANT, node_of(transaction, 1),
                                 transaction);
        return;
    case GRAVELP_STEP_RUN:
        gravel_transactions_send(transactions, GRAVEL_TRANSACTIONS_UNLOCK, node_of(transaction, 0),
                                 transaction);
        release(transactions, transaction, 1);
        break;
    case GRAVELP_STEP_WHOLE:
        if (key_of(transaction, 0) != key_of(transaction, 1))
            release(transactions, transaction, 1);
        release(transactions, transaction, 0);
        transactions->n_in_window--;
        break;
    default: /* GRAVELP_STEP_STORE */
        release(transactions, transaction, 0);
        transactions->n_in_window--;
        break;
    }
    end(transactions, transaction);
}

/* Make a step of those that are ready for it. @param moved  [out] set if there are any. @return 0; or what it
 * returns. */
static int pass(struct gravel_transactions *transactions, uint32_t step, bool *moved)
{
    struct transaction_queue *ready = &transactions->ready[step];
    struct transaction *batch[GRAVEL_STEP_MOST];
    uint32_t n = 0;
    while (n < GRAVEL_STEP_MOST && ready->first &&
           (n == 0 || ready->first->handler == batch[0]->handler))
        batch[n++] = pop(ready);
    if (n == 0)
        return 0;
    *moved = true;
    int code = make_step(transactions, step, batch, n);
    for (uint32_t i = 0; i < n && !code; i++)
        finish_step(transactions, step, batch[i]);
    gravel_transactions_flush(transactions);
    return code;
}

static void admit_waiting(struct gravel_transactions *transactions)
{
    transactions->is_draining = false;
    admit_all(transactions, &transactions->guests, 1);
    admit_all(transactions, &transactions->postponed, 0);
}

/* Nothing is under way: runs of other handlers first, then the turn is taken for transactions. */
static int begin(struct gravel_transactions *transactions, bool *moved)
{
    int code = 0;
    for (uint32_t n = 0; n < GRAVEL_LINE_RUNS_AT_ONCE && !code && transactions->head &&
                         !transactions->head->is_transaction;
         n++) {
        *moved = true;
        code = gravel_line_run(transactions, transactions->head);
    }
    const bool is_wanted = transactions->guests.first || transactions->postponed.first ||
                           (transactions->head && transactions->head->is_transaction);
    if (code || !is_wanted)
        return code;
    code = gravel_device_calls_hold(transactions->calls);
    transactions->has_turn = !code;
    if (!code)
        admit_waiting(transactions);
    return code;
}

/* Whether all under way must end before another begins: a launch, or a run of other handlers, waits. */
static bool must_drain(const struct gravel_transactions *transactions)
{
    return gravel_device_calls_turn_is_wanted(transactions->calls) ||
           (transactions->head && !transactions->head->is_transaction);
}

static int advance(struct gravel_transactions *transactions, bool *moved)
{
    static const uint32_t steps[] = {GRAVELP_STEP_STORE, GRAVELP_STEP_RUN, GRAVELP_STEP_WHOLE,
                                     GRAVELP_STEP_LOAD};
    int code = 0;
    if (transactions->mail)
        return gravel_line_advance_mail(transactions, moved);
    if (transactions->n_under_way == 0) {
        code = begin(transactions, moved);
    } else if (!must_drain(transactions)) {
        admit_waiting(transactions);
    } else if (!transactions->is_draining) { /* once: those that have a lock here end soon */
        gravel_claims_withdraw(&transactions->claims, leaves, transactions);
        transactions->is_draining = true;
    }
    if (!code && transactions->has_turn &&
        (transactions->n_under_way == 0 || !must_drain(transactions)))
        code = admit(transactions);
    for (uint32_t i = 0; i < sizeof steps / sizeof *steps && !code; i++)
        code = pass(transactions, steps[i], moved);
    if (transactions->n_under_way == 0)
        gravel_transactions_end(transactions);
    return code;
}

/* Their nodes answer no more, though they live. */
static void check_progress(struct gravel_transactions *transactions, uint64_t now_ns)
{
    const uint64_t limit_ns = transactions->courier.patience_ns;
    char text[160];
    if (now_ns < transactions->moved_ns || now_ns - transactions->moved_ns < limit_ns)
        return;
    if (transactions->mail)
        snprintf(
            text, sizeof text,
            "messages with keys: servers have run none of those that wait for %.1f s, the first "
            "of handler %s",
            (double)(now_ns - transactions->moved_ns) * 1e-9,
            transactions->shape->handlers[transactions->oldest->handler].name);
    else
        snprintf(text, sizeof text,
                 "transactions: none of %u that are under way has got further for %.1f s",
                 transactions->n_under_way, (double)(now_ns - transactions->moved_ns) * 1e-9);
    fail(transactions, GRAVEL_ETIMEOUT, text);
}

bool gravel_transactions_step(struct gravel_transactions *transactions, uint64_t now_ns)
{
    bool moved = false;
    if (!transactions)
        return false;
    if (gravel_failure_is_fatal(transactions->courier.failure)) {
        gravel_transactions_end(transactions);
        return false;
    }
    if (transactions->has_moved) /* since the last step: now the device's part in it is over */
        transactions->moved_ns = now_ns;
    transactions->has_moved = false;
    if (!transactions->oldest && !transactions->n_under_way && !transactions->guests.first)
        return false;
    gravel_heap_lock_shared(transactions->courier.heap);
    int code = advance(transactions, &moved);
    gravel_heap_unlock_shared(transactions->courier.heap);
    if (code)
        fail(transactions, code, gravel_last_error());
    if (moved)
        transactions->has_moved = true;
    else
        check_progress(transactions, now_ns);
    return moved;
}

/* ---- from other nodes ------------------------------------------------------------------------ */

void gravel_transactions_invite(struct gravel_transactions *transactions, uint32_t handler,
                                const struct gravelp_transaction *record)
{
    struct transaction *guest = make(transactions, handler);
    if (!guest)
        return;
    memcpy(&guest->record, record, gravel_transactions_record_bytes(transactions, handler));
    push(&transactions->guests, guest);
    transactions->has_moved = true;
    if (gravel_transport_is_local(transactions->courier.transport, node_of(guest, 0)))
        admit_all(transactions, &transactions->guests, 1);
}

struct transaction *gravel_transactions_granted(const struct gravel_transactions *transactions,
                                                uint32_t handler,
                                                const struct gravelp_transaction *record)
{
    const struct gravel_claim *claim =
        gravel_claims_holder(&transactions->claims, record->key[record->lesser]);
    struct transaction *holder = claim ? claim->owner : NULL;
    const bool is_it = holder && holder->is_granted && holder->handler == handler &&
                       claim == &holder->claims[0] &&
                       !memcmp(holder->record.key, record->key, sizeof record->key);
    return is_it ? holder : NULL;
}

void gravel_transactions_return(struct gravel_transactions *transactions,
                                struct transaction *transaction,
                                const struct gravelp_transaction *record)
{
    transaction->is_granted = false;
    memcpy(transaction->datum, record + 1,
           gravel_transactions_record_bytes(transactions, transaction->handler) - sizeof *record);
    push(&transactions->ready[GRAVELP_STEP_STORE], transaction);
    transactions->has_moved = true;
}
