/* SPDX-License-Identifier: MIT */
/*
 * Numbers of benchmarks' options: a value takes one, a list as many as its array has; anything else is refused and
 * writes nothing.
 *
 * Path: meson test -> this -> bench/bench_options.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench.h"

static void a_count_is_one_number_in_its_bounds(void **state)
{
    (void)state;
    static const char *const refused[] = {"", "0", "10", "-3", "3x", "x", "3,4", "3,4,5,6", "3,"};
    uint32_t around[3] = {77, 77, 77};
    assert_true(bench_count_parse("9", 1, 9, &around[1]));
    assert_int_equal(around[1], 9);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(bench_count_parse(refused[i], 1, 9, &around[1]));
    assert_int_equal(around[0], 77);
    assert_int_equal(around[1], 9);
    assert_int_equal(around[2], 77);
}

static void a_list_has_as_many_numbers_as_its_array(void **state)
{
    (void)state;
    uint32_t values[BENCH_MAX_LIST + 1] = {[BENCH_MAX_LIST] = 77};
    char text[2 * BENCH_MAX_LIST + 3] = "";
    for (uint32_t i = 0; i < BENCH_MAX_LIST; i++)
        text[2 * i] = '5', text[2 * i + 1] = i + 1 < BENCH_MAX_LIST ? ',' : '\0';
    assert_int_equal(bench_list_parse(text, 1, 9, values), BENCH_MAX_LIST);
    assert_int_equal(values[BENCH_MAX_LIST - 1], 5);
    text[2 * BENCH_MAX_LIST - 1] = ',', text[2 * BENCH_MAX_LIST] = '5';
    assert_int_equal(bench_list_parse(text, 1, 9, values), 0);
    assert_int_equal(values[BENCH_MAX_LIST], 77);
    assert_int_equal(bench_list_parse("1,,2", 1, 9, values), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_is_one_number_in_its_bounds),
        cmocka_unit_test(a_list_has_as_many_numbers_as_its_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
