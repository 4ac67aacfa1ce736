/* SPDX-License-Identifier: MIT */
/*
 * A round of the pump: reads the device, and brings packages from its memory to the mirror. See pump.h.
 *
 * A poll reads the words that change (fault, tickets), and the headers of the next slots of every queue. A run of slots
  * that it found published is copied row by row as far as the widest of its packages reaches, or binned (blocks.c); it
 * has arrived when its copy has ended.
 *
 * A device copies one thing after the other, so a poll that comes behind a copy has its answer when nothing is left to
 * copy, and the device idles until the host has read it. So the last packages of a long run are held back, and copied
 * behind the next poll, on one queue with it.
 *
 * A round of an application is over sooner than a copy is enqueued: a few packages come with the poll that finds them.
 * A caller that drains, and found no package when it last did, reads the words alone first.
 *
 * Memory:  U1, U3, C2, F1, H1, P2: see docs/design/memory-order.md. All of it under the pump's lock.
 */
#include "base/clock.h"
#include "base/error.h"
#include "opencl/objects.h"
#include "opencl/wait.h"
#include "pump/parts.h"

#include <stddef.h>
#include <string.h>

#define LONG_RUN 256u /* packages: a shorter run is copied in about the time of a poll */
#define OWED_SHARE 4u /* of a queue's slots, so much may be owed to the device: 1 / OWED_SHARE */
#define HELD_SHARE 4u /* of a long run, so much is held back: 1 / HELD_SHARE */

static const char what_is_copied[] = "copying packages from the device";

/* ---- copies ---------------------------------------------------------------------------------- */

/* Adjacent slots to be copied. */
struct slots {
    uint32_t queue, ticket; /* of the first */
    uint32_t n;
    uint32_t width; /* [bytes] of each */
};

/* Returns a slot's offset in the arena [bytes]. */
static uint64_t slot_offset(const struct gravel_pump *pump, uint32_t queue, uint32_t ticket)
{
    const uint32_t slot = ticket & (pump->n_slots - 1);
    return pump->arena->slots_offset + ((uint64_t)queue * pump->n_slots + slot) * pump->slot_bytes;
}

/* Enqueues the copy of what n slots begin with. @param to  rows of `pitch` bytes. @param last  [in, out] the newest of
 * several commands; the queue is in order. */
static cl_int copy_rows(struct gravel_pump *pump, cl_command_queue on, const struct slots *slots,
                        void *to, size_t pitch, cl_event *last)
{
    const uint64_t at = slot_offset(pump, slots->queue, slots->ticket);
    const size_t from[3] = {at, 0, 0}, origin[3] = {0, 0, 0},
                 region[3] = {slots->width, slots->n, 1};
    cl_event copied = NULL;
    cl_int error = CL_SUCCESS;
    if (slots->n && slots->width == pump->slot_bytes)
        error = clEnqueueReadBuffer(on, pump->device, CL_FALSE, at, (size_t)slots->n * slots->width,
                                    to, 0, NULL, &copied);
    else if (slots->n)
        error = clEnqueueReadBufferRect(on, pump->device, CL_FALSE, from, origin, region,
                                        pump->slot_bytes, 0, pitch, 0, to, 0, NULL, &copied);
    gravel_pump_keep_last(last, copied);
    return error;
}

/* Enqueues the copy of slots to the mirror. */
static cl_int copy_slots(struct gravel_pump *pump, cl_command_queue on, const struct slots *slots,
                         cl_event *last)
{
    unsigned char *host =
        (unsigned char *)pump->arena + slot_offset(pump, slots->queue, slots->ticket);
    return copy_rows(pump, on, slots, host, pump->slot_bytes, last);
}

/* Begins a flight: enqueues the copy of the next n packages, `width` bytes of each. */
static cl_int copy_next(struct gravel_pump *pump, uint32_t queue, uint32_t n, uint32_t width)
{
    struct mirror *mirror = &pump->mirrors[queue];
    struct flight *flight = gravel_pump_next_flight(mirror);
    const struct slots slots = {queue, mirror->taken, n, width};
    flight->copied = NULL;
    cl_int error = copy_slots(pump, pump->moves, &slots, &flight->copied);
    if (error != CL_SUCCESS)
        return error;
    flight->stage = FLIGHT_COPIED;
    flight->width = width;
    flight->run.n_packages = 0;
    gravel_pump_begin_flight(mirror, n);
    return CL_SUCCESS;
}

/* ---- a poll ---------------------------------------------------------------------------------- */

/* Returns the first ticket of which nothing is known. */
static uint32_t next_ticket(const struct mirror *mirror)
{
    return mirror->taken + mirror->n_held;
}

/* Returns the slots from the next ticket on that may be read or moved at once: up to the ring's end, and where
 * the mirror has room. */
static uint32_t reach(const struct gravel_pump *pump, const struct mirror *mirror)
{
    uint32_t slot = next_ticket(mirror) & (pump->n_slots - 1);
    uint32_t consumed =
        gravel_word_load(&mirror->words->consumed, memory_order_acquire); /* U3, pairs with C2 */
    uint32_t room = pump->n_slots - (next_ticket(mirror) - consumed);
    uint32_t n = pump->n_slots - slot < room ? pump->n_slots - slot : room;
    return n < mirror->wanted ? n : mirror->wanted;
}

/*
 * Reads the headers of a queue's next n slots. A queue that had few packages has few again: the first slots come with
 * their headers. The command behind the one that reads the publish words sees the packages as one would that the host
 * enqueues later (P2).
 */
static cl_int read_queue(struct gravel_pump *pump, cl_command_queue on, uint32_t queue, uint32_t n,
                         cl_event *last)
{
    struct mirror *mirror = &pump->mirrors[queue];
    const bool are_few = mirror->n_ready <= GRAVEL_PUMP_FEW && pump->bin_messages != 1 &&
                         !mirror->n_flights && !mirror->n_held;
    struct slots slots = {queue, next_ticket(mirror), n, sizeof *mirror->headers};
    cl_int error = copy_rows(pump, on, &slots, mirror->headers, sizeof *mirror->headers, last);
    slots.n = !are_few ? 0 : n < GRAVEL_PUMP_FEW ? n : GRAVEL_PUMP_FEW;
    slots.width = pump->slot_bytes;
    if (error == CL_SUCCESS)
        error = copy_slots(pump, on, &slots, last);
    mirror->n_with_poll = error == CL_SUCCESS ? slots.n : 0;
    return error;
}

/*
 * Hands a fault on, once in a node's life. The poll may have copied what is next to `fault` before `fault` itself: a
 * copy behind the poll has all of it (F1).
 */
static int copy_fault(struct gravel_pump *pump, cl_command_queue on)
{
    const struct gravelp_arena *seen = (const struct gravelp_arena *)pump->seen;
    const size_t from = offsetof(struct gravelp_arena, fault_queue);
    cl_event last = NULL;
    if (seen->fault == GRAVELP_FAULT_NONE || pump->arena->fault != GRAVELP_FAULT_NONE)
        return 0;
    cl_int error = clEnqueueReadBuffer(on, pump->device, CL_FALSE, 0, sizeof *seen, pump->seen, 0,
                                       NULL, &last);
    GRAVEL_TRY(gravel_wait_command(pump->shape.memory->device, on, error, last,
                                   "reading a fault of the device"));
    memcpy((unsigned char *)pump->arena + from, pump->seen + from, sizeof *seen - from);
    gravel_word_store(&pump->arena->fault, seen->fault,
                      memory_order_release); /* F1, pairs with F2 */
    return 0;
}

/* Reads the words that change. */
static cl_int read_state(struct gravel_pump *pump, cl_command_queue on, cl_event *last)
{
    return clEnqueueReadBuffer(on, pump->device, CL_FALSE, 0, pump->state_bytes, pump->seen, 0,
                               NULL, last);
}

/* Waits for what was enqueued, and hands on what it brought. */
static int end_poll(struct gravel_pump *pump, cl_command_queue on, cl_int error, cl_event last)
{
    GRAVEL_TRY(gravel_wait_command(pump->shape.memory->device, on, error, last,
                                   "reading the queues of the device"));
    const struct gravelp_queue_words *words =
        (const struct gravelp_queue_words *)(pump->seen + sizeof(struct gravelp_arena));
    for (uint32_t q = 0; q < pump->n_queues; q++) { /* the mirror's readers see them there */
        struct gravelp_queue_words *to = pump->mirrors[q].words;
        gravel_word_store(&to->reserved, words[q].reserved, memory_order_relaxed);
        gravel_word_store(&to->waits, words[q].waits, memory_order_relaxed);
        gravel_word_store(&to->sessions, words[q].sessions, memory_order_relaxed); /* A8 */
    }
    return copy_fault(pump, on);
}

int gravel_pump_see_words(struct gravel_pump *pump, cl_command_queue on)
{
    cl_event last = NULL;
    cl_int error = read_state(pump, on, &last);
    return end_poll(pump, on, error, last);
}

bool gravel_pump_is_behind(const struct gravel_pump *pump)
{
    for (uint32_t q = 0; q < pump->n_queues; q++)
        if (pump->mirrors[q].arrived != pump->mirrors[q].words->reserved)
            return true;
    return false;
}

/* Reads what changes on the device, and enqueues the copies of what is held back. @param may_be_brief  no headers if no
 * package has been reserved. @param n  [out] [n_queues] headers read of each queue. @return 0; GRAVEL_ECL; or given
 * up. */
static int see(struct gravel_pump *pump, bool may_be_brief, uint32_t *n)
{
    bool has_held = false;
    for (uint32_t q = 0; q < pump->n_queues; q++) {
        has_held |= pump->mirrors[q].n_held != 0;
        n[q] = 0;
    }
    if (may_be_brief && !has_held && !gravel_pump_is_behind(pump)) {
        GRAVEL_TRY(gravel_pump_see_words(pump, pump->polls));
        if (!gravel_pump_is_behind(pump))
            return 0;
    }
    cl_command_queue on = has_held ? pump->moves : pump->polls;
    cl_event last = NULL;
    cl_int error = read_state(pump, on, &last);
    for (uint32_t q = 0; q < pump->n_queues && error == CL_SUCCESS; q++) {
        const struct mirror *mirror = &pump->mirrors[q];
        if (mirror->n_flights + (mirror->n_held != 0) < GRAVEL_PUMP_FLIGHTS)
            n[q] = reach(pump, mirror);
        error = read_queue(pump, on, q, n[q], &last);
    }
    for (uint32_t q = 0; q < pump->n_queues && error == CL_SUCCESS; q++) { /* behind the poll */
        const uint32_t n_held = pump->mirrors[q].n_held;
        pump->mirrors[q].n_held = 0;
        if (n_held)
            error = copy_next(pump, q, n_held, pump->mirrors[q].held_width);
    }
    return end_poll(pump, on, error, last);
}

/* ---- flights --------------------------------------------------------------------------------- */

/* Returns the bytes of a slot in use; the whole slot if the header is not one we know, for the aggregator to
 * refuse. */
static uint32_t package_bytes(const struct gravel_pump *pump, const struct gravelp_package *header)
{
    const uint32_t command = header->command & ~GRAVELP_COMMAND_CHECKED;
    if (GRAVELP_COMMAND_TYPE(command) > GRAVEL_DOUBLE)
        return pump->slot_bytes;
    uint64_t bytes = GRAVELP_PACKAGE_BYTES(command, (uint64_t)header->stride);
    return bytes <= pump->slot_bytes ? (uint32_t)bytes : pump->slot_bytes;
}

/* Copy n whole slots now. @return 0; GRAVEL_ECL; or given up. */
static int copy_at_once(struct gravel_pump *pump, uint32_t queue, uint32_t ticket, uint32_t n)
{
    cl_event copied = NULL;
    const struct slots slots = {queue, ticket, n, pump->slot_bytes};
    cl_int error = copy_slots(pump, pump->moves, &slots, &copied);
    return gravel_wait_command(pump->shape.memory->device, pump->moves, error, copied,
                               what_is_copied);
}

/* Starts copying n packages. @param may_hold  whether some of them may be left to the next poll. */
static int begin_copy(struct gravel_pump *pump, uint32_t queue,
                      const struct gravelp_package *headers, uint32_t n, bool may_hold)
{
    struct mirror *mirror = &pump->mirrors[queue];
    const bool holds = may_hold && n >= LONG_RUN && mirror->n_flights + 1 < GRAVEL_PUMP_FLIGHTS;
    uint32_t width = 0, n_held = holds ? n / HELD_SHARE : 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bytes = package_bytes(pump, &headers[i]);
        width = bytes > width ? bytes : width;
    }
    int code = gravel_check_cl(what_is_copied, copy_next(pump, queue, n - n_held, width));
    mirror->n_held = code ? 0 : n_held;
    mirror->held_width = width;
    return code;
}

/* Refuses commands that only the pump writes: of blocks, and of what is applied in place. */
static void refuse_ours(struct gravelp_package *package)
{
    if (package->command == GRAVEL_BINNED || package->command == GRAVEL_APPLIED)
        package->command = 0; /* malformed too, and harmless */
}

/* Hand over the packages that came with the poll. @return how many of the ready ones [count]. */
static uint32_t take_brought(struct gravel_pump *pump, uint32_t queue, uint32_t n_ready)
{
    struct mirror *mirror = &pump->mirrors[queue];
    uint32_t n = mirror->n_with_poll < n_ready ? mirror->n_with_poll : n_ready;
    mirror->n_with_poll = 0;
    if (n == 0)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        refuse_ours(gravel_pump_slot(pump, mirror, mirror->taken + i));
    mirror->taken += n;
    gravel_word_store(&mirror->arrived, mirror->taken,
                      memory_order_release); /* U1, pairs with U2 */
    pump->shape.wake(pump->shape.context, queue);
    return n;
}

/* Start moving the published ones of the n slots read. @param may_hold  see begin_copy. @param moved  [out]
 * packages [count]. */
static int begin_flights(struct gravel_pump *pump, uint32_t queue, uint32_t n, bool may_hold,
                         uint32_t *moved)
{
    struct mirror *mirror = &pump->mirrors[queue];
    const struct gravelp_package *headers = mirror->headers;
    uint32_t ready = 0, n_begun = 1;
    while (ready < n && headers[ready].published == mirror->taken + ready + 1)
        ready++;
    uint32_t at = take_brought(pump, queue, ready);
    bool has_begun = at < ready;
    uint32_t wanted = 2 * ready < GRAVEL_PUMP_POLL_MIN ? GRAVEL_PUMP_POLL_MIN : 2 * ready;
    struct gravel_package_run run;
    int code = 0;
    uint32_t most = gravel_pump_poll_ahead(pump, headers, ready);
    uint32_t reserved = mirror->words->reserved - (mirror->taken + ready); /* as of this poll */
    wanted = (int32_t)reserved > (int32_t)wanted ? reserved : wanted;
    mirror->wanted = wanted < most ? wanted : most;
    for (; !code && n_begun && at < ready && mirror->n_flights < GRAVEL_PUMP_FLIGHTS;
         at += n_begun) {
        n_begun = gravel_pump_n_to_copy(pump, headers + at, ready - at, &run);
        code = n_begun ? begin_copy(pump, queue, headers + at, n_begun,
                                    may_hold && at + n_begun == ready)
                       : gravel_pump_bin(pump, queue, &run, &n_begun);
    }
    *moved = at;
    if (ready)
        mirror->n_ready = ready;
    return has_begun ? gravel_pump_flush(pump, code) : code;
}

/* Checks that a flight brought just what the kernels wrote: a header read together with its publish word may be
 * older than it, and then the copy made of it too short. */
static int check_copies(struct gravel_pump *pump, uint32_t queue, const struct flight *flight)
{
    struct mirror *mirror = &pump->mirrors[queue];
    for (uint32_t t = mirror->arrived; t != flight->end; t++) {
        struct gravelp_package *package = gravel_pump_slot(pump, mirror, t);
        if (package_bytes(pump, package) > flight->width)
            GRAVEL_TRY(copy_at_once(pump, queue, t, 1));
        refuse_ours(package);
    }
    return 0;
}

/* Hands the oldest flight, whose copies have ended, to the aggregator. */
static int land_flight(struct gravel_pump *pump, uint32_t queue, struct flight *flight)
{
    struct mirror *mirror = &pump->mirrors[queue];
    const bool is_block = flight->run.n_packages != 0;
    int code = 0;
    if (is_block && flight->stage != FLIGHT_REFUSED) {
        gravel_pump_land_block(pump, mirror, flight);
    } else {
        if (is_block) { /* the run is not for the device: take the packages themselves */
            code = copy_at_once(pump, queue, flight->run.ticket, flight->run.n_packages);
            flight->width = pump->slot_bytes;
        }
        if (!code)
            code = check_copies(pump, queue, flight);
    }
    GRAVEL_TRY(code);
    clReleaseEvent(flight->copied);
    mirror->first_flight = (mirror->first_flight + 1) % GRAVEL_PUMP_FLIGHTS;
    mirror->n_flights--;
    gravel_word_store(&mirror->arrived, flight->end, memory_order_release); /* U1, pairs with U2 */
    return 0;
}

/* Hands runs whose copies have ended to the aggregator. @param wait  for all of them, unless node buffers lack.
 * @param moved  [in, out] increased by packages handed over, and by blocks whose counts came. */
static int land(struct gravel_pump *pump, uint32_t queue, bool wait, uint32_t *moved)
{
    struct mirror *mirror = &pump->mirrors[queue];
    uint32_t arrived = mirror->arrived;
    while (mirror->n_flights) {
        struct flight *flight = gravel_pump_flight(mirror, 0);
        GRAVEL_TRY(gravel_pump_copy_blocks(pump, mirror, moved));
        if (flight->stage == FLIGHT_BEGUN)
            break;
        if (wait)
            GRAVEL_TRY(
                gravel_wait_event(pump->shape.memory->device, flight->copied, what_is_copied));
        const cl_int status = gravel_cl_event_status(flight->copied);
        if (status < CL_COMPLETE)
            return gravel_fail_cl(what_is_copied, status);
        if (status != CL_COMPLETE)
            break;
        if (flight->stage == FLIGHT_COUNTED)
            continue; /* now its parts can be copied */
        GRAVEL_TRY(land_flight(pump, queue, flight));
    }
    *moved += mirror->arrived - arrived;
    if (mirror->arrived != arrived)
        pump->shape.wake(pump->shape.context, queue);
    return 0;
}

/* Gives slots back to the device, with how long the node has lived, and reports an abort. */
static int update_device(struct gravel_pump *pump)
{
    const uint64_t now_ns = gravel_clock_ns();
    const size_t line = offsetof(struct gravelp_queue_words, consumed);
    const size_t bytes = offsetof(struct gravelp_queue_words, host_padding) - line;
    const bool is_unanswered = gravel_package_is_unanswered(pump->shape.unanswered);
    static const char what[] = "giving slots back to the device";
    cl_int error = CL_SUCCESS;
    if (pump->credits_written) /* else the credits are not ours to change */
        GRAVEL_TRY(gravel_wait_event(pump->shape.memory->device, pump->credits_written, what));
    for (uint32_t q = 0; q < pump->n_queues && error == CL_SUCCESS; q++) {
        struct gravelp_queue_words *credit = &pump->credits[q];
        struct mirror *mirror = &pump->mirrors[q];
        cl_event next = NULL;
        credit->consumed = mirror->arrived; /* C2, pairs with P1: by a copy after the packages' */
        credit->beat = gravel_package_time(&mirror->clock, now_ns); /* H6 */
        if (is_unanswered || gravel_pump_is_held(pump, q))
            credit->renewed++; /* H14 */
        error = clEnqueueWriteBuffer(pump->polls, pump->device, CL_FALSE,
                                     pump->arena->queues_offset + q * sizeof *credit + line, bytes,
                                     &credit->consumed, 0, NULL, &next);
        gravel_pump_keep_last(&pump->credits_written, next);
    }
    if (error == CL_SUCCESS && gravel_failure_is_fatal(pump->shape.failure))
        error = gravel_pump_report_abort(pump);
    return gravel_check_cl(what, gravel_cl_flush(pump->polls, error));
}

cl_int gravel_pump_report_abort(struct gravel_pump *pump)
{
    static const uint32_t one = 1;
    if (pump->has_reported_abort)
        return CL_SUCCESS;
    pump->has_reported_abort = true;
    return clEnqueueWriteBuffer(pump->polls, pump->device, CL_FALSE,
                                offsetof(struct gravelp_arena, abort), sizeof one, &one, 0, NULL,
                                NULL); /* H1 */
}

bool gravel_pump_can_owe(const struct gravel_pump *pump)
{
    for (uint32_t q = 0; q < pump->n_queues; q++)
        if (pump->mirrors[q].arrived - pump->credits[q].consumed > pump->n_slots / OWED_SHARE)
            return false;
    return gravel_pump_has_thread(pump) && !gravel_failure_is_fatal(pump->shape.failure);
}

int gravel_pump_move(struct gravel_pump *pump, bool wait, uint32_t *moved)
{
    uint32_t n[GRAVEL_MAX_AGGREGATORS];
    int code = see(pump, wait && !pump->drains_find, n);
    *moved = 0;
    for (uint32_t q = 0; q < pump->n_queues && !code; q++) {
        uint32_t found = 0;
        gravel_pump_free_rooms(&pump->mirrors[q]);
        code = begin_flights(pump, q, n[q], !wait, &found);
        *moved += found;
        if (!code)
            code = land(pump, q, wait, moved);
    }
    gravel_word_store(&pump->n_polls, pump->n_polls + 1, memory_order_relaxed); /* U6 */
    if (code || (wait && gravel_pump_can_owe(pump)))
        return code;
    return update_device(pump);
}

uint32_t gravel_pump_reserved(const struct gravel_pump *pump)
{
    uint32_t sum = 0;
    for (uint32_t q = 0; q < pump->n_queues; q++)
        sum += gravel_word_load(&pump->mirrors[q].words->reserved, memory_order_relaxed);
    return sum;
}

void gravel_pump_attach(struct gravel_pump *pump, uint32_t queue, struct gravel_package_queue *view)
{
    view->arrived = &pump->mirrors[queue].arrived;
    view->held = &pump->mirrors[queue].held;
    view->polls = &pump->n_polls;
}
