/* SPDX-License-Identifier: MIT */
/*
 * One look at the device: the words that change (fault, tickets), and the headers of the next slots of every queue.
 *
 * A device copies one thing after the other, so a look that comes behind a copy has its answer when nothing is left to
 * copy, and the device idles until the host has read it. So the last packages of a long run are held back, and copied
 * behind the next look, on one queue with it.
 *
 * A round of an application is over sooner than a copy is enqueued: a few packages come with the look that finds them.
 * Who settles, and found no package when it last did, looks at the words alone first.
 *
 * Memory:  U3, F1, P2: see docs/design/memory-order.md. All of it under the pump's lock.
 */
#include "opencl/wait.h"
#include "pump/parts.h"

#include <stddef.h>
#include <string.h>

/* Slots from the next ticket on that may be looked at or moved at once: up to the ring's end, and where
 * the mirror has room. */
static uint32_t reach(const struct gravel_pump *pump, const struct mirror *mirror)
{
    uint32_t slot = gravel_pump_next_ticket(mirror) & (pump->n_slots - 1);
    uint32_t consumed =
        gravel_word_load(&mirror->words->consumed, memory_order_acquire); /* U3, pairs with C2 */
    uint32_t room = pump->n_slots - (gravel_pump_next_ticket(mirror) - consumed);
    uint32_t n = pump->n_slots - slot < room ? pump->n_slots - slot : room;
    return n < mirror->wanted ? n : mirror->wanted;
}

static cl_int read_headers(struct gravel_pump *pump, cl_command_queue on, uint32_t queue,
                           uint32_t n, cl_event *last)
{
    struct mirror *mirror = &pump->mirrors[queue];
    uint32_t slot = gravel_pump_next_ticket(mirror) & (pump->n_slots - 1);
    const size_t from[3] = {gravel_pump_slot_offset(pump, queue, slot), 0, 0}, to[3] = {0, 0, 0};
    const size_t region[3] = {sizeof(struct gravelp_package), n, 1};
    cl_event next = NULL;
    if (n == 0)
        return CL_SUCCESS;
    cl_int error =
        clEnqueueReadBufferRect(on, pump->device, CL_FALSE, from, to, region, pump->slot_bytes, 0,
                                sizeof(struct gravelp_package), 0, mirror->headers, 0, NULL, &next);
    gravel_pump_keep_last(last, next);
    return error;
}

/*
 * A queue that had few packages has few again: the first slots come with their headers. The command behind the one that
 * reads the publish words sees the packages as one would that the host enqueues later (P2).
 */
static cl_int read_few(struct gravel_pump *pump, cl_command_queue on, uint32_t queue, uint32_t n,
                       cl_event *last)
{
    struct mirror *mirror = &pump->mirrors[queue];
    struct gravel_pump_slots slots = {queue, mirror->taken, n, pump->slot_bytes};
    cl_event next = NULL;
    bool are_few = mirror->n_ready <= GRAVEL_PUMP_FEW && pump->bin_messages != 1;
    mirror->n_with_look = 0;
    if (n == 0 || !are_few || mirror->n_flights || mirror->n_held)
        return CL_SUCCESS;
    slots.n = n < GRAVEL_PUMP_FEW ? n : GRAVEL_PUMP_FEW;
    cl_int error = gravel_pump_copy_slots(pump, on, &slots, &next);
    mirror->n_with_look = error == CL_SUCCESS ? slots.n : 0;
    gravel_pump_keep_last(last, next);
    return error;
}

static bool holds_back(const struct gravel_pump *pump)
{
    for (uint32_t q = 0; q < pump->n_queues; q++)
        if (pump->mirrors[q].n_held)
            return true;
    return false;
}

/*
 * Hand a fault on, once in a node's life. The look may have copied what stands beside `fault` before `fault` itself: a
 * copy behind the look has all of it (F1).
 */
static int copy_fault(struct gravel_pump *pump, cl_command_queue on)
{
    const struct gravelp_arena *seen = (const struct gravelp_arena *)pump->seen;
    const size_t told = offsetof(struct gravelp_arena, fault_queue);
    cl_event last = NULL;
    if (seen->fault == GRAVELP_FAULT_NONE || pump->arena->fault != GRAVELP_FAULT_NONE)
        return 0;
    cl_int error = clEnqueueReadBuffer(on, pump->device, CL_FALSE, 0, sizeof *seen, pump->seen, 0,
                                       NULL, &last);
    GRAVEL_TRY(gravel_wait_command(pump->shape.memory->device, on, error, last,
                                   "reading a fault of the device"));
    memcpy((unsigned char *)pump->arena + told, pump->seen + told, sizeof *seen - told);
    gravel_word_store(&pump->arena->fault, seen->fault,
                      memory_order_release); /* F1, pairs with F2 */
    return 0;
}

/* Headers of the next slots of every queue, and what comes with them. */
static cl_int read_queues(struct gravel_pump *pump, cl_command_queue on, uint32_t *n,
                          cl_event *last)
{
    cl_int error = CL_SUCCESS;
    for (uint32_t q = 0; q < pump->n_queues && error == CL_SUCCESS; q++) {
        const struct mirror *mirror = &pump->mirrors[q];
        uint32_t n_flights = mirror->n_flights + (mirror->n_held != 0);
        n[q] = n_flights < GRAVEL_PUMP_FLIGHTS ? reach(pump, mirror) : 0;
        error = read_headers(pump, on, q, n[q], last);
        if (error == CL_SUCCESS)
            error = read_few(pump, on, q, n[q], last);
    }
    return error;
}

/* Reads the words that change. */
static cl_int read_state(struct gravel_pump *pump, cl_command_queue on, cl_event *last)
{
    return clEnqueueReadBuffer(on, pump->device, CL_FALSE, 0, pump->state_bytes, pump->seen, 0,
                               NULL, last);
}

/* Waits for what was enqueued, and hands on what it brought. */
static int end_look(struct gravel_pump *pump, cl_command_queue on, cl_int error, cl_event last)
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
    return end_look(pump, on, error, last);
}

static int look(struct gravel_pump *pump, uint32_t *n)
{
    const bool has_held = holds_back(pump);
    cl_command_queue on = has_held ? pump->moves : pump->looks;
    cl_event last = NULL;
    cl_int error = read_state(pump, on, &last);
    if (error == CL_SUCCESS)
        error = read_queues(pump, on, n, &last);
    if (error == CL_SUCCESS && has_held)
        error = gravel_pump_copy_held(pump);
    return end_look(pump, on, error, last);
}

bool gravel_pump_is_behind(const struct gravel_pump *pump)
{
    for (uint32_t q = 0; q < pump->n_queues; q++)
        if (pump->mirrors[q].arrived != pump->mirrors[q].words->reserved)
            return true;
    return false;
}

int gravel_pump_see(struct gravel_pump *pump, bool may_be_brief, uint32_t *n)
{
    bool is_brief = may_be_brief && !holds_back(pump) && !gravel_pump_is_behind(pump);
    int code = 0;
    memset(n, 0, pump->n_queues * sizeof *n);
    if (is_brief)
        code = gravel_pump_see_words(pump, pump->looks);
    return code || (is_brief && !gravel_pump_is_behind(pump)) ? code : look(pump, n);
}
