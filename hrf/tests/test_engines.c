/* SPDX-License-Identifier: MIT */
/*
 * The engine on random programs, against enumerations without any cleverness: every interleaving; and every choice of
 * what reads read and how stores are ordered. Programs of seq_cst alone have no others than interleavings.
 *
 * usage: test_hrf_engines [SEED [PROGRAMS]]
 *
 * Path:    meson test -> this -> hrf/src/checker.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checker/explore.h"
#include "checker/parse.h"
#include "checker/verdict.h"
#include "enumeration.h"
#include "random_program.h"

#define ALL_MODELS ((1u << HRF_N_MODELS) - 1)

static uint64_t seed = 20261122;
static uint32_t n_programs = 100;

static struct hrf_program *parse(const char *text)
{
    char error[HRF_ERROR_BYTES];
    struct hrf_program *program = hrf_parse("random", text, strlen(text), error);
    if (!program)
        fail_msg("%s\n%s", error, text);
    return program;
}

/* ---- against enumerations -------------------------------------------------------------------- */

static bool collect(void *context, const struct hrf_execution *execution,
                    const struct hrf_outcome *outcome)
{
    (void)outcome;
    return keys_add(context, execution);
}

static struct keys *explore(const struct hrf_program *program, const struct hrf_rules *rules,
                            uint32_t models)
{
    struct keys *keys = keys_make(program, models);
    struct hrf_search search = {
        .program = program, .rules = rules, .visit = collect, .context = keys, .limit = UINT64_MAX};
    assert_int_equal(hrf_explore(&search), 0);
    return keys;
}

/* Compares what the engine finds with an enumeration. Returns whether that was short enough. */
static bool compare(const char *text, const struct hrf_rules *rules, uint32_t models,
                    enumerate *list_all)
{
    struct hrf_program *program = parse(text);
    struct keys *all = keys_make(program, models), *found = explore(program, rules, models);
    const bool is_whole = list_all(program, all);
    const uint32_t n = keys_sort(found);
    keys_sort(all);
    if (is_whole)
        keys_expect_same(all, found, rules->name, text);
    if (n != found->n)
        fail_msg("%u executions twice:\n%s", n - found->n, text);
    keys_free(all);
    keys_free(found);
    hrf_program_free(program);
    return is_whole;
}

static void interleavings_are_neither_lost_nor_repeated(void **state)
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
        compare(random_program(&random, &shape), &hrf_rules_sc, ALL_MODELS,
                enumerate_interleavings);
    }
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
        n_compared += compare(random_program(&random, &shape), &hrf_rules[weak[i % 4]],
                              1u << weak[i % 4], enumerate_graphs);
    }
    print_message("%u of %u programs enumerated\n", n_compared, n_programs);
    assert_true(n_compared >= n_programs - n_programs / 50);
}

/* ---- a law ----------------------------------------------------------------------------------- */

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
        struct keys *sc = explore(program, &hrf_rules_sc, ALL_MODELS);
        struct keys *weak = explore(program, &hrf_rules[HRF_OPENCL], ALL_MODELS);
        keys_sort(sc);
        keys_sort(weak);
        keys_expect_same(sc, weak, "sc and graphs", text);
        keys_free(sc);
        keys_free(weak);
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_that_ends_early_finds_nothing_free),
        cmocka_unit_test(interleavings_are_neither_lost_nor_repeated),
        cmocka_unit_test(graphs_lose_and_repeat_nothing),
        cmocka_unit_test(free_programs_with_seq_cst_alone_have_no_weak_executions),
    };
    if (argc > 1)
        seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        n_programs = (uint32_t)strtoul(argv[2], NULL, 10);
    print_message("seed %llu, %u programs\n", (unsigned long long)seed, n_programs);
    return cmocka_run_group_tests_name("hrf engines", tests, NULL, NULL);
}
