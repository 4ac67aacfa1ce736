/* SPDX-License-Identifier: MIT */
/*
 * The line of runs of messages with keys. See transactions_parts.h.
 *
 * A run is copied into it, and stands there until its last message has been run: by a transaction, which takes it
 * from the head; by servers (mail_line.c); or as a whole, when it is the first and no transaction is under way.
 */
#include "base/error.h"
#include "serve/transactions_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void gravel_line_leave(struct gravel_transactions *transactions, struct waiting_run *run)
{
    struct waiting_run **place = run->previous ? &run->previous->next : &transactions->oldest;
    *place = run->next;
    if (run->next)
        run->next->previous = run->previous;
    else
        transactions->newest = run->previous;
    transactions->waiting_bytes -= run->bytes;
    free(run);
}

/* @return NULL: it would be more than a process may have, or there is no memory: an error says which handler asks. */
static void *make_room(struct gravel_transactions *transactions, uint32_t handler, uint64_t bytes)
{
    const uint64_t most = transactions->shape->config->waiting_bytes;
    const bool has_room = bytes <= most - transactions->waiting_bytes;
    void *room = has_room ? malloc(bytes) : NULL;
    if (room)
        transactions->waiting_bytes += bytes;
    else
        gravel_fail(
            GRAVEL_ENOMEM,
            "handler %s: %" PRIu64 " bytes more than %" PRIu64 " of messages with keys that "
            "wait, of which GRAVEL_SERVER_WAITING allows %" PRIu64,
            transactions->shape->handlers[handler].name, bytes, transactions->waiting_bytes, most);
    return room;
}

int gravel_line_take(void *context, const struct gravel_frame *frame, const struct gravel_run *run,
                     uint32_t heap)
{
    struct gravel_transactions *transactions = context;
    const uint32_t handler = GRAVELP_COMMAND_HANDLER(run->command);
    const bool is_transaction = gravel_device_steps_have(transactions->steps, handler);
    if (transactions->runs_one ||
        (!is_transaction && !transactions->oldest && !transactions->n_under_way &&
         !gravel_line_takes_mail(transactions)))
        return 0;
    const uint64_t bytes = GRAVEL_RUN_BYTES(run->command, run->n_messages);
    struct waiting_run *waiting = make_room(transactions, handler, sizeof *waiting + bytes);
    if (!waiting)
        return GRAVEL_ENOMEM;
    *waiting = (struct waiting_run){.previous = transactions->newest,
                                    .serial = transactions->n_come++,
                                    .heap = heap,
                                    .handler = handler,
                                    .bytes = sizeof *waiting + bytes,
                                    .n = run->n_messages,
                                    .n_open = run->n_messages,
                                    .is_transaction = is_transaction,
                                    .frame = *frame};
    memcpy(waiting->run, run, bytes);
    *(transactions->newest ? &transactions->newest->next : &transactions->oldest) = waiting;
    transactions->newest = waiting;
    if (!transactions->head)
        transactions->head = waiting;
    if (waiting == transactions->oldest)
        transactions->has_moved = true;
    return 1;
}

void gravel_line_answer(const struct gravel_transactions *transactions,
                        const struct waiting_run *run, uint32_t n)
{
    struct gravel_signal_run first; /* of the run's messages, as a run of their own */
    memcpy(&first, run->run, sizeof first.run);
    const uint32_t command = first.run.command;
    if (!GRAVELP_IS_REQUEST(command))
        return;
    memcpy(&first, run->run, sizeof first);
    first.run.n_messages = n;
    transactions->courier.answer(
        transactions->courier.context, &first, run->frame.source,
        (const void *)(run->run + GRAVEL_RUN_INDICES(command)),
        run->run + GRAVEL_RUN_VALUES(command, (uint64_t)run->n, GRAVELP_ANSWER_ROW(command)));
}

int gravel_line_run(struct gravel_transactions *transactions, struct waiting_run *run)
{
    transactions->head = run->next;
    transactions->runs_one = true;
    int code = transactions->steps
                   ? gravel_device_steps_call(transactions->steps, &run->frame, run->heap)
                   : gravel_device_calls_run(transactions->calls, &run->frame, (void *)run->run,
                                             run->heap);
    transactions->runs_one = false;
    if (!code)
        gravel_line_answer(transactions, run, run->n);
    gravel_line_leave(transactions, run);
    return code;
}

/* ---- waits for the line ---------------------------------------------------------------------- */

bool gravel_transactions_are_open(const struct gravel_transactions *transactions)
{
    return transactions && transactions->oldest;
}

uint64_t gravel_transactions_mark(const struct gravel_transactions *transactions)
{
    return transactions ? transactions->n_come : 0;
}

bool gravel_transactions_have_passed(const struct gravel_transactions *transactions, uint64_t mark)
{
    return !transactions || !transactions->oldest || transactions->oldest->serial >= mark;
}

bool gravel_transactions_have_moved(const struct gravel_transactions *transactions,
                                    uint64_t since_ns)
{
    return transactions->moved_ns >= since_ns;
}
