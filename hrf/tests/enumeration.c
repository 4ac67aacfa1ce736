/* SPDX-License-Identifier: MIT */
/*
 * Enumerates executions, and compares sets of them. See enumeration.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "enumeration.h"

#include "checker/explore.h"
#include "checker/machine.h"
#include "checker/race.h"

/* ---- keys ------------------------------------------------------------------------------------ */

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

struct keys *keys_make(const struct hrf_program *program, uint32_t models)
{
    struct keys *keys = calloc(1, sizeof *keys);
    assert_non_null(keys);
    keys->models = models;
    for (int m = 0; m < HRF_N_MODELS; m++)
        if (models >> m & 1)
            assert_int_equal(hrf_orders_init(&keys->orders[m], program, &hrf_rules[m], false), 0);
    return keys;
}

void keys_free(struct keys *keys)
{
    for (int m = 0; m < HRF_N_MODELS; m++)
        hrf_orders_free(&keys->orders[m]);
    free(keys);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ (value + 1)) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Returns a key of what every event reads and where it stores, thread by thread. */
static uint64_t key_of(const struct hrf_execution *execution)
{
    uint64_t key = 1;
    for (uint32_t t = 0; t < execution->program->n_threads; t++)
        for (uint32_t e = 0; e < execution->n; e++) {
            const struct hrf_event *event = &execution->events[e];
            if (event->thread != t)
                continue;
            key = mix(key, t);
            key = mix(key, event->writes ? event->position : 0);
            if (event->reads && event->source >= 0) {
                const struct hrf_event *source = &execution->events[event->source];
                key = mix(key, 1u + source->thread * 64u + source->index);
            } else {
                key = mix(key, 0);
            }
        }
    return key;
}

bool keys_add(struct keys *keys, const struct hrf_execution *execution)
{
    uint32_t pair[2];
    if (keys->n == MAX_KEYS)
        return false;
    keys->key[keys->n++] = key_of(execution);
    for (int m = 0; m < HRF_N_MODELS; m++)
        if ((keys->models & ~keys->races) >> m & 1) {
            hrf_order(&keys->orders[m], execution);
            keys->races |= hrf_find_race(&keys->orders[m], pair) ? 1u << m : 0;
        }
    return true;
}

uint32_t keys_sort(struct keys *keys)
{
    const uint32_t before = keys->n;
    uint32_t n = 0;
    qsort(keys->key, keys->n, sizeof *keys->key, compare_keys);
    for (uint32_t i = 0; i < keys->n; i++)
        if (!n || keys->key[n - 1] != keys->key[i])
            keys->key[n++] = keys->key[i];
    keys->n = n;
    return before;
}

void keys_expect_same(const struct keys *a, const struct keys *b, const char *what,
                      const char *text)
{
    if (a->n != b->n || memcmp(a->key, b->key, a->n * sizeof *a->key) || a->races != b->races)
        fail_msg("%s: %u and %u executions, races %x and %x:\n%s", what, a->n, b->n, a->races,
                 b->races, text);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

#define MOST_CHOICES \
    300000u /* of an enumeration, half a second; few programs of many read-modify-writes have more */

struct enumeration {
    const struct hrf_program *program;
    struct hrf_orders *orders; /* of the model */
    struct hrf_execution execution;
    struct keys *keys;
    struct hrf_event wanted[64]; /* events in thread order; source: number there */
    uint32_t n;
    int32_t order[HRF_MAX_LOCATIONS][64]; /* stores in coherence order */
    uint32_t n_stores[HRF_MAX_LOCATIONS];
    uint64_t n_choices;
};

static bool is_too_long(const struct enumeration *e)
{
    return e->n_choices > MOST_CHOICES;
}

static int32_t number_of(const struct enumeration *e, uint32_t thread, uint32_t index)
{
    for (uint32_t k = 0; k < e->n; k++)
        if (e->wanted[k].thread == thread && e->wanted[k].index == index)
            return (int32_t)k;
    return HRF_NONE;
}

/* Adds events when what they read is there. @return whether all could be: no cycle of program order and reads-from. */
static bool build(struct enumeration *e)
{
    int32_t place[64];
    struct hrf_locals locals[HRF_MAX_THREADS];
    uint32_t n_done[HRF_MAX_THREADS] = {0};
    bool has_moved = true, is_right = true;
    memset(place, -1, sizeof place);
    hrf_execution_drop(&e->execution, 0);
    for (uint32_t t = 0; t < e->program->n_threads; t++)
        hrf_locals_init(e->program, t, &locals[t]);
    while (has_moved && is_right) {
        has_moved = false;
        for (uint32_t t = 0; t < e->program->n_threads; t++) {
            int32_t k = number_of(e, t, n_done[t] + 1);
            if (k < 0)
                continue;
            const struct hrf_event *wanted = &e->wanted[k];
            if (wanted->source >= 0 && place[wanted->source] < 0)
                continue;
            const int32_t source = wanted->source < 0 ? HRF_NONE : place[wanted->source];
            uint32_t old = source < 0 ? 0 : e->execution.events[source].value;
            struct hrf_event event;
            hrf_make_event(e->program, t, &locals[t], old, &event);
            if (event.writes != wanted->writes)
                is_right = false; /* a compare-and-swap that was taken to end the other way */
            event.source = (int16_t)source;
            event.position = wanted->position;
            place[k] = hrf_execution_add(&e->execution, &event);
            hrf_step(e->program, t, &locals[t], old);
            n_done[t]++;
            has_moved = true;
        }
    }
    return is_right && e->execution.n == e->n;
}

static bool is_atomic(const struct enumeration *e)
{
    for (uint32_t k = 0; k < e->execution.n; k++) {
        const struct hrf_event *event = &e->execution.events[k];
        if (event->reads && event->writes &&
            hrf_read_position(&e->execution, event) + 1 != event->position)
            return false;
    }
    return true;
}

static void judge(struct enumeration *e)
{
    e->n_choices++;
    if (is_too_long(e) || !build(e) || !is_atomic(e))
        return;
    hrf_order(e->orders, &e->execution);
    if (hrf_is_consistent(e->orders))
        assert_true(keys_add(e->keys, &e->execution));
}

static void order_stores(struct enumeration *e, uint32_t location, uint32_t n)
{
    if (location == e->program->n_locations) {
        judge(e);
        return;
    }
    if (n == e->n_stores[location]) {
        for (uint32_t p = 0; p < n; p++)
            e->wanted[e->order[location][p]].position = (uint16_t)(p + 1);
        order_stores(e, location + 1, 0);
        return;
    }
    for (uint32_t p = n; p < e->n_stores[location] && !is_too_long(e); p++) {
        int32_t *order = e->order[location], first = order[n];
        order[n] = order[p];
        order[p] = first;
        order_stores(e, location, n + 1);
        order[p] = order[n];
        order[n] = first;
    }
}

static bool sources_store(const struct enumeration *e)
{
    for (uint32_t k = 0; k < e->n; k++)
        if (e->wanted[k].source >= 0 && !e->wanted[e->wanted[k].source].writes)
            return false;
    return true;
}

static void list_stores(struct enumeration *e)
{
    if (!sources_store(e))
        return;
    memset(e->n_stores, 0, sizeof e->n_stores);
    for (uint32_t k = 0; k < e->n; k++)
        if (e->wanted[k].writes)
            e->order[e->wanted[k].location][e->n_stores[e->wanted[k].location]++] = (int32_t)k;
    order_stores(e, 0, 0);
}

/* Chooses whether each compare-and-swap succeeds, then each read's source. */
static void choose(struct enumeration *e, uint32_t k)
{
    if (k == e->n) {
        list_stores(e);
        return;
    }
    struct hrf_event *event = &e->wanted[k];
    for (int32_t source = HRF_NONE; source < (int32_t)e->n && !is_too_long(e); source++) {
        if (source >= 0 && ((uint32_t)source == k || !event->reads ||
                            !hrf_may_write(e->wanted[source].instruction->op) ||
                            e->wanted[source].location != event->location))
            continue;
        event->source = (int16_t)source;
        for (int writes = 0; writes < 2; writes++) {
            if (event->instruction->op != HRF_CAS)
                writes = hrf_may_write(event->instruction->op);
            event->writes = writes;
            choose(e, k + 1);
            if (event->instruction->op != HRF_CAS)
                break;
        }
    }
}

static void list_events(struct enumeration *e)
{
    e->n = 0;
    for (uint32_t t = 0; t < e->program->n_threads; t++)
        for (uint32_t k = 0; k < e->program->threads[t].n_code; k++) {
            const struct hrf_instruction *i = &e->program->threads[t].code[k];
            assert_true(hrf_is_event(i->op) && e->n < 64);
            e->wanted[e->n++] = (struct hrf_event){.instruction = i,
                                                   .location = (int16_t)i->location,
                                                   .thread = (uint8_t)t,
                                                   .index = (uint16_t)(k + 1),
                                                   .reads = hrf_reads(i->op),
                                                   .source = HRF_NONE};
        }
}

bool enumerate_graphs(const struct hrf_program *program, struct keys *keys)
{
    struct enumeration *e = calloc(1, sizeof *e);
    assert_non_null(e);
    e->program = program;
    e->orders = &keys->orders[__builtin_ctz(keys->models)];
    e->keys = keys;
    assert_int_equal(hrf_execution_init(&e->execution, program), 0);
    list_events(e);
    choose(e, 0);
    const bool is_whole = !is_too_long(e);
    hrf_execution_free(&e->execution);
    free(e);
    return is_whole;
}

/* ---- interleavings --------------------------------------------------------------------------- */

struct walk {
    const struct hrf_program *program;
    struct keys *keys;
    struct hrf_execution execution;
    struct hrf_locals locals[HRF_MAX_THREADS];
    uint32_t memory[HRF_MAX_LOCATIONS];
    bool is_full;
};

static bool can_step(const struct walk *w, uint32_t thread)
{
    const struct hrf_program *program = w->program;
    const struct hrf_locals *locals = &w->locals[thread];
    const struct hrf_instruction *next = hrf_next_event(program, thread, locals);
    if (!next)
        return false;
    if (next->op == HRF_BARRIER)
        return hrf_barrier_is_met(program, w->locals, thread);
    return next->op != HRF_AWAIT || hrf_accepts(program, next, locals, w->memory[next->location]);
}

static void step(struct walk *w, uint32_t thread)
{
    const struct hrf_program *program = w->program;
    struct hrf_locals *locals = &w->locals[thread];
    const struct hrf_instruction *next = hrf_next_event(program, thread, locals);
    const int32_t location = next->location;
    const uint32_t old = location < 0 ? 0 : w->memory[location];
    struct hrf_event event;
    if (next->op == HRF_BARRIER) {
        hrf_pass_barrier(&w->execution, w->locals, thread);
        return;
    }
    hrf_make_event(program, thread, locals, old, &event);
    if (location >= 0) {
        const int16_t last = w->execution.last_write[location];
        event.source = event.reads ? last : HRF_NONE;
        event.position = (uint16_t)(last < 0 ? 1 : w->execution.events[last].position + 1);
        w->memory[location] = event.writes ? event.value : old;
    }
    hrf_execution_add(&w->execution, &event);
    hrf_step(program, thread, locals, old);
}

static void walk(struct walk *w)
{
    const struct walk before = *w;
    bool has_stepped = false;
    for (uint32_t t = 0; t < w->program->n_threads && !w->is_full; t++) {
        if (!can_step(w, t))
            continue;
        has_stepped = true;
        step(w, t);
        walk(w);
        hrf_execution_drop(&w->execution, before.execution.n);
        memcpy(w->locals, before.locals, sizeof w->locals);
        memcpy(w->memory, before.memory, sizeof w->memory);
    }
    if (!has_stepped)
        w->is_full = !keys_add(w->keys, &w->execution);
}

bool enumerate_interleavings(const struct hrf_program *program, struct keys *keys)
{
    struct walk w = {.program = program, .keys = keys};
    assert_int_equal(hrf_execution_init(&w.execution, program), 0);
    for (uint32_t t = 0; t < program->n_threads; t++)
        hrf_locals_init(program, t, &w.locals[t]);
    for (uint32_t l = 0; l < program->n_locations; l++)
        w.memory[l] = program->locations[l].initial;
    walk(&w);
    hrf_execution_free(&w.execution);
    return !w.is_full;
}
