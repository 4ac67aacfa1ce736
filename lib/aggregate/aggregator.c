/* SPDX-License-Identifier: MIT */
/*
 * The aggregator's loop. See aggregator.h.
 *
 * Memory:  A1 acquires what the asking thread did before it asked; A2 releases the shipped buffers to it.
 *          F2 acquires a kernel's fault report (F1).
 */
#include "aggregate/aggregator.h"

#include "base/endpoints.h"
#include "base/clock.h"
#include "base/counter.h"
#include "base/error.h"
#include "base/thread.h"
#include "base/trace.h"
#include "base/await.h"
#include "transport/names.h"

#include <stdarg.h>
#include <stdio.h>

#define BATCH 32u /* packages between two polls of the clock */

/* Reports an error. @param is_fatal  it ends the node. */
__attribute__((format(printf, 4, 5))) static void
report(struct gravel_aggregator *aggregator, int code, bool is_fatal, const char *format, ...)
{
    char text[GRAVEL_ERROR_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    aggregator->report(aggregator->report_context, code, is_fatal, text);
}

/* Returns whether device functions write such a header: any other would send us out of the slot. */
static bool is_sane(const struct gravel_aggregator *aggregator,
                    const struct gravelp_package *package)
{
    const uint32_t op = GRAVELP_COMMAND_OP(package->command),
                   most_args = op == GRAVEL_ASK ? GRAVEL_ASK_MAX_ARGS : GRAVEL_AM_MAX_ARGS;
    const bool is_sane_kind =
        op == GRAVEL_APPEND
            ? GRAVELP_IS_SANE_RECORD(package->command) && package->base == 0 &&
                  package->stride == package->n_messages && package->signal == GRAVEL_NO_SIGNAL
            : op >= GRAVEL_PUT && (op <= GRAVEL_PUT_SIGNAL || GRAVELP_IS_REQUEST(op)) &&
                  GRAVELP_COMMAND_TYPE(package->command) <= GRAVEL_DOUBLE &&
                  GRAVELP_COMMAND_N_ARGS(package->command) <= most_args &&
                  package->n_messages <= package->stride && package->stride % 16 == 0;
    return is_sane_kind && package->n_messages > 0 &&
           package->stride <= GRAVELP_SLOT_COLUMNS(aggregator->queue.slot_bytes, package->command);
}

static void refuse_package(struct gravel_aggregator *aggregator,
                           const struct gravelp_package *package)
{
    gravel_counter_add(&aggregator->n_refused, 1);
    report(aggregator, GRAVEL_ECORRUPT, false,
           "queue %u, ticket %u: malformed package (command 0x%x, %u messages, stride %u)",
           aggregator->number, aggregator->queue.head, package->command, package->n_messages,
           package->stride);
}

/* Refuses messages of a package: says why, and in checked mode who made the call, of which none is sent. */
static void refuse_messages(struct gravel_aggregator *aggregator,
                            const struct gravelp_package *header, uint32_t n, const char *why)
{
    char group[224];
    gravel_counter_add(&aggregator->n_refused, n);
    if (header->command & GRAVELP_COMMAND_CHECKED) {
        gravel_check_write_group(&aggregator->check, &header->arrival, group, sizeof group);
        report(aggregator, GRAVEL_ERANGE, false, "%s, line %u: %s; none of it was sent", group,
               GRAVELP_ARRIVAL_LINE(header->arrival.site), why);
    } else {
        report(aggregator, GRAVEL_ERANGE, false,
               "queue %u, ticket %u: %s; the package was dropped; %s", aggregator->number,
               aggregator->queue.head, why, GRAVEL_CHECK_NAMES);
    }
}

/* Finds the rows of a package. The header is a copy: the slot is a kernel's memory. */
static void find_columns(const unsigned char *slot, const struct gravelp_package *header,
                         struct gravel_columns *columns)
{
    uint32_t command = header->command, stride = header->stride;
    columns->key = (struct gravel_run_key){.command = command, .base = header->base};
    if (GRAVELP_HAS_SIGNAL(command)) {
        columns->key.result = header->result;
        columns->key.signal = header->signal;
    }
    if (GRAVELP_TEXT_BYTES(command))
        columns->key.text = slot + GRAVELP_TEXT_ROW(command, stride);
    columns->n = header->n_messages;
    columns->nodes = (const uint32_t *)(slot + GRAVELP_NODE_ROW);
    columns->index = slot + GRAVELP_INDEX_ROW(stride);
    for (uint32_t row = 0; row < GRAVELP_N_VALUES(command); row++)
        columns->values[row] = slot + GRAVELP_VALUE_ROW(command, stride, row);
}

/* Sends a package's messages. @param header  a copy. */
static void send_columns(struct gravel_aggregator *aggregator, const struct gravelp_package *header,
                         const struct gravel_columns *package, uint64_t now_ns)
{
    char why[512];
    uint32_t node;
    struct gravel_columns sent = *package, *columns = &sent;
    if (GRAVELP_COMMAND_OP(package->key.command) == GRAVEL_AM)
        sent.key.command &= ~GRAVELP_COMMAND_FAR; /* for its node alone */
    const bool is_record = GRAVELP_IS_RECORD(package->key.command);
    if (aggregator->guards && !is_record)
        gravel_guards_touch_columns(aggregator->guards, package, &aggregator->check,
                                    header->command & GRAVELP_COMMAND_CHECKED ? &header->arrival
                                                                              : NULL);
    gravel_counter_add(&aggregator->n_packages, 1);
    gravel_counter_add(&aggregator->n_messages, columns->n);
    const bool is_for_writer =
        is_record || gravel_handler_is_asked_to_block(aggregator->endpoints, package->key.command);
    int code = gravel_sender_append(is_for_writer ? aggregator->records : aggregator->sender,
                                    columns, now_ns, &node);
    if (code == GRAVEL_ERANGE) {
        gravel_refuse_describe(aggregator->heap, header, package, node,
                               aggregator->sender->shape.n_nodes, why, sizeof why);
        refuse_messages(aggregator, header, package->n, why);
    } else if (code == GRAVEL_ENOMEM) {
        report(aggregator, code, true, "no memory for a node buffer");
    }
}

/* Checked mode: takes one work-item's part of a call, with a message or without, and sends the call when all have made
 * it. The node that an element is of would refuse it without the names of kernel and line. */
static void take_arrival(struct gravel_aggregator *aggregator, const struct gravelp_package *slot,
                         const struct gravelp_package *header, uint64_t now_ns)
{
    char text[512];
    int code;
    struct gravel_columns arrived;
    struct gravelp_package part = *header;
    part.command &= ~GRAVELP_COMMAND_CHECKED;
    part.n_messages = 1;
    part.stride = GRAVELP_STRIDE(part.command, 1u);
    if (header->n_messages > 1 || GRAVELP_ARRIVAL_MEMBERS(part.arrival.site) == 0 ||
        !is_sane(aggregator, &part)) {
        refuse_package(aggregator, header);
        return;
    }
    find_columns((const unsigned char *)slot, &part, &arrived);
    arrived.n = header->n_messages;
    const struct gravel_columns *call =
        gravel_check_take(&aggregator->check, &part, &arrived, &code, text, sizeof text);
    if (code)
        report(aggregator, code, code == GRAVEL_ENOMEM, "%s", text);
    else if (call && gravel_refuse_outside(aggregator->heap, call, text, sizeof text))
        refuse_messages(aggregator, header, call->n, text);
    else if (call && call->n)
        send_columns(aggregator, header, call, now_ns);
}

static void take_package(struct gravel_aggregator *aggregator, const struct gravelp_package *slot,
                         uint64_t now_ns)
{
    const struct gravelp_package header = *slot;
    struct gravel_columns columns;
    if (header.command & GRAVELP_COMMAND_CHECKED) {
        take_arrival(aggregator, slot, &header, now_ns);
    } else if (is_sane(aggregator, &header)) {
        find_columns((const unsigned char *)slot, &header, &columns);
        send_columns(aggregator, &header, &columns, now_ns);
    } else {
        refuse_package(aggregator, &header);
    }
}

/* Counts packages that the device has binned or applied. */
static void count_ours(struct gravel_aggregator *aggregator, _Atomic uint64_t *by_kind,
                       uint32_t n_packages, uint32_t n_messages)
{
    gravel_counter_add(&aggregator->n_packages, n_packages);
    gravel_counter_add(&aggregator->n_messages, n_messages);
    gravel_counter_add(by_kind, n_messages);
}

static uint32_t take_packages(struct gravel_aggregator *aggregator, uint64_t now_ns)
{
    const struct gravelp_package *package;
    uint32_t n = 0;
    while (n < BATCH && (package = gravel_package_peek(&aggregator->queue))) {
        uint32_t n_tickets = 1;
        if (aggregator->blocks && package->command == GRAVEL_BINNED) {
            struct gravel_block *block = &aggregator->blocks[package->n_messages];
            n_tickets = block->run.n_packages;
            count_ours(aggregator, &aggregator->n_binned, n_tickets, block->run.n_messages);
            gravel_sender_ship_block(aggregator->sender, block);
        } else if (aggregator->queue.arrived && package->command == GRAVEL_APPLIED) {
            n_tickets = package->stride;
            count_ours(aggregator, &aggregator->n_in_place, n_tickets, package->n_messages);
        } else {
            take_package(aggregator, package, now_ns);
        }
        gravel_package_release(&aggregator->queue, n_tickets);
        n++;
    }
    return n;
}

static bool kernels_are_over(const struct gravel_aggregator *aggregator)
{
    const struct gravel_check *check = &aggregator->check;
    return check->are_over && check->are_over(check->context);
}

static void wait_for(struct gravel_aggregator *aggregator, enum gravel_awaited awaited)
{
    aggregator->awaited = awaited;
    aggregator->waited = gravel_lived_for(aggregator->timeout_ns);
}

static bool is_flushing(const struct gravel_aggregator *aggregator)
{
    return aggregator->awaited >= GRAVEL_AWAITS_FLUSH;
}

/* Limits a flush's wait for a ticket that was taken and never published. Where the pump brings packages,
 * what it has not polled for no work-group has kept: the clock does not advance while the pump gets no turn. */
static void check_stuck_ticket(struct gravel_aggregator *aggregator, uint64_t now_ns)
{
    const uint32_t *polls = aggregator->queue.polls;
    const uint32_t n = polls ? gravel_word_load(polls, memory_order_relaxed) : 0; /* U6 */
    if (!polls || n != aggregator->polls)
        gravel_lived_tick(&aggregator->waited, now_ns);
    aggregator->polls = n;
    const uint64_t lived_ns = aggregator->waited.lived_ns;
    if (lived_ns < aggregator->timeout_ns || gravel_failure_is_fatal(aggregator->failure))
        return;
    report(aggregator, GRAVEL_EKERNEL, true,
           "queue %u, ticket %u (slot %u): reserved by a work-group but not published for %.1f s",
           aggregator->number, aggregator->queue.head,
           aggregator->queue.head & (aggregator->queue.n_slots - 1), gravel_seconds(lived_ns));
}

/* Watches also without a flush: a kernel that waits for room behind a stuck ticket never ends. */
static void watch_full_queue(struct gravel_aggregator *aggregator, uint64_t now_ns)
{
    const uint32_t waiting = gravel_package_reserved(&aggregator->queue) - aggregator->queue.head;
    const bool is_full = waiting > aggregator->queue.n_slots;
    if (is_flushing(aggregator))
        return; /* a flush has the same limit */
    if (is_full && aggregator->awaited == GRAVEL_AWAITS_ROOM)
        check_stuck_ticket(aggregator, now_ns);
    else
        wait_for(aggregator, is_full ? GRAVEL_AWAITS_ROOM : GRAVEL_AWAITS_NOTHING);
}

static void check_fault(struct gravel_aggregator *aggregator)
{
    char text[GRAVEL_ERROR_BYTES];
    uint32_t fault = gravel_word_load(&aggregator->arena->fault, memory_order_acquire); /* F2 */
    if (fault == GRAVELP_FAULT_NONE || gravel_failure_is_fatal(aggregator->failure))
        return;
    gravel_fault_describe(aggregator->arena, fault, text, sizeof text);
    report(aggregator, GRAVEL_EKERNEL, true, "%s", text);
}

/* Checks, in checked mode, that when all kernels have ended calls are whole, and a group has ended each session that it
 * has begun. Until then a kernel runs that another thread has launched. */
static void end_checks(struct gravel_aggregator *aggregator)
{
    char text[512];
    if (aggregator->awaited != GRAVEL_AWAITS_LAST_FLUSH || !kernels_are_over(aggregator))
        return;
    if (gravel_check_end(&aggregator->check, text, sizeof text))
        report(aggregator, GRAVEL_EKERNEL, false, "%s", text);
    const uint32_t now = gravel_package_sessions(&aggregator->queue);
    const int32_t n = (int32_t)(now - aggregator->n_sessions);
    aggregator->n_sessions = now;
    if (n)
        report(aggregator, GRAVEL_EKERNEL, false,
               "queue %u: work-groups have %s: gravel_session_begin_wg and _end_wg come in pairs "
               "(%u do not)",
               aggregator->number,
               n > 0 ? "begun more sessions than they have ended"
                     : "ended more sessions than they have begun",
               n > 0 ? (uint32_t)n : 0u - (uint32_t)n);
}

static void serve_flush(struct gravel_aggregator *aggregator, uint64_t now_ns)
{
    const uint32_t wanted =
        atomic_load_explicit(&aggregator->flush_wanted, memory_order_acquire); /* A1 */
    if (!is_flushing(aggregator) && wanted == aggregator->flush_serving)
        return;
    if (!is_flushing(aggregator)) {
        aggregator->flush_serving = wanted;
        aggregator->flush_begin_ns = now_ns;
        wait_for(aggregator,
                 kernels_are_over(aggregator) ? GRAVEL_AWAITS_LAST_FLUSH : GRAVEL_AWAITS_FLUSH);
        aggregator->flush_ticket = gravel_package_reserved(&aggregator->queue);
    }
    check_fault(aggregator); /* the flush must return it */
    if ((int32_t)(aggregator->queue.head - aggregator->flush_ticket) < 0) {
        check_stuck_ticket(aggregator, now_ns);
        return;
    }
    end_checks(aggregator);
    gravel_sender_end_sessions(aggregator->sender);
    gravel_sender_flush(aggregator->sender);
    gravel_sender_flush(aggregator->records);
    gravel_trace_span(aggregator->trace, "flush", aggregator->flush_begin_ns, gravel_clock_ns());
    wait_for(aggregator, GRAVEL_AWAITS_NOTHING);
    atomic_store_explicit(&aggregator->flush_done, aggregator->flush_serving,
                          memory_order_release); /* A2 */
    gravel_event_signal(&aggregator->flushed);
}

static void run(struct gravel_aggregator *aggregator)
{
    while (!gravel_thread_is_stopping(&aggregator->thread)) {
        uint64_t now_ns = gravel_clock_ns();
        uint32_t n = take_packages(aggregator, now_ns);
        if (n)
            wait_for(aggregator,
                     is_flushing(aggregator) ? aggregator->awaited : GRAVEL_AWAITS_NOTHING);
        uint64_t due_ns = gravel_sender_flush_aged(aggregator->sender, now_ns);
        uint64_t records_due_ns = gravel_sender_flush_aged(aggregator->records, now_ns);
        due_ns = records_due_ns < due_ns ? records_due_ns : due_ns;
        serve_flush(aggregator, now_ns);
        check_fault(aggregator);
        gravel_package_beat(&aggregator->queue, now_ns);
        if (n) {
            gravel_idle_reset(&aggregator->idle);
            continue;
        }
        gravel_sender_flush_urgent(aggregator->sender);
        gravel_sender_flush_urgent(aggregator->records);
        watch_full_queue(aggregator, now_ns);
        gravel_idle_wait(&aggregator->idle, &aggregator->event, due_ns);
    }
    gravel_idle_reset(&aggregator->idle);
}

static void *thread_main(void *argument)
{
    struct gravel_aggregator *aggregator = argument;
    char name[16];
    snprintf(name, sizeof name, "gravel-agg-%u", aggregator->number);
    gravel_thread_begin(name);
    run(aggregator);
    return NULL;
}

int gravel_aggregator_start(struct gravel_aggregator *aggregator)
{
    char what[32];
    snprintf(what, sizeof what, "aggregator thread %u", aggregator->number);
    aggregator->started_ns = gravel_clock_ns();
    return gravel_thread_start(&aggregator->thread, what, thread_main, aggregator);
}

void gravel_aggregator_stop(struct gravel_aggregator *aggregator)
{
    if (gravel_thread_stop(&aggregator->thread, &aggregator->event))
        gravel_thread_end(&aggregator->thread, true);
}

uint32_t gravel_aggregator_flush(struct gravel_aggregator *aggregator)
{
    uint32_t flush =
        atomic_fetch_add_explicit(&aggregator->flush_wanted, 1, memory_order_release) + 1; /* A1 */
    gravel_event_signal(&aggregator->event);
    return flush;
}

bool gravel_aggregator_flush_wait(struct gravel_aggregator *aggregator, uint32_t flush)
{
    struct gravel_wait wait = {.event = &aggregator->flushed}; /* the failure ends it */
    bool is_done;
    while (!(is_done = (int32_t)(atomic_load_explicit(&aggregator->flush_done,
                                                      memory_order_acquire) - /* A2 */
                                 flush) >= 0) &&
           !gravel_failure_is_fatal(aggregator->failure))
        gravel_wait_pause(&wait);
    gravel_wait_end(&wait);
    return is_done;
}
