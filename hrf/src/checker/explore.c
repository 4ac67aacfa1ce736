/* SPDX-License-Identifier: MIT */
/*
 * Executions grow event by event. See explore.h.
 *
 * What reads nothing is added at once: other threads see it sooner or later, and only reads can show it. A store gets
 * every position in coherence order that what happens before it allows. A read takes each store that is there; or it
 * waits, and then takes only stores that are added later (`waits_since`). So each graph is built in one way alone. What
 * a growing graph cannot show (pairs with stores that come later, the order of seq_cst operations) is checked when it
 * is whole; whether an execution is sequentially consistent, at each event.
 */
#include "checker/explore.h"

#include "checker/consistent.h"
#include "checker/linear.h"
#include "checker/machine.h"

#include <stdlib.h>
#include <string.h>

typedef int16_t stores[HRF_MAX_EVENTS]; /* of a location, in coherence order */

struct grower {
    struct hrf_search *search;
    const struct hrf_program *program;
    const struct hrf_rules *rules;
    struct hrf_execution execution;
    struct hrf_execution line; /* the same events in order, if that is what the rules ask for */
    struct hrf_orders growing, whole;
    struct hrf_locals locals[HRF_MAX_THREADS];
    uint32_t waits_since
        [HRF_MAX_THREADS]; /* 1 + events there were when the read began to wait; 0: it does not */
    stores *coherence;     /* [n_locations] */
    uint32_t n_stores[HRF_MAX_LOCATIONS];
    uint16_t last_store[HRF_MAX_THREADS]
                       [HRF_MAX_LOCATIONS]; /* 1 + last instruction that may store; 0: none */
    uint64_t n_ends;                        /* of branches, graphs or not */
    bool is_over;
};

static const struct hrf_instruction *next_of(const struct grower *g, uint32_t thread)
{
    return hrf_next_event(g->program, thread, &g->locals[thread]);
}

static void extend(struct grower *g);

/* ---- ends ------------------------------------------------------------------------------------ */

static uint32_t last_value(const struct grower *g, int32_t location)
{
    const uint32_t n = g->n_stores[location];
    return n ? g->execution.events[g->coherence[location][n - 1]].value
             : g->program->locations[location].initial;
}

/* Returns whether no thread waits for a store that it could have read before. */
static bool is_end(const struct grower *g)
{
    for (uint32_t t = 0; t < g->program->n_threads; t++) {
        const struct hrf_instruction *next = next_of(g, t);
        if (!next || next->op == HRF_BARRIER)
            continue;
        if (next->op != HRF_AWAIT ||
            hrf_accepts(g->program, next, &g->locals[t], last_value(g, next->location)))
            return false;
    }
    return true;
}

/* Returns how an execution ended, from its threads. */
static struct hrf_outcome outcome_of(const struct hrf_program *program,
                                     const struct hrf_locals *locals, const uint32_t *memory)
{
    struct hrf_outcome outcome = {.failed_thread = HRF_NONE, .memory = memory, .locals = locals};
    uint32_t ended = 0;
    for (uint32_t t = 0; t < program->n_threads; t++) {
        ended |= hrf_next_event(program, t, &locals[t]) ? 0 : UINT32_C(1) << t;
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

static void visit(struct grower *g, bool is_cut)
{
    const struct hrf_execution *shown = g->rules->is_sc ? &g->line : &g->execution;
    uint32_t memory[HRF_MAX_LOCATIONS];
    if (g->rules->is_sc) {
        hrf_linearize(&g->execution, &g->line);
    } else {
        hrf_order(&g->whole, &g->execution);
        if (!hrf_is_consistent(&g->whole))
            return;
    }
    for (uint32_t l = 0; l < g->program->n_locations; l++)
        memory[l] = last_value(g, (int32_t)l);
    struct hrf_outcome outcome = outcome_of(g->program, g->locals, memory);
    if (is_cut) {
        outcome.is_cut = true;
        outcome.is_stuck = outcome.has_diverged = false;
    }
    g->search->n++;
    if (!g->search->visit(g->search->context, shown, &outcome))
        g->is_over = true;
}

static void end_branch(struct grower *g, bool is_graph, bool is_cut)
{
    if (is_graph)
        visit(g, is_cut);
    if (++g->n_ends == g->search->limit && !g->is_over)
        g->is_over = g->search->is_limited = true;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Returns the newest store known to what happens before a thread's next event, which reads and stores nothing older. */
static uint16_t oldest_place(const struct grower *g, uint32_t thread, int32_t location)
{
    const struct hrf_execution *execution = &g->execution;
    const int32_t last = execution->last[thread];
    const uint8_t regions = (uint8_t)g->program->locations[location].region;
    uint16_t oldest = 0;
    for (int32_t e = last < 0 ? HRF_NONE : execution->last_access[location]; e >= 0;
         e = execution->events[e].previous_access) {
        const struct hrf_event *event = &execution->events[e];
        uint16_t known = hrf_newest_position(execution, event);
        if (known > oldest &&
            (e == last || hrf_happens_before(&g->growing, (uint32_t)e, (uint32_t)last, regions)))
            oldest = known;
    }
    return oldest;
}

static void renumber(struct grower *g, int32_t location, uint32_t from)
{
    for (uint32_t p = from; p < g->n_stores[location]; p++)
        g->execution.events[g->coherence[location][p]].position = (uint16_t)(p + 1);
}

/* Returns whether a store may come at this place: nothing comes between a read-modify-write and what it reads. */
static bool is_place(const struct grower *g, int32_t location, uint32_t place)
{
    return place == g->n_stores[location] ||
           !g->execution.events[g->coherence[location][place]].reads;
}

static void insert(struct grower *g, int32_t location, uint32_t place, int16_t store)
{
    int16_t *order = g->coherence[location];
    memmove(&order[place + 1], &order[place], (g->n_stores[location] - place) * sizeof *order);
    order[place] = store;
    g->n_stores[location]++;
    renumber(g, location, place);
}

static void take_out(struct grower *g, int32_t location, uint32_t place)
{
    int16_t *order = g->coherence[location];
    g->n_stores[location]--;
    memmove(&order[place], &order[place + 1], (g->n_stores[location] - place) * sizeof *order);
    renumber(g, location, place);
}

/* Adds the thread's next event and all that can follow, then takes it back. @param place  of a store. */
static void try_event(struct grower *g, const struct hrf_event *event, uint32_t place, uint32_t old)
{
    const uint32_t thread = event->thread, n = g->execution.n, waited = g->waits_since[thread];
    const struct hrf_locals before = g->locals[thread];
    int16_t number = hrf_execution_add(&g->execution, event);
    if (event->writes)
        insert(g, event->location, place, number);
    if (!g->rules->is_sc || hrf_linearize(&g->execution, &g->line)) {
        hrf_order_last(&g->growing, &g->execution);
        hrf_step(g->program, thread, &g->locals[thread], old);
        g->waits_since[thread] = 0;
        extend(g);
        g->waits_since[thread] = waited;
    }
    g->locals[thread] = before;
    if (event->writes)
        take_out(g, event->location, place);
    hrf_execution_drop(&g->execution, n);
}

void hrf_pass_barrier(struct hrf_execution *execution, struct hrf_locals *locals, uint32_t thread)
{
    const struct hrf_program *program = execution->program;
    const uint16_t round = (uint16_t)execution->n;
    const struct hrf_instruction *barrier = hrf_next_event(program, thread, &locals[thread]);
    for (uint32_t mask = hrf_barrier_mask(program, thread, barrier); mask; mask &= mask - 1) {
        uint32_t t = (uint32_t)__builtin_ctz(mask);
        struct hrf_event event;
        hrf_make_event(program, t, &locals[t], 0, &event);
        event.round = round;
        hrf_execution_add(execution, &event);
        hrf_step(program, t, &locals[t], 0);
    }
}

static void try_barrier(struct grower *g, uint32_t thread)
{
    struct hrf_locals before[HRF_MAX_THREADS];
    const uint32_t n = g->execution.n;
    memcpy(before, g->locals, sizeof before);
    hrf_pass_barrier(&g->execution, g->locals, thread);
    hrf_order_last(&g->growing, &g->execution);
    extend(g);
    memcpy(g->locals, before, sizeof before);
    hrf_execution_drop(&g->execution, n);
}

/* Adds a store, fence or barrier, in each place. */
static void add_forced(struct grower *g, uint32_t thread)
{
    const struct hrf_instruction *next = next_of(g, thread);
    struct hrf_event event;
    if (next->op == HRF_BARRIER) {
        try_barrier(g, thread);
        return;
    }
    hrf_make_event(g->program, thread, &g->locals[thread], 0, &event);
    if (!event.writes) {
        try_event(g, &event, 0, 0);
        return;
    }
    const uint32_t oldest = oldest_place(g, thread, next->location);
    for (uint32_t place = g->n_stores[next->location] + 1; place-- > oldest;)
        if (is_place(g, next->location, place))
            try_event(g, &event, place, 0);
}

/* Reads from one store, or the initial value. */
static void try_source(struct grower *g, uint32_t thread, int32_t source)
{
    const struct hrf_instruction *next = next_of(g, thread);
    const struct hrf_event *store = source < 0 ? NULL : &g->execution.events[source];
    const uint32_t value = store ? store->value : g->program->locations[next->location].initial;
    const uint32_t place = store ? store->position : 0; /* behind it */
    struct hrf_event event;
    if (!hrf_accepts(g->program, next, &g->locals[thread], value))
        return;
    hrf_make_event(g->program, thread, &g->locals[thread], value, &event);
    event.source = (int16_t)source;
    if (!event.writes || is_place(g, next->location, place))
        try_event(g, &event, place, value);
}

/* Reads from every store that is there, of those that came since the read waits. */
static void try_sources(struct grower *g, uint32_t thread)
{
    const int32_t location = next_of(g, thread)->location;
    const uint32_t oldest = oldest_place(g, thread, location), since = g->waits_since[thread];
    for (uint32_t place = g->n_stores[location] + 1; place-- > oldest && !g->is_over;) {
        int32_t source = place ? g->coherence[location][place - 1] : HRF_NONE;
        if (!since || source + 1 >= (int32_t)since)
            try_source(g, thread, source);
    }
}

/* ---- which comes next ------------------------------------------------------------------------ */

/* Returns a thread whose next event reads nothing and can be made, or HRF_NONE. */
static int32_t find_forced(const struct grower *g)
{
    for (uint32_t t = 0; t < g->program->n_threads; t++) {
        const struct hrf_instruction *next = next_of(g, t);
        if (next && !hrf_reads(next->op) &&
            (next->op != HRF_BARRIER || hrf_barrier_is_met(g->program, g->locals, t)))
            return (int32_t)t;
    }
    return HRF_NONE;
}

/* Returns whether another thread may still store there. */
static bool may_change(const struct grower *g, uint32_t thread, int32_t location)
{
    for (uint32_t t = 0; t < g->program->n_threads; t++)
        if (t != thread && next_of(g, t) && g->locals[t].at < g->last_store[t][location])
            return true;
    return false;
}

/* Returns whether the read has a store to take that it has not refused. */
static bool has_new_source(const struct grower *g, uint32_t thread, int32_t location)
{
    return !g->waits_since[thread] ||
           g->execution.last_write[location] + 1 >= (int32_t)g->waits_since[thread];
}

/* Returns a thread that reads next, or HRF_NONE: rather one whose location no other thread stores to. */
static int32_t find_reader(const struct grower *g)
{
    int32_t found = HRF_NONE;
    for (uint32_t t = 0; t < g->program->n_threads; t++) {
        const struct hrf_instruction *next = next_of(g, t);
        if (!next || !hrf_reads(next->op) || !has_new_source(g, t, next->location))
            continue;
        if (!may_change(g, t, next->location))
            return (int32_t)t;
        if (found < 0)
            found = (int32_t)t;
    }
    return found;
}

static bool may_wait(const struct grower *g, uint32_t thread)
{
    const struct hrf_instruction *next = next_of(g, thread);
    return may_change(g, thread, next->location) ||
           !hrf_accepts(g->program, next, &g->locals[thread], last_value(g, next->location));
}

static void extend(struct grower *g)
{
    uint32_t waits_since[HRF_MAX_THREADS];
    if (g->is_over)
        return;
    if (g->execution.n + g->program->n_threads > HRF_MAX_EVENTS) {
        end_branch(g, true, true);
        return;
    }
    int32_t thread = find_forced(g);
    if (thread >= 0) {
        add_forced(g, (uint32_t)thread);
        return;
    }
    memcpy(waits_since, g->waits_since, sizeof waits_since);
    while ((thread = find_reader(g)) >= 0) {
        try_sources(g, (uint32_t)thread);
        if (g->is_over || !may_wait(g, (uint32_t)thread))
            break;
        g->waits_since[thread] = g->execution.n + 1;
    }
    if (thread < 0)
        end_branch(g, is_end(g), false);
    memcpy(g->waits_since, waits_since, sizeof waits_since);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void find_last_stores(struct grower *g)
{
    for (uint32_t t = 0; t < g->program->n_threads; t++) {
        const struct hrf_thread *thread = &g->program->threads[t];
        uint32_t last = 0; /* what a loop stores may be stored until its end */
        for (uint32_t k = thread->n_code; k-- > 0;) {
            const struct hrf_instruction *i = &thread->code[k];
            if (i->op == HRF_JUMP && i->target <= k && last < k + 1)
                last = k + 1;
            uint16_t *to = i->location < 0 ? NULL : &g->last_store[t][i->location];
            if (to && hrf_may_write(i->op) && !*to)
                *to = (uint16_t)(last > k + 1 ? last : k + 1);
        }
    }
}

static int prepare(struct grower *g)
{
    g->coherence = calloc(g->program->n_locations + 1, sizeof *g->coherence);
    int code = hrf_execution_init(&g->execution, g->program) |
               hrf_execution_init(&g->line, g->program) |
               hrf_orders_init(&g->growing, g->program, g->rules, true) |
               hrf_orders_init(&g->whole, g->program, g->rules, false);
    if (code || !g->coherence)
        return -1;
    for (uint32_t t = 0; t < g->program->n_threads; t++)
        hrf_locals_init(g->program, t, &g->locals[t]);
    find_last_stores(g);
    return 0;
}

int hrf_explore(struct hrf_search *search)
{
    struct grower *g = calloc(1, sizeof *g);
    if (!g)
        return -1;
    g->search = search;
    g->program = search->program;
    g->rules = search->rules;
    search->n = 0;
    search->is_limited = false;
    int code = prepare(g);
    if (!code)
        extend(g);
    free(g->coherence);
    hrf_execution_free(&g->execution);
    hrf_execution_free(&g->line);
    hrf_orders_free(&g->growing);
    hrf_orders_free(&g->whole);
    free(g);
    return code;
}
