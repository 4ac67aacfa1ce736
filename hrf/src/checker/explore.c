/* SPDX-License-Identifier: MIT */
/*
 * Depth first over interleavings. See explore.h.
 *
 * A frame is a state and what is left to try there. Two steps commute if they are of two threads and no store of one
 * is to the location of the other. Whenever a step does not commute with an earlier one that it could have overtaken, a
 * thread is noted there that leads to the other order (`backtrack`). A chosen thread sleeps until a step comes that it
 * does not commute with.
 */
#include "checker/explore.h"

#include "checker/machine.h"

#include <stdlib.h>
#include <string.h>

typedef uint16_t clocks[HRF_MAX_THREADS]; /* steps of each thread that come before */

/* What a step touches; a barrier and a fence touch nothing that two could reach for. */
struct touch {
    int32_t location;
    bool writes;
};

struct frame {
    struct hrf_locals locals[HRF_MAX_THREADS];
    uint32_t memory[HRF_MAX_LOCATIONS];
    clocks threads[HRF_MAX_THREADS];  /* before each thread's next step */
    clocks stores[HRF_MAX_LOCATIONS]; /* of the last store */
    clocks all[HRF_MAX_LOCATIONS];    /* of all accesses */
    uint32_t n_events;
    uint32_t enabled, asleep, backtrack; /* masks of threads */
    uint32_t thread;                     /* that steps from here to the next frame */
    struct touch touch;                  /* of that step */
    uint16_t step;                       /* its number in the thread */
};

struct explorer {
    struct hrf_search *search;
    const struct hrf_program *program;
    struct hrf_execution execution;
    struct frame *frames; /* [hrf_max_events + 1] */
    uint32_t depth;
    bool orders_loads
        [HRF_MAX_LOCATIONS]; /* the next acquire after a remote release is another one */
    bool is_over;
};

static uint32_t bit(uint32_t thread)
{
    return UINT32_C(1) << thread;
}

static void join(const struct explorer *e, uint16_t *to, const uint16_t *from)
{
    for (uint32_t t = 0; t < e->program->n_threads; t++)
        if (to[t] < from[t])
            to[t] = from[t];
}

/* ---- what commutes --------------------------------------------------------------------------- */

static struct touch touch_of(const struct hrf_instruction *next)
{
    return (struct touch){next->location, hrf_may_write(next->op)};
}

static bool commute(const struct explorer *e, struct touch a, struct touch b)
{
    return a.location < 0 || a.location != b.location ||
           (!a.writes && !b.writes && !e->orders_loads[a.location]);
}

static bool next_touch(const struct explorer *e, const struct frame *frame, uint32_t thread,
                       struct touch *touch)
{
    const struct hrf_instruction *next = hrf_next_event(e->program, thread, &frame->locals[thread]);
    if (next)
        *touch = touch_of(next);
    return next && touch->location >= 0;
}

/* ---- where another thread could have gone first ---------------------------------------------- */

/* Whether step i comes before step j in every order that is the same execution. */
static bool precedes(const struct explorer *e, uint32_t i, uint32_t j)
{
    const struct frame *step = &e->frames[i];
    return e->frames[j + 1].threads[e->frames[j].thread][step->thread] >= step->step;
}

/* Whether any of the steps [n] comes before step j. */
static bool any_precedes(const struct explorer *e, const uint16_t *steps, uint32_t n, uint32_t j)
{
    for (uint32_t k = 0; k < n; k++)
        if (precedes(e, steps[k], j))
            return true;
    return false;
}

/* Whether one precedes the thread's next step, which touches `touch`. */
static bool any_precedes_next(const struct explorer *e, const uint16_t *steps, uint32_t n,
                              uint32_t thread, struct touch touch)
{
    const uint16_t *clock = e->frames[e->depth].threads[thread];
    for (uint32_t k = 0; k < n; k++) {
        const struct frame *step = &e->frames[steps[k]];
        if (step->thread == thread || clock[step->thread] >= step->step ||
            !commute(e, step->touch, touch))
            return true;
    }
    return false;
}

/* Threads that can step first from frame i, if step i is to come after the thread's next one. */
static uint32_t find_initials(const struct explorer *e, uint32_t i, uint32_t thread,
                              struct touch touch)
{
    uint16_t kept[HRF_MAX_EVENTS]; /* steps behind i that need not come after it */
    uint32_t n = 0, initials = 0, seen = 0;
    for (uint32_t j = i + 1; j < e->depth; j++) {
        const uint32_t t = e->frames[j].thread;
        if (precedes(e, i, j))
            continue;
        if (!(seen & bit(t)) && !any_precedes(e, kept, n, j))
            initials |= bit(t);
        seen |= bit(t);
        kept[n++] = (uint16_t)j;
    }
    if (!any_precedes_next(e, kept, n, thread, touch))
        initials |= bit(thread);
    return initials;
}

/* Note, for each earlier step that the thread's next one could have overtaken, a thread to try there. */
static void note_races(struct explorer *e, uint32_t thread)
{
    const uint16_t *clock = e->frames[e->depth].threads[thread];
    struct touch touch;
    if (!next_touch(e, &e->frames[e->depth], thread, &touch))
        return;
    for (uint32_t i = 0; i < e->depth; i++) {
        struct frame *step = &e->frames[i];
        if (step->thread == thread || commute(e, step->touch, touch) ||
            clock[step->thread] >= step->step)
            continue;
        uint32_t initials = find_initials(e, i, thread, touch) & step->enabled;
        if (!(initials & (step->backtrack | step->asleep)))
            step->backtrack |= initials & -initials;
    }
}

/* At the end: what waits could have gone on earlier. */
static void note_races_of_waiting(struct explorer *e)
{
    for (uint32_t t = 0; t < e->program->n_threads; t++)
        note_races(e, t);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool is_enabled(const struct explorer *e, const struct frame *frame, uint32_t thread)
{
    const struct hrf_locals *locals = &frame->locals[thread];
    const struct hrf_instruction *next = hrf_next_event(e->program, thread, locals);
    if (!next)
        return false;
    if (next->op == HRF_AWAIT)
        return hrf_accepts(e->program, next, locals, frame->memory[next->location]);
    if (next->op == HRF_BARRIER) /* the group's first thread steps for all */
        return thread == (uint32_t)__builtin_ctz(hrf_barrier_mask(e->program, thread, next)) &&
               hrf_barrier_is_met(e->program, frame->locals, thread);
    return true;
}

static void copy_frame(const struct explorer *e, struct frame *to, const struct frame *from)
{
    const uint32_t n_threads = e->program->n_threads, n_locations = e->program->n_locations;
    memcpy(to->locals, from->locals, n_threads * sizeof *to->locals);
    memcpy(to->threads, from->threads, n_threads * sizeof *to->threads);
    memcpy(to->memory, from->memory, n_locations * sizeof *to->memory);
    memcpy(to->stores, from->stores, n_locations * sizeof *to->stores);
    memcpy(to->all, from->all, n_locations * sizeof *to->all);
}

/* The whole group passes its barrier: a step of its first thread. */
static void pass_barrier(struct explorer *e, struct frame *frame, uint32_t thread)
{
    const uint32_t group = hrf_barrier_mask(
        e->program, thread, hrf_next_event(e->program, thread, &frame->locals[thread]));
    const uint32_t first = e->execution.n;
    clocks joined = {0};
    for (uint32_t mask = group; mask; mask &= mask - 1) {
        uint32_t t = (uint32_t)__builtin_ctz(mask);
        struct hrf_event event;
        hrf_make_event(e->program, t, &frame->locals[t], 0, &event);
        event.round = (uint16_t)first;
        hrf_execution_add(&e->execution, &event);
        hrf_step(e->program, t, &frame->locals[t], 0);
        join(e, joined, frame->threads[t]);
    }
    joined[thread]++;
    for (uint32_t mask = group; mask; mask &= mask - 1)
        memcpy(frame->threads[__builtin_ctz(mask)], joined, sizeof joined);
}

static void order_step(struct explorer *e, struct frame *frame, uint32_t thread, struct touch touch)
{
    uint16_t *clock = frame->threads[thread];
    if (touch.location >= 0) {
        bool meets_loads = touch.writes || e->orders_loads[touch.location];
        join(e, clock, meets_loads ? frame->all[touch.location] : frame->stores[touch.location]);
    }
    clock[thread]++;
    if (touch.location >= 0)
        join(e, frame->all[touch.location], clock);
    if (touch.writes)
        join(e, frame->stores[touch.location], clock);
}

/* One thread makes its next event, at the end of the execution. */
static void make_event(struct explorer *e, struct frame *frame, uint32_t thread)
{
    struct hrf_execution *execution = &e->execution;
    struct hrf_locals *locals = &frame->locals[thread];
    const int32_t location = hrf_next_event(e->program, thread, locals)->location;
    const uint32_t old = location < 0 ? 0 : frame->memory[location];
    struct hrf_event event;
    hrf_make_event(e->program, thread, locals, old, &event);
    if (location >= 0) {
        const int16_t last = execution->last_write[location];
        event.source = event.reads ? last : HRF_NONE;
        event.position = (uint16_t)(last < 0 ? 1 : execution->events[last].position + 1);
        frame->memory[location] = event.writes ? event.value : old;
    }
    hrf_execution_add(execution, &event);
    hrf_step(e->program, thread, locals, old);
}

struct hrf_outcome hrf_outcome_of(const struct hrf_program *program,
                                  const struct hrf_locals *locals, const uint32_t *memory)
{
    struct hrf_outcome outcome = {.failed_thread = HRF_NONE, .memory = memory, .locals = locals};
    uint32_t ended = 0;
    for (uint32_t t = 0; t < program->n_threads; t++) {
        ended |= hrf_next_event(program, t, &locals[t]) ? 0 : bit(t);
        outcome.is_cut |= locals[t].is_cut;
        if (locals[t].failed_line && outcome.failed_thread < 0) {
            outcome.failed_thread = (int32_t)t;
            outcome.failed_line = locals[t].failed_line;
        }
    }
    for (uint32_t t = 0; t < program->n_threads && !outcome.is_cut; t++) {
        const struct hrf_instruction *next = hrf_next_event(program, t, &locals[t]);
        outcome.is_stuck |= next != NULL;
        outcome.has_diverged |=
            next && next->op == HRF_BARRIER && (ended & hrf_barrier_mask(program, t, next));
    }
    return outcome;
}

static void visit(struct explorer *e, const struct frame *frame)
{
    struct hrf_search *search = e->search;
    struct hrf_outcome outcome = hrf_outcome_of(e->program, frame->locals, frame->memory);
    outcome.is_cut |= frame->enabled != 0; /* there was no room for more events */
    if (outcome.is_cut)
        outcome.is_stuck = outcome.has_diverged = false;
    search->n++;
    const bool continues = search->visit(search->context, &e->execution, &outcome);
    e->execution.n_kept = e->execution.n;
    if (!continues)
        e->is_over = true;
    else if (search->n == search->limit)
        e->is_over = search->is_limited = true;
}

/* A new frame at e->depth. */
static void enter(struct explorer *e)
{
    struct frame *frame = &e->frames[e->depth];
    const uint32_t n = e->program->n_threads;
    frame->n_events = e->execution.n;
    frame->enabled = frame->backtrack = 0;
    for (uint32_t t = 0; t < n; t++)
        frame->enabled |= is_enabled(e, frame, t) ? bit(t) : 0;
    if (!frame->enabled && !e->search->is_exhaustive)
        note_races_of_waiting(e);
    if (!frame->enabled || frame->n_events + n > HRF_MAX_EVENTS) {
        visit(e, frame);
        return;
    }
    const uint32_t awake = frame->enabled & ~frame->asleep;
    frame->backtrack = e->search->is_exhaustive ? awake : awake & -awake;
}

static uint32_t still_asleep(const struct explorer *e, const struct frame *frame)
{
    uint32_t asleep = 0;
    for (uint32_t mask = frame->asleep & ~bit(frame->thread); mask; mask &= mask - 1) {
        uint32_t t = (uint32_t)__builtin_ctz(mask);
        struct touch touch;
        if (!next_touch(e, frame, t, &touch) || commute(e, touch, frame->touch))
            asleep |= bit(t);
    }
    return e->search->is_exhaustive ? 0 : asleep;
}

/* From the deepest frame to the next, by one thread. */
static void step(struct explorer *e, uint32_t thread)
{
    struct frame *from = &e->frames[e->depth], *to = from + 1;
    const struct hrf_instruction *next = hrf_next_event(e->program, thread, &from->locals[thread]);
    if (!e->search->is_exhaustive)
        note_races(e, thread);
    from->thread = thread;
    from->touch = touch_of(next);
    copy_frame(e, to, from);
    to->asleep = still_asleep(e, from);
    if (next->op == HRF_BARRIER) {
        pass_barrier(e, to, thread);
    } else {
        make_event(e, to, thread);
        order_step(e, to, thread, from->touch);
    }
    from->step = to->threads[thread][thread];
    from->asleep |= bit(thread);
    e->depth++;
    enter(e);
}

static void search_all(struct explorer *e)
{
    enter(e);
    while (!e->is_over) {
        struct frame *frame = &e->frames[e->depth];
        const uint32_t left = frame->backtrack & ~frame->asleep;
        if (left) {
            step(e, (uint32_t)__builtin_ctz(left));
            continue;
        }
        if (e->depth-- == 0)
            return;
        hrf_execution_drop(&e->execution, e->frames[e->depth].n_events);
    }
}

static void find_ordered_loads(struct explorer *e)
{
    for (uint32_t t = 0; t < e->program->n_threads; t++)
        for (uint32_t k = 0; k < e->program->threads[t].n_code; k++) {
            const struct hrf_instruction *i = &e->program->threads[t].code[k];
            if (i->is_remote && (i->order & HRF_RELEASE))
                e->orders_loads[i->location] = true;
        }
}

int hrf_explore_sc(struct hrf_search *search)
{
    struct explorer e = {.search = search, .program = search->program};
    e.frames = calloc(hrf_max_events(search->program) + 1, sizeof *e.frames);
    int code = hrf_execution_init(&e.execution, search->program);
    search->n = 0;
    search->is_limited = false;
    if (!code && e.frames) {
        for (uint32_t t = 0; t < e.program->n_threads; t++)
            hrf_locals_init(e.program, t, &e.frames[0].locals[t]);
        for (uint32_t l = 0; l < e.program->n_locations; l++)
            e.frames[0].memory[l] = e.program->locations[l].initial;
        find_ordered_loads(&e);
        search_all(&e);
    }
    code = e.frames ? code : -1;
    free(e.frames);
    hrf_execution_free(&e.execution);
    return code;
}
