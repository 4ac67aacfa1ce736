/* SPDX-License-Identifier: MIT */
/*
 * The pump's life, and its thread on step pump. See pump.h.
 */
#include "pump/pump.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "opencl/objects.h"
#include "pump/parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POLL_AHEAD 4096u /* headers read at once, of all queues */
#define POLL_MOST 8192u  /* where packages hold few messages: see gravel_pump_poll_ahead */
#define BIN_MESSAGES 16384u
#define BIN_PART_MESSAGES 4096u

/* ---- the thread of step pump ----------------------------------------------------------------- */

static cl_event swap_watched(struct gravel_pump *pump, cl_event event)
{
    pthread_mutex_lock(&pump->watch_lock);
    cl_event last = pump->watched;
    pump->watched = event;
    if (event)
        atomic_fetch_add_explicit(&pump->n_watched, 1, memory_order_relaxed); /* U9 */
    pthread_mutex_unlock(&pump->watch_lock);
    return last;
}

void gravel_pump_watch(struct gravel_pump *pump, cl_event event)
{
    clRetainEvent(event);
    gravel_cl_event_release(swap_watched(pump, event));
    gravel_event_signal(&pump->event);
}

static uint32_t count_watched(const struct gravel_pump *pump)
{
    return atomic_load_explicit(&pump->n_watched, memory_order_relaxed); /* U9 */
}

void gravel_pump_begin_wait(const struct gravel_pump *pump, struct gravel_pump_mark *mark)
{
    const struct gravel_pump_shape *shape = &pump->shape;
    mark->n_launches = count_watched(pump);
    mark->n_host_calls = shape->apply_in_place ? shape->n_host_calls(shape->context) : 0;
}

/*
 * Returns whether the newest launch has not ended; the command queue is in order, so the older ones have. It is asked
 * without the lock, which launches need: the driver may keep this thread until another one has launched.
 */
static bool is_kernel_running(struct gravel_pump *pump)
{
    cl_event newest = swap_watched(pump, NULL);
    bool is_running = newest && !gravel_cl_event_has_ended(newest);
    pthread_mutex_lock(&pump->watch_lock);
    const bool keeps = is_running && !pump->watched; /* no newer one has come */
    if (keeps)
        pump->watched = newest;
    pthread_mutex_unlock(&pump->watch_lock);
    if (!keeps)
        gravel_cl_event_release(newest);
    return is_running;
}

/* Sleeps until the next launch, or until the clock must tick for kernels that the caller enqueued.
 * @return  whether it must. */
static bool sleep_until_launch(struct gravel_pump *pump)
{
    const uint64_t step_ns = pump->mirrors->clock.step_ns;
    uint32_t key = gravel_event_prepare(&pump->event);
    bool has_launch = true;
    if (gravel_thread_is_stopping(&pump->thread) || is_kernel_running(pump))
        gravel_event_cancel(&pump->event);
    else
        has_launch = gravel_event_wait(&pump->event, key,
                                       step_ns < GRAVEL_NS_PER_S ? step_ns : GRAVEL_NS_PER_S);
    return !has_launch;
}

void gravel_pump_note_drained(struct gravel_pump *pump, const struct gravel_pump_mark *mark)
{
    atomic_store_explicit(&pump->n_drained, mark->n_launches, memory_order_relaxed); /* U9 */
}

static void *thread_main(void *argument)
{
    struct gravel_pump *pump = argument;
    uint32_t moved = 0, rest_us = GRAVEL_PUMP_REST_MIN_US;
    uint32_t seen = count_watched(pump);
    bool must_tick = false;
    gravel_thread_begin("gravel-pump");
    while (!gravel_thread_is_stopping(&pump->thread)) {
        /* Of a launch that has just begun the driver is asked nothing. */
        if (count_watched(pump) != seen)
            usleep(GRAVEL_PUMP_FIRST_REST_US);
        seen = count_watched(pump);
        const bool is_running = is_kernel_running(pump);
        /* A caller's wait does what there is to do, sooner. */
        if (!is_running && atomic_load_explicit(&pump->n_draining, memory_order_relaxed)) { /* U7 */
            usleep(GRAVEL_PUMP_FIRST_REST_US);
            continue;
        }
        /* A caller's wait has found all packages of all launches. */
        const uint32_t n_drained =
            atomic_load_explicit(&pump->n_drained, memory_order_relaxed); /* U9 */
        if (!is_running && !must_tick && n_drained == count_watched(pump)) {
            must_tick = sleep_until_launch(pump);
            continue;
        }
        must_tick = false;
        if (gravel_pump_lock(pump)) {
            usleep(GRAVEL_PUMP_REST_MAX_US);
            continue;
        }
        int code = gravel_pump_move(pump, false, &moved);
        bool is_behind_now = gravel_pump_is_behind(pump);
        if (code)
            gravel_pump_fail(pump, code);
        pthread_mutex_unlock(&pump->lock);
        if (code)
            break;
        if (moved) {
            rest_us = GRAVEL_PUMP_REST_MIN_US;
        } else if (is_running || is_behind_now) {
            usleep(rest_us);
            rest_us = rest_us * 2 < GRAVEL_PUMP_REST_MAX_US ? rest_us * 2 : GRAVEL_PUMP_REST_MAX_US;
        } else {
            must_tick = sleep_until_launch(pump);
        }
    }
    gravel_thread_advance(&pump->thread, GRAVEL_THREAD_ENDED);
    return NULL;
}

/* ---- create and destroy ---------------------------------------------------------------------- */

static int make_staging(struct gravel_pump *pump)
{
    size_t headers = sizeof(struct gravelp_package) * pump->poll_most;
    size_t bytes = pump->state_bytes + pump->n_queues * (headers + sizeof *pump->credits);
    GRAVEL_TRY(gravel_pinned_create(&pump->staging, pump->shape.memory->device, pump->polls,
                                    "pinned memory for the pump", NULL, bytes));
    memset(pump->staging.begin, 0, bytes);
    pump->seen = pump->staging.begin;
    pump->credits = (struct gravelp_queue_words *)(pump->seen + pump->state_bytes);
    unsigned char *at = (unsigned char *)(pump->credits + pump->n_queues);
    for (uint32_t q = 0; q < pump->n_queues; q++, at += headers) {
        struct mirror *mirror = &pump->mirrors[q];
        mirror->headers = (struct gravelp_package *)at;
        mirror->words = gravel_arena_queue(pump->arena, q);
        mirror->slots = gravel_arena_slots(pump->arena, q);
        mirror->clock = gravel_package_clock(pump->arena);
        mirror->taken = mirror->arrived = mirror->applied = mirror->words->consumed;
        mirror->wanted =
            GRAVEL_PUMP_POLL_MIN < pump->poll_ahead ? GRAVEL_PUMP_POLL_MIN : pump->poll_ahead;
    }
    return 0;
}

/*
 * Returns the fewest messages of a run that the device bins [count]; 0: it bins none. It takes two kernels' launches,
 * in which a host thread bins some ten thousand messages; and a part becomes a buffer of its own, which costs the host
 * 20 us or more, in which it bins some thousands.
 */
static uint32_t choose_bin_messages(const struct gravel_pump_shape *shape)
{
    if (!shape->aggregation || !gravel_device_bins(shape->memory->device, shape->aggregation))
        return 0;
    uint32_t n_nodes = shape->memory->arena->n_nodes;
    if (shape->n_buffers == 0 || n_nodes > GRAVEL_BLOCK_MOST_NODES)
        return 0;
    return !strcmp(shape->aggregation, "on") ? 1 : BIN_MESSAGES + n_nodes * BIN_PART_MESSAGES;
}

/* Makes what blocks are binned by, and copied to. */
static int make_binner(struct gravel_pump *pump)
{
    const struct gravel_pump_shape *shape = &pump->shape;
    const struct gravel_pool headers = {
        .buffer_bytes = GRAVELP_CACHELINE, /* of parts for nodes of this process */
        .n_buffers = shape->is_loopback ? pump->arena->n_nodes : 1};
    for (uint32_t q = 0; q < pump->n_queues; q++) {
        uint64_t at = q * gravel_pool_frames_bytes(shape->buffer_bytes, shape->n_buffers);
        pump->mirrors[q].pool =
            (struct gravel_pool){.buffer_bytes = shape->buffer_bytes,
                                 .n_buffers = shape->n_buffers,
                                 .frames = shape->frames ? shape->frames + at : NULL};
        for (uint32_t room = 0; room < GRAVEL_BLOCK_ROOMS; room++)
            pump->mirrors[q].pools[room] = headers;
    }
    return gravel_pump_make_binner(pump);
}

int gravel_pump_create(struct gravel_pump **out, const struct gravel_pump_shape *shape)
{
    struct gravelp_arena *arena = shape->memory->arena;
    size_t bytes = arena->n_queues * sizeof(struct mirror);
    struct gravel_pump *pump = aligned_alloc(GRAVELP_CACHELINE, sizeof *pump);
    *out = pump;
    if (!pump)
        return gravel_fail(GRAVEL_ENOMEM, "pump");
    memset(pump, 0, sizeof *pump);
    pump->shape = *shape;
    pump->arena = arena;
    pump->device = shape->memory->region.buffer;
    pump->n_queues = arena->n_queues;
    pump->n_slots = arena->n_slots;
    pump->slot_bytes = arena->slot_bytes;
    pump->poll_ahead = POLL_AHEAD / pump->n_queues;
    pump->poll_most = POLL_MOST / pump->n_queues;
    pump->state_bytes =
        (uint32_t)(arena->queues_offset + arena->n_queues * sizeof(struct gravelp_queue_words));
    pump->mirrors = aligned_alloc(GRAVELP_CACHELINE, bytes);
    if (!pump->mirrors)
        return gravel_fail(GRAVEL_ENOMEM, "pump of %u queues", pump->n_queues);
    memset(pump->mirrors, 0, bytes);
    GRAVEL_TRY(gravel_cl_queue_create(shape->memory->device, "the pump's polls", &pump->polls));
    GRAVEL_TRY(gravel_cl_queue_create(shape->memory->device, "the pump's copies", &pump->moves));
    GRAVEL_TRY(make_staging(pump));
    pump->bin_messages = choose_bin_messages(shape);
    if (pump->bin_messages)
        GRAVEL_TRY(make_binner(pump));
    return gravel_pump_has_thread(pump)
               ? gravel_thread_start(&pump->thread, "pump thread", thread_main, pump)
               : 0;
}

bool gravel_pump_stop(struct gravel_pump *pump)
{
    bool has_ended;
    if (!pump || !gravel_thread_stop(&pump->thread, &pump->event))
        return true;
    struct gravel_wait wait = gravel_wait_on(pump->shape.memory->device, "stopping the pump");
    while (!(has_ended = gravel_thread_state(&pump->thread) >= GRAVEL_THREAD_ENDED) &&
           !gravel_wait_pause(&wait))
        ;
    gravel_thread_end(&pump->thread, has_ended);
    return has_ended;
}

void gravel_pump_abandon(struct gravel_pump *pump)
{
    if (!pump)
        return;
    gravel_pump_report_abort(pump);
    clFlush(pump->polls);
}

bool gravel_pump_destroy(struct gravel_pump *pump)
{
    static const char what[] = "the pump's last copies";
    if (!pump)
        return true;
    const struct gravel_device *device = pump->shape.memory->device;
    if (!gravel_wait_is_done(device, pump->moves, what) ||
        !gravel_wait_is_done(device, pump->polls, what))
        return false; /* the device may still use our memory */
    for (uint32_t q = 0; pump->mirrors && q < pump->n_queues; q++) {
        struct mirror *mirror = &pump->mirrors[q];
        for (uint32_t i = 0; i < mirror->n_flights; i++)
            clReleaseEvent(gravel_pump_flight(mirror, i)->copied);
        gravel_pump_drop_blocks(mirror);
        gravel_pool_destroy(&mirror->pool);
        for (uint32_t room = 0; room < GRAVEL_BLOCK_ROOMS; room++)
            gravel_pool_destroy(&mirror->pools[room]);
    }
    gravel_pump_release_binner(pump);
    gravel_cl_event_release(pump->watched);
    gravel_pinned_destroy(&pump->staging);
    gravel_cl_event_release(pump->credits_written);
    gravel_cl_queue_release(pump->polls);
    gravel_cl_queue_release(pump->moves);
    free(pump->mirrors);
    free(pump);
    return true;
}
