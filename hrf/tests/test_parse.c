/* SPDX-License-Identifier: MIT */
/*
 * What the parser takes, and what it says of what it does not take: file, line, what is wrong and what was expected.
 *
 * Path:    meson test -> this -> hrf/src/checker/parse.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checker/parse.h"

#define HEAD "litmus t\nlocations x, y = 3, local f;\n"
#define THREAD(code) HEAD "thread P dev 0 wg 0 {\n" code "\n}\n"

static struct hrf_program *parse(const char *text, char *error)
{
    error[0] = '\0';
    return hrf_parse("t.litmus", text, strlen(text), error);
}

static const struct refusal {
    const char *text, *error;
} refusals[] = {
    {"", "t.litmus:1: no name, expected 'litmus NAME'"},
    {"litmus t\n", "t.litmus:2: no thread, expected at least one"},
    {"litmus\n", "t.litmus:2: the file ends, expected the program's name"},
    {"litmus t\nthraed P", "t.litmus:2: 'thraed', expected litmus, locations, thread, expect or"},
    {"litmus t\nlocations x, x;", "t.litmus:2: 'x', expected a new name of a location"},
    {"litmus t\nlocations cas;", "t.litmus:2: 'cas', expected a new name of a location"},
    {"litmus t\nlocations x = 4294967296;", "t.litmus:2: '4294967296', expected a number of 32"},
    {"litmus t\nlocations x = 1z;", "t.litmus:2: '1', expected a number of 32 bits"},
    {"litmus t\nlocations x @", "t.litmus:2: character '@', expected a word, a number or a sign"},
    {HEAD "thread P dev 0 {", "t.litmus:3: '{', expected 'wg'"},
    {HEAD "thread P dev 0 wg 0 { }\nthread P dev 0 wg 0 { }",
     "t.litmus:4: 'P', expected a new name of a thread"},
    {THREAD("store(x, 1, frobnicate, dev);"),
     "t.litmus:4: 'frobnicate', expected relaxed, acquire, release, acq_rel or seq_cst"},
    {THREAD("store(x, 1, release, grid);"),
     "t.litmus:4: 'grid', expected a scope: wi, sg, wg, dev or sys"},
    {THREAD("store(z, 1, release, dev);"), "t.litmus:4: 'z', expected a location"},
    {THREAD("r = load(x, release, dev);"),
     "t.litmus:4: order release, expected relaxed, acquire or seq_cst for a load"},
    {THREAD("store(x, 1, acquire, dev);"),
     "t.litmus:4: order acquire, expected relaxed, release or seq_cst for a store"},
    {THREAD("fence(relaxed, dev);"),
     "t.litmus:4: order relaxed, expected acquire, release, acq_rel or seq_cst for a fence"},
    {THREAD("r = cas(x, 0, 1, acq_rel/release, dev);"),
     "t.litmus:4: order release, expected relaxed, acquire or seq_cst for a load"},
    {THREAD("r = cas(x, 0, 1, relaxed/seq_cst, dev);"),
     "t.litmus:4: failed order seq_cst, expected one that is not stronger than relaxed"},
    {THREAD("fence(release, remote dev);"), "t.litmus:4: 'remote', expected a scope"},
    {THREAD("r = store(x, 1, release, dev);"), "t.litmus:4: a store gives no value, expected"},
    {THREAD("r = x + 1;"), "t.litmus:4: '+', expected ';'"},
    {THREAD("r = 1 + x;"),
     "t.litmus:4: location 'x' in an expression, expected 'register = x;' before it"},
    {THREAD("x = r;"),
     "t.litmus:4: 'r', expected a number, or a register that was assigned before"},
    {THREAD("r = r + 1;"), "t.litmus:4: 'r', expected a number, or a register"},
    {THREAD("r = x"), "t.litmus:5: '}', expected ';'"},
    {THREAD("x = 1 spare because;"), "t.litmus:4: 'because', expected a reason in quotes"},
    {THREAD("x = 1 spare \"because;"), "t.litmus:4: 'because;', expected a closing quote"},
    {THREAD("if (1) { x = 1;"), "t.litmus:6: the file ends, expected a statement"},
    {HEAD "thread P dev 0 wg 0 { f = 1; }\nthread Q dev 0 wg 1 {\n f = 2; }",
     "t.litmus:5: local location 'f' in two work-groups, expected one alone"},
    {THREAD("x = 1;") "expect sc free;", "t.litmus:6: 'sc', expected exists, or a model: direct,"},
    {THREAD("x = 1;") "expect opencl never;", "t.litmus:6: 'never', expected free or race"},
    {THREAD("x = 1;") "exists P:r == 1;", "t.litmus:6: 'r', expected a register of the thread"},
    {THREAD("x = 1;") "exists Q:r == 1;", "t.litmus:6: 'Q', expected a location, or thread:reg"},
    {THREAD("x = 1;") "exists x == 1;\nexists x == 2;", "t.litmus:7: 'x', expected one condition"},
};

static void bad_programs_are_refused_with_place_and_reason(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        char error[HRF_ERROR_BYTES];
        assert_null(parse(refusals[i].text, error));
        if (strncmp(error, refusals[i].error, strlen(refusals[i].error)))
            fail_msg("'%s' instead of '%s'", error, refusals[i].error);
    }
}

static void programs_beyond_the_limits_are_refused(void **state)
{
    (void)state;
    static char text[1 << 18];
    char error[HRF_ERROR_BYTES];
    size_t n = (size_t)sprintf(text, HEAD);
    for (int t = 0; t < HRF_MAX_THREADS + 1; t++)
        n += (size_t)sprintf(text + n, "thread P%d dev 0 wg %d { x = 1; }\n", t, t);
    assert_null(parse(text, error));
    assert_string_equal(error, "t.litmus:35: 'P32', expected at most 32 threads");
    n = (size_t)sprintf(text, HEAD "thread P dev 0 wg 0 {\n");
    for (int k = 0; k < HRF_MAX_EVENTS + 1; k++)
        n += (size_t)sprintf(text + n, "x = 1;\n");
    sprintf(text + n, "}\n");
    assert_null(parse(text, error));
    assert_string_equal(error, "t.litmus:4100: more than 4096 events, expected at most that many");
    n = (size_t)sprintf(text, HEAD "thread P dev 0 wg 0 { r = ");
    for (int k = 0; k < 1000; k++)
        n += (size_t)sprintf(text + n, "(");
    assert_null(parse(text, error));
    assert_string_equal(error, "t.litmus:3: brackets, expected at most 64 within each other");
    n = (size_t)sprintf(text, HEAD "thread P dev 0 wg 0 {");
    for (int k = 0; k < 1000; k++)
        n += (size_t)sprintf(text + n, " if (1) {");
    assert_null(parse(text, error));
    assert_string_equal(error, "t.litmus:3: blocks, expected at most 64 within each other");
}

static void a_program_has_its_parts(void **state)
{
    (void)state;
    char error[HRF_ERROR_BYTES];
    struct hrf_program *program =
        parse("litmus whole # a comment\nlocations x, y = 3, local f;\n"
              "thread P dev 1 wg 2 sg 3 { r = cas(x, 0, 1, acq_rel/relaxed, remote dev);\n"
              "  if (r == 0) { y = r + 2 * 3; } else { fence(release, wg, local); } }\n"
              "thread Q dev 1 wg 2 { x = 1 spare \"why\"; }\n"
              "expect opencl race, exists never;\nexists P:r == 1 && y == 9;\n",
              error);
    assert_string_equal(error, "");
    assert_non_null(program);
    const struct hrf_instruction *cas = &program->threads[0].code[0];
    assert_int_equal(cas->op, HRF_CAS);
    assert_int_equal(cas->order, HRF_ACQ_REL);
    assert_int_equal(cas->failed_order, HRF_RELAXED);
    assert_int_equal(cas->level, HRF_DEV);
    assert_true(cas->is_remote);
    assert_memory_equal(cas->text, "r = cas(x, 0, 1, acq_rel/relaxed, remote dev)", cas->n_text);
    assert_int_equal(program->threads[0].n_code, 5); /* cas, branch, store, jump, fence */
    assert_int_equal(program->threads[0].code[4].regions, HRF_LOCAL);
    assert_int_equal(program->threads[1].code[0].n_spare, 3);
    assert_int_equal(program->locations[1].initial, 3);
    assert_int_equal(program->expected.verdict[HRF_OPENCL], HRF_RACE);
    assert_int_equal(program->instances[program->threads[0].instances[HRF_WG]].mask, 3);
    assert_int_not_equal(program->threads[0].instances[HRF_SG],
                         program->threads[1].instances[HRF_SG]);
    hrf_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_programs_are_refused_with_place_and_reason),
        cmocka_unit_test(programs_beyond_the_limits_are_refused),
        cmocka_unit_test(a_program_has_its_parts),
    };
    return cmocka_run_group_tests_name("hrf parse", tests, NULL, NULL);
}
