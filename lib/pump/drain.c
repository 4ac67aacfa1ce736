/* SPDX-License-Identifier: MIT */
/*
 * Waits until every package of kernels that have ended is in the mirror, or applied. See pump.h.
 *
 * A package that the pump cannot bring fails the node, and the pump reports it to the device, so that no leader waits
 * for room that will not be made.
 *
  * A round's few packages for this node itself the device applies where they lie, and the host learns how many: to
 * fetch, bin, upload and apply them takes several times as long as the round's kernel. They would overtake what this
 * node sent itself before: so all of that must be applied, as the last quiet or barrier has found, and nothing be sent
 * since, by host calls or handlers, except what was applied in place too. A header in the mirror represents the
 * packages, as it does those of a block: the aggregator counts them and returns their slots. A program whose rounds
 * send to other nodes too pays for a kernel that takes nothing: after each, twice as many drains pass without one.
 *
 * Path:    drain.c -> lib/resolve/on_device/runs.c -> cl/kernels/resolve.cl; move.c.
 * Memory:  U1, U3, U11, U12: see docs/design/memory-order.md. All of it under the pump's lock.
 */
#include "base/clock.h"
#include "base/error.h"
#include "pump/parts.h"

#include <stdio.h>
#include <unistd.h>

#define MOST_PASSES 64u

int gravel_pump_fail(struct gravel_pump *pump, int code)
{
    pump->shape.report(pump->shape.context, code, true, gravel_last_error());
    gravel_pump_report_abort(pump); /* best effort: the leaders' own patience ends too */
    clFlush(pump->polls);
    return code;
}

/* Fails the node if the thread that has the lock does not return from a call of the driver. */
static int check_lock(void *context, struct gravel_wait *wait)
{
    const struct gravel_pump *pump = context;
    (void)wait;
    return gravel_failure_is_fatal(pump->shape.failure)
               ? gravel_fail(GRAVEL_EPEER, "the node failed, and the pump's thread goes on")
               : 0;
}

int gravel_pump_lock(struct gravel_pump *pump)
{
    struct gravel_wait wait = {.limit = {.check = check_lock, .context = pump},
                               .what = "the pump's thread"};
    return gravel_wait_lock(&wait, &pump->lock);
}

/* ---- packages in place ----------------------------------------------------------------------- */

/* Returns whether every queue's next packages may be applied now: nothing before them is under way, and there is room
 * for a header in the mirror. */
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

/* Makes a header that represents the packages the device has applied, before words->applied. @return them [count]. */
static uint32_t take(struct gravel_pump *pump, uint32_t queue)
{
    struct mirror *mirror = &pump->mirrors[queue];
    const struct gravelp_queue_words *words =
        (const struct gravelp_queue_words *)(pump->seen + pump->arena->queues_offset) + queue;
    const uint32_t n = words->applied - mirror->taken; /* U11 */
    if (n == 0 || n > GRAVELP_IN_PLACE_MOST)
        return 0;
    struct gravelp_package *package = gravel_pump_slot(pump, mirror, mirror->taken);
    package->command = GRAVEL_APPLIED;
    package->n_messages = words->applied_messages - mirror->applied_messages;
    package->stride = n;
    gravel_word_store(&package->published, mirror->taken + 1,
                      memory_order_relaxed); /* the release, U1, follows */
    mirror->applied_messages = words->applied_messages;
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

/* Has the device apply what it can, as a drain begins. @param moved  [out] packages that it has [count]. @param
 * is_done [out] none is reserved beyond those. @return 0; GRAVEL_ECL; or given up. */
static int apply_in_place(struct gravel_pump *pump, uint32_t *moved, bool *is_done)
{
    uint32_t tickets[GRAVEL_MAX_AGGREGATORS];
    cl_command_queue on; /* to read on, behind the kernels; NULL: there are none */
    int code;
    *moved = 0;
    *is_done = false;
    if (!may_apply(pump))
        return 0;
    if (!pump->drains_find) { /* a poll costs less than a kernel */
        code = gravel_pump_see_words(pump, pump->polls);
        *is_done = !code && !gravel_pump_is_behind(pump);
        if (code || *is_done)
            return code;
    }
    /* The last kernels that took nothing say that this one will not either. */
    if (pump->n_passed++ < pump->n_passes)
        return 0;
    pump->n_passed = 0;
    for (uint32_t q = 0; q < pump->n_queues; q++)
        tickets[q] = pump->mirrors[q].taken;
    code = pump->shape.apply_in_place(pump->shape.context, tickets, pump->n_queues, &on);
    if (code || !on)
        return code;
    GRAVEL_TRY(gravel_pump_see_words(pump, on));
    *moved = take_all(pump);
    *is_done = !gravel_pump_is_behind(pump) && gravel_pump_can_owe(pump);
    gravel_word_store(&pump->n_polls, pump->n_polls + 1, memory_order_relaxed); /* U6 */
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

/* ---- drain ----------------------------------------------------------------------------------- */

/* Fails the node: nothing came for too long. It names the oldest ticket before its queue's target that is missing
 * though there is room for it, if there is one. The lock is held. */
static int fail_late(struct gravel_pump *pump, const uint32_t *targets)
{
    const char *why = "the aggregators make no room";
    const double seconds = gravel_seconds(pump->shape.timeout_ns);
    for (uint32_t q = 0; q < pump->n_queues; q++) {
        const struct mirror *mirror = &pump->mirrors[q];
        const uint32_t ticket = mirror->taken;
        uint32_t consumed = gravel_word_load(&mirror->words->consumed, memory_order_relaxed);
        if ((int32_t)(ticket - targets[q]) < 0 && ticket - consumed < pump->n_slots &&
            mirror->n_rooms < GRAVEL_BLOCK_ROOMS)
            return gravel_pump_fail(
                pump, gravel_fail(GRAVEL_EKERNEL,
                                  "queue %u, ticket %u (slot %u): reserved by a work-group but not "
                                  "published for %.1f s",
                                  q, ticket, ticket & (pump->n_slots - 1), seconds));
        if (mirror->has_no_buffer)
            why = "all node buffers for messages that the device bins are in flight, and none is "
                  "returned";
    }
    return gravel_pump_fail(pump, gravel_fail(GRAVEL_ETIMEOUT,
                                              "no package could be fetched from the device for "
                                              "%.1f s: %s",
                                              seconds, why));
}

/* Returns whether all tickets before the targets are moved: later kernels may reserve more. */
static bool has_all(const struct gravel_pump *pump, const uint32_t *targets)
{
    for (uint32_t q = 0; q < pump->n_queues; q++)
        if ((int32_t)(pump->mirrors[q].arrived - targets[q]) < 0)
            return false;
    return true;
}

/* What a drain remembers between two rounds. */
struct draining {
    bool has_targets;
    bool is_done;
    struct gravel_lived idle; /* since something moved */
    uint32_t *targets;        /* [n_queues] tickets taken when it began */
};

/* Moves what there is; in the first round of a drain, what the device does not apply in place. The lock is held.
 * @param moved  [out] as gravel_pump_move. @return 0; a code, and the node has failed. */
static int drain_once(struct gravel_pump *pump, struct draining *draining, uint32_t *moved)
{
    uint32_t n_applied = 0;
    bool is_done = false;
    int code = 0;
    *moved = 0;
    if (!draining->has_targets)
        code = apply_in_place(pump, &n_applied, &is_done);
    if (!code && !is_done)
        code = gravel_pump_move(pump, true, moved);
    *moved += n_applied;
    if (code)
        return gravel_pump_fail(pump, code);
    if (!draining->has_targets) {
        for (uint32_t q = 0; q < pump->n_queues; q++)
            draining->targets[q] = pump->mirrors[q].words->reserved;
        pump->drains_find = *moved || !has_all(pump, draining->targets);
    }
    draining->has_targets = true;
    draining->is_done = has_all(pump, draining->targets);
    if (draining->is_done &&
        !gravel_pump_has_thread(pump)) { /* the next slice counts on its credits */
        code = gravel_wait_queue(pump->shape.memory->device, pump->polls,
                                 "giving slots back to the device");
        return code ? gravel_pump_fail(pump, code) : 0;
    }
    if (draining->is_done)
        return 0;
    bool is_held = false; /* nothing moves as long as one is; the writer's limit ends that */
    for (uint32_t q = 0; q < pump->n_queues; q++)
        is_held |= gravel_pump_is_held(pump, q);
    if (*moved || is_held)
        draining->idle = gravel_lived_for(pump->shape.timeout_ns);
    else if (gravel_failure_is_fatal(pump->shape.failure))
        return gravel_fail(GRAVEL_EPEER, "the node failed while packages were fetched");
    else if (gravel_lived_tick(&draining->idle, gravel_clock_ns()) > pump->shape.timeout_ns)
        return fail_late(pump, draining->targets);
    return 0;
}

static int drain(struct gravel_pump *pump, uint32_t *targets)
{
    struct draining draining = {.idle = gravel_lived_for(pump->shape.timeout_ns),
                                .targets = targets};
    for (;;) {
        uint32_t moved = 0;
        GRAVEL_TRY(gravel_pump_lock(pump));
        int code = drain_once(pump, &draining, &moved);
        pthread_mutex_unlock(&pump->lock);
        if (code || draining.is_done)
            return code;
        if (!moved)
            usleep(GRAVEL_PUMP_REST_MAX_US);
    }
}

int gravel_pump_drain(struct gravel_pump *pump, struct gravel_pump_mark *mark)
{
    uint32_t targets[GRAVEL_MAX_AGGREGATORS];
    atomic_fetch_add_explicit(&pump->n_draining, 1, memory_order_relaxed); /* U7 */
    int code = drain(pump, mark ? mark->tickets : targets);
    atomic_fetch_sub_explicit(&pump->n_draining, 1, memory_order_relaxed); /* U7 */
    return code;
}
