/* SPDX-License-Identifier: MIT */
/*
 * The two engines on random programs, against enumerations without any cleverness: every interleaving; and every choice
 * of what reads read and how stores are ordered. Laws that hold between models.
 *
 * usage: test_hrf_engines [SEED [PROGRAMS]]
 *
 * Path:    meson test -> this -> tools/hrf/checker.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checker/consistent.h"
#include "checker/graphs.h"
#include "checker/machine.h"
#include "checker/parse.h"
#include "checker/race.h"
#include "checker/shadow.h"
#include "checker/verdict.h"
#include "random_program.h"

#define MAX_KEYS 65536u
#define MOST_CHOICES \
    300000u /* of an enumeration, half a second; few programs of many read-modify-writes have more */

static uint64_t seed = 20261122;
static uint32_t n_programs = 100;

struct keys {
    uint64_t key[MAX_KEYS];
    uint32_t n;
    struct hrf_orders orders[HRF_N_MODELS];
    uint32_t races; /* mask of models */
    bool is_full;
};

static struct hrf_program *parse(const char *text)
{
    char error[HRF_ERROR_BYTES];
    struct hrf_program *program = hrf_parse("random", text, strlen(text), error);
    if (!program)
        fail_msg("%s\n%s", error, text);
    return program;
}

static bool collect(void *context, const struct hrf_execution *execution,
                    const struct hrf_outcome *outcome)
{
    struct keys *keys = context;
    uint32_t pair[2];
    (void)outcome;
    keys->is_full = keys->n == MAX_KEYS;
    if (keys->is_full)
        return false;
    keys->key[keys->n++] = key_of(execution);
    for (int m = 0; m < HRF_N_MODELS; m++)
        if (!(keys->races >> m & 1)) {
            hrf_order(&keys->orders[m], execution, execution->n_kept);
            keys->races |= hrf_find_race(&keys->orders[m], execution->n_kept, pair) ? 1u << m : 0;
        }
    return true;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static struct keys *make_keys(const struct hrf_program *program)
{
    struct keys *keys = calloc(1, sizeof *keys);
    assert_non_null(keys);
    for (int m = 0; m < HRF_N_MODELS; m++)
        assert_int_equal(hrf_orders_init(&keys->orders[m], program, &hrf_rules[m], false), 0);
    return keys;
}

static void free_keys(struct keys *keys)
{
    for (int m = 0; m < HRF_N_MODELS; m++)
        hrf_orders_free(&keys->orders[m]);
    free(keys);
}

/* Sort, and drop what is there twice. @return how many there were. */
static uint32_t settle(struct keys *keys)
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

static void expect_same(const struct keys *a, const struct keys *b, const char *what,
                        const char *text)
{
    if (a->n != b->n || memcmp(a->key, b->key, a->n * sizeof *a->key) || a->races != b->races)
        fail_msg("%s: %u and %u executions, races %x and %x:\n%s", what, a->n, b->n, a->races,
                 b->races, text);
}

/* ---- engine sc ------------------------------------------------------------------------------- */

static void compare_interleavings(const char *text, bool has_remote)
{
    struct hrf_program *program = parse(text);
    struct keys *all = make_keys(program), *reduced = make_keys(program);
    struct hrf_search every = {.program = program,
                               .visit = collect,
                               .context = all,
                               .limit = MAX_KEYS,
                               .is_exhaustive = true};
    struct hrf_search few = every;
    few.context = reduced;
    few.is_exhaustive = false;
    assert_int_equal(hrf_explore_sc(&every), 0);
    assert_int_equal(hrf_explore_sc(&few), 0);
    if (!every.is_limited && !all->is_full) {
        settle(all);
        uint32_t n = settle(reduced);
        expect_same(all, reduced, "every interleaving, and the reduction", text);
        if (n != reduced->n && !has_remote &&
            !strstr(text, "cas")) /* one that fails may have stored */
            fail_msg("%u executions twice:\n%s", n - reduced->n, text);
    }
    free_keys(all);
    free_keys(reduced);
    hrf_program_free(program);
}

static void reduction_loses_and_repeats_nothing(void **state)
{
    (void)state;
    struct random_text random = {.state = seed};
    for (uint32_t i = 0; i < n_programs; i++) {
        const struct random_shape shape = {.max_threads = 3,
                                           .max_statements = 3,
                                           .n_locations = 2,
                                           .has_branches = true,
                                           .has_awaits = i % 3 == 0,
                                           .has_barriers = i % 4 == 0,
                                           .has_fences = true,
                                           .has_remote = i % 2,
                                           .has_plain = true};
        compare_interleavings(random_program(&random, &shape), shape.has_remote);
    }
}

/* ---- engine graphs --------------------------------------------------------------------------- */

/* All executions of a program without branches: sources first, then coherence, then what the axioms say. */
struct enumeration {
    const struct hrf_program *program;
    enum hrf_model model;
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

/* Add events when what they read is there. @return whether all could be: no cycle of program order and reads-from. */
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
    struct keys *keys = e->keys;
    uint32_t pair[2];
    e->n_choices++;
    if (is_too_long(e) || !build(e) || !is_atomic(e))
        return;
    struct hrf_orders *orders = &keys->orders[e->model];
    hrf_order(orders, &e->execution, 0);
    if (!hrf_is_consistent(orders))
        return;
    assert_true(keys->n < MAX_KEYS);
    keys->key[keys->n++] = key_of(&e->execution);
    keys->races |= hrf_find_race(orders, 0, pair) ? 1u : 0;
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

/* Whether each compare-and-swap succeeds, then each read's source. */
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

struct graph_keys {
    struct keys *keys;
    enum hrf_model model;
};

static bool collect_graph(void *context, const struct hrf_execution *execution,
                          const struct hrf_outcome *outcome)
{
    struct graph_keys *graph = context;
    struct keys *keys = graph->keys;
    uint32_t pair[2];
    (void)outcome;
    assert_true(keys->n < MAX_KEYS);
    keys->key[keys->n++] = key_of(execution);
    hrf_order(&keys->orders[graph->model], execution, 0);
    keys->races |= hrf_find_race(&keys->orders[graph->model], 0, pair) ? 1u : 0;
    return true;
}

/* @return whether the enumeration was short enough to compare with. */
static bool compare_graphs(const char *text, enum hrf_model model)
{
    struct hrf_program *program = parse(text);
    struct enumeration *e = calloc(1, sizeof *e);
    struct graph_keys graph = {make_keys(program), model};
    struct hrf_search search = {
        .program = program, .visit = collect_graph, .context = &graph, .limit = UINT64_MAX};
    assert_non_null(e);
    e->program = program;
    e->model = model;
    e->keys = make_keys(program);
    assert_int_equal(hrf_execution_init(&e->execution, program), 0);
    list_events(e);
    choose(e, 0);
    assert_int_equal(hrf_explore_graphs(&search, &hrf_rules[model]), 0);
    const bool is_whole = !is_too_long(e);
    uint32_t n = settle(graph.keys);
    settle(e->keys);
    if (is_whole)
        expect_same(e->keys, graph.keys, hrf_rules[model].name, text);
    if (n != graph.keys->n)
        fail_msg("%u graphs twice:\n%s", n - graph.keys->n, text);
    hrf_execution_free(&e->execution);
    free_keys(e->keys);
    free_keys(graph.keys);
    free(e);
    hrf_program_free(program);
    return is_whole;
}

static void graphs_lose_and_repeat_nothing(void **state)
{
    (void)state;
    static const enum hrf_model weak[] = {HRF_OPENCL, HRF_INDIRECT_RELAXED, HRF_RSP_PAIR,
                                          HRF_DIRECT_RELAXED};
    struct random_text random = {.state = seed + 1};
    uint32_t n_compared = 0;
    for (uint32_t i = 0; i < n_programs; i++) {
        const struct random_shape shape = {.max_threads = 3,
                                           .max_statements = 2 + i % 2,
                                           .n_locations = 2,
                                           .has_fences = true,
                                           .has_remote = i % 5 == 0,
                                           .has_plain = i % 3 == 0};
        n_compared += compare_graphs(random_program(&random, &shape), weak[i % 4]);
    }
    print_message("%u of %u programs enumerated\n", n_compared, n_programs);
    assert_true(n_compared >= n_programs - n_programs / 50);
}

/* ---- laws ------------------------------------------------------------------------------------ */

static struct hrf_verdict judge_all(const struct hrf_program *program, enum hrf_engine engine)
{
    const struct hrf_question question = {
        .models = (1u << HRF_N_MODELS) - 1, .engine = engine, .limit = 100000};
    struct hrf_verdict verdict;
    assert_int_equal(hrf_judge(program, &question, &verdict), 0);
    return verdict;
}

static void expect_implied(const struct hrf_verdict *verdict, enum hrf_model free_in,
                           enum hrf_model then_in, const char *text)
{
    if (verdict->of[free_in].answer == HRF_IS_FREE && verdict->of[then_in].answer == HRF_HAS_RACE)
        fail_msg("free in %s, not in %s:\n%s", hrf_rules[free_in].name, hrf_rules[then_in].name,
                 text);
}

static void what_is_free_in_a_strict_model_is_free_in_a_lax_one(void **state)
{
    (void)state;
    struct random_text random = {.state = seed + 2};
    for (uint32_t i = 0; i < n_programs; i++) {
        const struct random_shape shape = {.max_threads = 3,
                                           .max_statements = 4,
                                           .n_locations = 2,
                                           .has_branches = true,
                                           .has_awaits = true,
                                           .has_fences = i % 2,
                                           .has_plain = true};
        const char *text = random_program(&random, &shape);
        struct hrf_program *program = parse(text);
        struct hrf_verdict verdict = judge_all(program, HRF_ENGINE_SC);
        for (int m = 0; m < HRF_N_MODELS; m++) /* of SC executions alone these are laws */
            if (verdict.of[m].answer == HRF_IS_FREE_SC)
                verdict.of[m].answer = HRF_IS_FREE;
        expect_implied(&verdict, HRF_DIRECT, HRF_INDIRECT, text);
        expect_implied(&verdict, HRF_DIRECT_RELAXED, HRF_INDIRECT_RELAXED, text);
        expect_implied(&verdict, HRF_INDIRECT, HRF_INDIRECT_RELAXED, text);
        expect_implied(&verdict, HRF_INDIRECT_RELAXED, HRF_RSP, text);
        expect_implied(&verdict, HRF_INDIRECT_RELAXED, HRF_RSP_PAIR, text);
        expect_implied(&verdict, HRF_OPENCL, HRF_INDIRECT, text);
        hrf_verdict_free(&verdict);
        hrf_program_free(program);
    }
}

static void free_programs_with_seq_cst_alone_have_no_weak_executions(void **state)
{
    (void)state;
    struct random_text random = {.state = seed + 3};
    const struct random_shape shape = {.max_threads = 3,
                                       .max_statements = 4,
                                       .n_locations = 2,
                                       .has_branches = false,
                                       .is_seq_cst = true};
    for (uint32_t i = 0; i < n_programs; i++) {
        const char *text = random_program(&random, &shape);
        struct hrf_program *program = parse(text);
        struct keys *sc = make_keys(program), *weak = make_keys(program);
        struct hrf_search search = {
            .program = program, .visit = collect, .context = sc, .limit = MAX_KEYS};
        assert_int_equal(hrf_explore_sc(&search), 0);
        search.context = weak;
        assert_int_equal(hrf_explore_graphs(&search, &hrf_rules[HRF_OPENCL]), 0);
        settle(sc);
        settle(weak);
        expect_same(sc, weak, "sc and graphs", text);
        free_keys(sc);
        free_keys(weak);
        hrf_program_free(program);
    }
}

/* A search that ends when the condition holds has not seen that there is no race. */
static void search_that_ends_early_finds_nothing_free(void **state)
{
    (void)state;
    struct hrf_program *program = parse("litmus early\n"
                                        "locations data, flag;\n"
                                        "thread a dev 0 wg 0 {\n"
                                        "    data = 1;\n"
                                        "    store(flag, 1, relaxed, sys);\n"
                                        "}\n"
                                        "thread b dev 0 wg 1 {\n"
                                        "    f = load(flag, relaxed, sys);\n"
                                        "    if (f == 0) { d = data; }\n"
                                        "}\n"
                                        "exists flag == 1;\n");
    const struct hrf_question question = {.models = 1u << HRF_DIRECT,
                                          .engine = HRF_ENGINE_GRAPHS,
                                          .limit = 100000,
                                          .is_curious = true,
                                          .ends_at_exists = true};
    struct hrf_verdict verdict;
    assert_int_equal(hrf_judge(program, &question, &verdict), 0);
    assert_int_not_equal(verdict.of[HRF_DIRECT].answer, HRF_IS_FREE);
    hrf_verdict_free(&verdict);
    hrf_program_free(program);
}

static void forgotten_memory_ends_before_the_next_word(void **state)
{
    (void)state;
    struct hrf_shadow shadow = {.cells = NULL};
    const struct hrf_access access = {.clock = 1};
    for (uint64_t address = 64; address <= 80; address += 8)
        assert_int_equal(hrf_cell_add(hrf_shadow_cell(&shadow, address), &access), 0);
    hrf_shadow_forget(&shadow, 64, 12);
    assert_int_equal(hrf_shadow_cell(&shadow, 64)->n, 0);
    assert_int_equal(hrf_shadow_cell(&shadow, 72)->n, 0);
    assert_int_equal(hrf_shadow_cell(&shadow, 80)->n, 1);
    assert_int_equal(hrf_cell_add(hrf_shadow_cell(&shadow, 72), &access), 0);
    hrf_shadow_forget(&shadow, 64, 8);
    assert_int_equal(hrf_shadow_cell(&shadow, 72)->n, 1);
    hrf_shadow_free(&shadow);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_that_ends_early_finds_nothing_free),
        cmocka_unit_test(forgotten_memory_ends_before_the_next_word),
        cmocka_unit_test(reduction_loses_and_repeats_nothing),
        cmocka_unit_test(graphs_lose_and_repeat_nothing),
        cmocka_unit_test(what_is_free_in_a_strict_model_is_free_in_a_lax_one),
        cmocka_unit_test(free_programs_with_seq_cst_alone_have_no_weak_executions),
    };
    if (argc > 1)
        seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        n_programs = (uint32_t)strtoul(argv[2], NULL, 10);
    print_message("seed %llu, %u programs\n", (unsigned long long)seed, n_programs);
    return cmocka_run_group_tests_name("hrf engines", tests, NULL, NULL);
}
