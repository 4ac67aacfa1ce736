/* SPDX-License-Identifier: MIT */
/*
 * Vector clocks of an execution. See orders.h.
 *
 * A pair has two ends. A store releases by itself or by a fence before it, a load acquires by itself or by a fence
 * behind it; scope and memory are those of the ends.
 */
#include "checker/orders.h"

#include "checker/machine.h"

#include <stdlib.h>
#include <string.h>

void hrf_orders_free(struct hrf_orders *orders)
{
    free(orders->passes);
    free(orders->clocks);
    free(orders->scopes);
    *orders = (struct hrf_orders){.rules = NULL};
}

static uint16_t *clock_of(const struct hrf_orders *o, uint32_t pass, uint32_t event)
{
    return o->clocks + ((uint64_t)pass * o->max_events + event) * o->execution->program->n_threads;
}

static void join(const struct hrf_orders *o, uint16_t *to, const uint16_t *from)
{
    for (uint32_t t = 0; t < o->execution->program->n_threads; t++)
        if (to[t] < from[t])
            to[t] = from[t];
}

bool hrf_meet(const struct hrf_orders *o, uint32_t a, uint32_t b, bool may_promote)
{
    const struct hrf_event *events = o->execution->events;
    return hrf_scopes_meet(o->rules, o->execution->program, &events[a], o->scopes[a], &events[b],
                           o->scopes[b], may_promote);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* An acquire that is being ordered. */
struct acquire {
    struct hrf_orders *orders;
    uint32_t pass, event;
    uint16_t *clock;
};

/* Returns the scope at which two ends pair: the larger of two, one of which holds the other. */
static int32_t scope_of_pair(const struct hrf_orders *o, uint32_t a, uint32_t b)
{
    const struct hrf_instance *instances = o->execution->program->instances;
    return instances[o->scopes[a]].level > instances[o->scopes[b]].level ? o->scopes[a]
                                                                         : o->scopes[b];
}

static void pair(const struct acquire *acquire, uint32_t release)
{
    struct hrf_orders *o = acquire->orders;
    const struct hrf_event *events = o->execution->events;
    const struct hrf_pass *pass = &o->passes[acquire->pass];
    if (!(events[release].regions & events[acquire->event].regions & pass->regions) ||
        !hrf_meet(o, release, acquire->event, false) ||
        (pass->instance >= 0 && pass->instance != scope_of_pair(o, release, acquire->event)))
        return;
    o->looks_ahead |= release > acquire->event;
    join(o, acquire->clock, clock_of(o, acquire->pass, release));
}

/* Pairs with all that releases by this store. */
static void pair_with_store(const struct acquire *acquire, uint32_t store)
{
    const struct hrf_event *events = acquire->orders->execution->events;
    if (!events[store].is_atomic || events[store].thread == events[acquire->event].thread)
        return;
    if (hrf_releases(&events[store]))
        pair(acquire, store);
    for (int32_t f = events[store].release_fence; f >= 0; f = events[f].release_fence)
        pair(acquire, (uint32_t)f);
}

static int32_t store_at(const struct hrf_execution *execution, int32_t location, uint16_t position)
{
    int32_t store = execution->last_write[location];
    while (store >= 0 && execution->events[store].position != position)
        store = execution->events[store].previous_write;
    return store;
}

/*
 * Pairs by OpenCL: with the stores whose release sequence the load reads from. Behind the first come only
 * read-modify-writes, and stores of the first's own thread.
 */
static void pair_by_sequence(const struct acquire *acquire, uint32_t load)
{
    const struct hrf_execution *execution = acquire->orders->execution;
    const struct hrf_event *events = execution->events;
    int32_t store = events[load].source, only = HRF_NONE;
    while (store >= 0) {
        const struct hrf_event *event = &events[store];
        if (only < 0 || only == event->thread)
            pair_with_store(acquire, (uint32_t)store);
        if (!event->reads && (acquire->orders->is_growing || (only >= 0 && only != event->thread)))
            return;
        if (!event->reads)
            only = event->thread;
        store = event->reads
                    ? event->source
                    : store_at(execution, event->location, (uint16_t)(event->position - 1));
    }
}

/* Pairs by HRF: with all stores up to the one that the load reads. */
static void pair_by_coherence(const struct acquire *acquire, uint32_t load)
{
    const struct hrf_execution *execution = acquire->orders->execution;
    const struct hrf_event *events = execution->events;
    const uint16_t position = hrf_read_position(execution, &events[load]);
    for (int32_t s = execution->last_write[events[load].location]; s >= 0;
         s = events[s].previous_write)
        if (events[s].position <= position && (uint32_t)s != load)
            pair_with_store(acquire, (uint32_t)s);
}

static void pair_load(const struct acquire *acquire, uint32_t load)
{
    if (acquire->orders->rules->by_reads_from)
        pair_by_sequence(acquire, load);
    else
        pair_by_coherence(acquire, load);
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool is_same_barrier(const struct hrf_event *a, const struct hrf_event *b)
{
    return b->is_barrier && a->instance == b->instance && a->round == b->round;
}

/* Returns whether a barrier orders the memory of this pass for the thread. */
static bool takes_part(const struct hrf_pass *pass, const struct hrf_event *barrier)
{
    return (barrier->regions & pass->regions) &&
           (pass->instance < 0 || pass->instance == barrier->instance);
}

/* Joins the clocks of a group's events of one barrier, which are added one after the other. */
static void order_barrier(struct hrf_orders *o, uint32_t pass, uint32_t event, uint16_t *clock)
{
    const struct hrf_event *events = o->execution->events;
    uint32_t first = event;
    if (!takes_part(&o->passes[pass], &events[event]))
        return;
    while (first && is_same_barrier(&events[event], &events[first - 1]))
        first--;
    for (uint32_t e = first; e < o->execution->n && is_same_barrier(&events[event], &events[e]);
         e++) {
        if (!takes_part(&o->passes[pass], &events[e]))
            continue;
        if (events[e].previous >= 0)
            join(o, clock, clock_of(o, pass, (uint32_t)events[e].previous));
        if (clock[events[e].thread] < events[e].index)
            clock[events[e].thread] = events[e].index;
    }
}

static void order_acquire(struct hrf_orders *o, uint32_t pass, uint32_t event, uint16_t *clock)
{
    const struct hrf_event *events = o->execution->events;
    const struct acquire acquire = {o, pass, event, clock};
    if (events[event].reads)
        pair_load(&acquire, event);
    for (int32_t load = events[event].is_fence ? events[event].atomic_read : HRF_NONE; load >= 0;
         load = events[load].atomic_read)
        pair_load(&acquire, (uint32_t)load);
}

/* Returns whether the event's clock has changed. */
static bool order_event(struct hrf_orders *o, uint32_t pass, uint32_t number)
{
    const struct hrf_event *event = &o->execution->events[number];
    const size_t bytes = o->execution->program->n_threads * sizeof(uint16_t);
    uint16_t clock[HRF_MAX_THREADS] = {0}, *place = clock_of(o, pass, number);
    if (event->previous >= 0)
        memcpy(clock, clock_of(o, pass, (uint32_t)event->previous), bytes);
    if (event->is_barrier)
        order_barrier(o, pass, number, clock);
    else if (hrf_acquires(event))
        order_acquire(o, pass, number, clock);
    o->is_cyclic |= !event->is_barrier && clock[event->thread] >= event->index;
    clock[event->thread] = event->index;
    bool has_changed = memcmp(place, clock, bytes) != 0;
    memcpy(place, clock, bytes);
    return has_changed;
}

/* ---- remote operations ----------------------------------------------------------------------- */

/* Widens to the remote operation's instance if that holds the agent's own. */
static void promote(struct hrf_orders *o, uint32_t event, uint16_t remote)
{
    const struct hrf_program *program = o->execution->program;
    if (hrf_instance_has(program, remote, o->execution->events[event].thread) &&
        program->instances[remote].level > program->instances[o->scopes[event]].level)
        o->scopes[event] = remote;
}

/* Returns an access's number in coherence order: 2 p is what stores at p, 2 p + 1 are loads of that. */
static uint32_t order_of(const struct hrf_orders *o, int32_t number)
{
    const struct hrf_event *event = &o->execution->events[number];
    return event->writes ? 2u * event->position : 2u * hrf_read_position(o->execution, event) + 1;
}

/* Widens the last release before a remote acquire. */
static void promote_release(struct hrf_orders *o, uint32_t remote)
{
    const struct hrf_event *events = o->execution->events;
    int32_t last = HRF_NONE;
    for (int32_t s = o->execution->last_write[events[remote].location]; s >= 0;
         s = events[s].previous_write)
        if (events[s].is_atomic && hrf_releases(&events[s]) && (uint32_t)s != remote &&
            order_of(o, s) < order_of(o, (int32_t)remote) &&
            (last < 0 || events[last].position < events[s].position))
            last = s;
    if (last >= 0)
        promote(o, (uint32_t)last, events[remote].instance);
}

/* Widens the next acquire behind a remote release, unless two threads have one there. */
static void promote_acquire(struct hrf_orders *o, uint32_t remote)
{
    const struct hrf_event *events = o->execution->events;
    const uint32_t at = order_of(o, (int32_t)remote);
    int32_t next = HRF_NONE;
    bool is_one = true;
    for (int32_t a = o->execution->last_access[events[remote].location]; a >= 0;
         a = events[a].previous_access) {
        if (!events[a].is_atomic || !hrf_acquires(&events[a]) || (uint32_t)a == remote ||
            order_of(o, a) <= at || (next >= 0 && order_of(o, a) > order_of(o, next)))
            continue;
        const bool is_tie = next >= 0 && order_of(o, a) == order_of(o, next);
        is_one = !is_tie || (is_one && events[a].thread == events[next].thread);
        next = a;
    }
    if (next >= 0 && is_one)
        promote(o, (uint32_t)next, events[remote].instance);
}

static void set_scopes(struct hrf_orders *o)
{
    const struct hrf_event *events = o->execution->events;
    const uint32_t n = o->execution->n;
    for (uint32_t e = 0; e < n; e++)
        o->scopes[e] = events[e].instance;
    for (uint32_t e = 0; e < n && o->rules->promotes; e++) {
        if (events[e].is_remote && hrf_acquires(&events[e]))
            promote_release(o, e);
        if (events[e].is_remote && hrf_releases(&events[e]))
            promote_acquire(o, e);
    }
}

/* ---- passes ---------------------------------------------------------------------------------- */

static void add_pass(struct hrf_orders *o, int32_t instance, uint8_t regions)
{
    for (uint32_t p = 0; p < o->n_passes; p++)
        if (o->passes[p].instance == instance && o->passes[p].regions == regions)
            return;
    o->passes[o->n_passes++] = (struct hrf_pass){instance, regions};
}

/* One for each instance at which the program synchronizes. */
static void add_passes_of_scopes(struct hrf_orders *o, const struct hrf_program *program)
{
    for (uint32_t t = 0; t < program->n_threads; t++)
        for (uint32_t k = 0; k < program->threads[t].n_code; k++) {
            const struct hrf_instruction *i = &program->threads[t].code[k];
            if (hrf_is_sync(i->op) || i->op == HRF_BARRIER)
                add_pass(o, hrf_instance_of(program, t, i), HRF_ALL_REGIONS);
        }
}

static void choose_passes(struct hrf_orders *o, const struct hrf_program *program)
{
    if (o->is_growing && o->rules->by_scope)
        add_pass(o, HRF_NONE, 0); /* the pairs of a scope are still to come */
    else if (o->rules->by_scope)
        add_passes_of_scopes(o, program);
    else if (o->rules->by_region)
        add_pass(o, HRF_NONE, HRF_GLOBAL);
    for (uint32_t l = 0; l < program->n_locations && o->rules->by_region; l++)
        if (program->locations[l].region == HRF_LOCAL)
            add_pass(o, HRF_NONE, HRF_LOCAL);
    if (!o->n_passes)
        add_pass(o, HRF_NONE, HRF_ALL_REGIONS);
}

int hrf_orders_init(struct hrf_orders *o, const struct hrf_program *program,
                    const struct hrf_rules *rules, bool is_growing)
{
    *o = (struct hrf_orders){
        .rules = rules, .is_growing = is_growing, .max_events = hrf_max_events(program) + 1};
    o->scopes = calloc(o->max_events, sizeof *o->scopes);
    o->passes = calloc(program->n_instances + 1u, sizeof *o->passes);
    if (o->passes) {
        choose_passes(o, program);
        o->clocks =
            calloc((uint64_t)o->n_passes * o->max_events * program->n_threads, sizeof *o->clocks);
    }
    if (o->scopes && o->passes && o->clocks)
        return 0;
    hrf_orders_free(o);
    return -1;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void order_pass(struct hrf_orders *o, uint32_t pass)
{
    const uint32_t n = o->execution->n;
    bool has_changed = true;
    memset(clock_of(o, pass, 0), 0, n * o->execution->program->n_threads * sizeof *o->clocks);
    o->looks_ahead = true; /* once at least */
    while (has_changed && o->looks_ahead && !o->is_cyclic) {
        has_changed = o->looks_ahead = false;
        for (uint32_t e = 0; e < n; e++)
            has_changed |= order_event(o, pass, e);
    }
}

void hrf_order(struct hrf_orders *o, const struct hrf_execution *execution)
{
    o->execution = execution;
    o->is_cyclic = false;
    set_scopes(o);
    for (uint32_t pass = 0; pass < o->n_passes; pass++)
        order_pass(o, pass);
}

void hrf_order_last(struct hrf_orders *o, const struct hrf_execution *execution)
{
    const struct hrf_event *events = execution->events;
    uint32_t first = execution->n - 1;
    o->execution = execution;
    while (first && events[first].is_barrier && is_same_barrier(&events[first], &events[first - 1]))
        first--;
    for (uint32_t e = first; e < execution->n; e++) {
        o->scopes[e] = events[e].instance;
        for (uint32_t pass = 0; pass < o->n_passes; pass++)
            order_event(o, pass, e);
    }
}

bool hrf_happens_before(const struct hrf_orders *o, uint32_t a, uint32_t b, uint8_t regions)
{
    const struct hrf_event *event = &o->execution->events[a];
    if (event->thread == o->execution->events[b].thread)
        return event->index < o->execution->events[b].index;
    for (uint32_t pass = 0; pass < o->n_passes; pass++)
        if ((o->passes[pass].regions & regions) &&
            clock_of(o, pass, b)[event->thread] >= event->index)
            return true;
    return false;
}
