/* SPDX-License-Identifier: MIT */
/*
 * A round's few packages for this node itself: the device applies them where they lie, and the host learns how many. To
 * fetch, bin, upload and apply them takes several times as long as the round's kernel.
 *
 * They would overtake what this node sent itself before: so all of that must be applied, as the last quiet or barrier
 * has found, and nothing be sent since, by host calls or handlers, except what was applied in place too. A header in
 * the mirror represents the packages, as it does those of a block: the aggregator counts them and returns their slots.
 *
 * A program whose rounds send to other nodes too pays for a kernel that takes nothing: after each, twice as many
 * settles pass without one.
 *
 * Path:    settle.c -> in_place.c -> lib/resolve/on_device/packages.c -> cl/kernels/in_place.cl.
 * Memory:  U1, U3, U11, U12: see docs/design/memory-order.md. All of it under the pump's lock.
 */
#include "pump/parts.h"

#include <stddef.h>

#define MOST_PASSES 64u

/* Whether every queue's next packages may be applied now: nothing before them is under way, and there is room for a
 * header in the mirror. */
static bool may_apply(const struct gravel_pump *pump)
{
    const struct gravel_pump_shape *shape = &pump->shape;
    if (!shape->apply_in_place || !gravel_pump_can_owe(pump) ||
        shape->n_host_calls(shape->context) != pump->n_host_calls)
        return false;
    for (uint32_t q = 0; q < pump->n_queues; q++) {
        const struct mirror *mirror = &pump->mirrors[q];
        uint32_t consumed = gravel_word_load(&mirror->words->consumed,
                                             memory_order_acquire); /* U3, pairs with C2 */
        if (mirror->n_flights || mirror->n_held || mirror->taken != mirror->applied ||
            mirror->n_ready > GRAVELP_IN_PLACE_MOST ||
            pump->n_slots - (mirror->taken - consumed) <= GRAVELP_IN_PLACE_MOST)
            return false;
    }
    return true;
}

/* Whether the last kernels that took nothing say that this one will not either. */
static bool passes(struct gravel_pump *pump)
{
    bool passes = pump->n_passed < pump->n_passes;
    pump->n_passed = passes ? pump->n_passed + 1 : 0;
    return passes;
}

/* The device has applied the packages before words->settled: a header stands for them. @return them [count]. */
static uint32_t take(struct gravel_pump *pump, uint32_t queue)
{
    struct mirror *mirror = &pump->mirrors[queue];
    const struct gravelp_queue_words *words =
        (const struct gravelp_queue_words *)(pump->seen + pump->arena->queues_offset) + queue;
    const uint32_t n = words->settled - mirror->taken; /* U11 */
    if (n == 0 || n > GRAVELP_IN_PLACE_MOST)
        return 0;
    struct gravelp_package *package = gravel_pump_slot(pump, mirror, mirror->taken);
    package->command = GRAVEL_SETTLED;
    package->n_messages = words->settled_messages - mirror->settled_messages;
    package->stride = n;
    gravel_word_store(&package->published, mirror->taken + 1,
                      memory_order_relaxed); /* the release, U1, follows */
    mirror->settled_messages = words->settled_messages;
    mirror->taken += n;
    mirror->applied = mirror->taken;
    gravel_word_store(&mirror->arrived, mirror->taken,
                      memory_order_release); /* U1, pairs with U2 */
    pump->shape.wake(pump->shape.context, queue);
    return n;
}

static uint32_t take_all(struct gravel_pump *pump)
{
    uint32_t n = 0;
    for (uint32_t q = 0; q < pump->n_queues; q++)
        n += take(pump, q);
    if (n)
        pump->n_passes = 0;
    else if (gravel_pump_is_behind(pump))
        pump->n_passes = pump->n_passes ? pump->n_passes * 2 : 1;
    if (pump->n_passes > MOST_PASSES)
        pump->n_passes = MOST_PASSES;
    return n;
}

int gravel_pump_apply_in_place(struct gravel_pump *pump, uint32_t *moved, bool *is_done)
{
    uint32_t tickets[GRAVEL_MAX_AGGREGATORS];
    cl_command_queue on; /* to read on, behind the kernels; NULL: there are none */
    int code;
    *moved = 0;
    *is_done = false;
    if (!may_apply(pump))
        return 0;
    if (!pump->settles_find) { /* a look costs less than a kernel */
        code = gravel_pump_see_words(pump, pump->looks);
        *is_done = !code && !gravel_pump_is_behind(pump);
        if (code || *is_done)
            return code;
    }
    if (passes(pump))
        return 0;
    for (uint32_t q = 0; q < pump->n_queues; q++)
        tickets[q] = pump->mirrors[q].taken;
    code = pump->shape.apply_in_place(pump->shape.context, tickets, pump->n_queues, &on);
    if (code || !on)
        return code;
    GRAVEL_TRY(gravel_pump_see_words(pump, on));
    *moved = take_all(pump);
    *is_done = !gravel_pump_is_behind(pump) && gravel_pump_can_owe(pump);
    gravel_word_store(&pump->n_looks, pump->n_looks + 1, memory_order_relaxed); /* U6 */
    return 0;
}

/* Notes what is applied, unless the lock is taken: kernels run again then, and their packages are moved. */
void gravel_pump_note_applied(struct gravel_pump *pump, const struct gravel_pump_mark *mark)
{
    if (!pump->shape.apply_in_place || pthread_mutex_trylock(&pump->lock))
        return;
    for (uint32_t q = 0; q < pump->n_queues; q++)
        if ((int32_t)(mark->tickets[q] - pump->mirrors[q].applied) > 0)
            pump->mirrors[q].applied = mark->tickets[q];
    pump->n_host_calls = mark->n_host_calls;
    pthread_mutex_unlock(&pump->lock);
}
