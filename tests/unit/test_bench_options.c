/* SPDX-License-Identifier: MIT */
/*
 * Numbers of benchmarks' options: a value takes one, a list as many as its array has; anything else is refused and
 * writes nothing. Tables of options fill their fields, and what they refuse ends the process.
 *
 * Path: meson test -> this -> bench/bench_options.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

struct numbers {
    struct bench_options bench;
    uint32_t sizes[BENCH_MAX_LIST], n_sizes, times;
};

static const struct bench_option table[] = {
    {"sizes", 's', "of all", BENCH_LIST(struct numbers, sizes, n_sizes, 1, 9)},
    {"times", 't', "of each", BENCH_COUNT(struct numbers, times, 0, 9)},
    {0}};

static struct numbers parse(char **arguments)
{
    struct numbers numbers = {.bench = BENCH_OPTIONS_INIT, .sizes = {7, 8}, .n_sizes = 2};
    int n = 0;
    while (arguments[n])
        n++;
    bench_parse(n, arguments, NULL, table, &numbers, &numbers.bench);
    return numbers;
}

static void a_table_fills_its_fields(void **state)
{
    (void)state;
    struct numbers numbers = parse((char *[]){"bench", NULL});
    assert_int_equal(numbers.n_sizes, 2);
    assert_int_equal(numbers.sizes[1], 8);
    numbers = parse((char *[]){"bench", "-t", "5", "--sizes=4,3,2", "--runs", "3", NULL});
    assert_int_equal(numbers.n_sizes, 3);
    assert_int_equal(numbers.sizes[0], 4);
    assert_int_equal(numbers.sizes[2], 2);
    assert_int_equal(numbers.times, 5);
    assert_int_equal(numbers.bench.runs, 3);
}

/* Exit status of a process with these arguments, which says why at the end of `said`. */
static int status_of(char **arguments, char said[200])
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        parse(arguments);
        _exit(0);
    }
    close(ends[1]);
    ssize_t n = read(ends[0], said, 199);
    said[n > 0 ? n : 0] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void what_a_table_refuses_ends_the_process(void **state)
{
    (void)state;
    char said[200];
    assert_int_equal(status_of((char *[]){"bench", "-t", "9", NULL}, said), 0);
    assert_int_equal(status_of((char *[]){"bench", "-t", "3,4", NULL}, said), 64);
    assert_non_null(strstr(said, "--times takes a number from 0 to 9, not 3,4"));
    assert_int_equal(status_of((char *[]){"bench", "-s", "3,10", NULL}, said), 64);
    assert_non_null(
        strstr(said, "--sizes takes numbers, separated by commas, from 1 to 9, not 3,10"));
    assert_int_equal(status_of((char *[]){"bench", "-x", NULL}, said), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_is_one_number_in_its_bounds),
        cmocka_unit_test(a_list_has_as_many_numbers_as_its_array),
        cmocka_unit_test(a_table_fills_its_fields),
        cmocka_unit_test(what_a_table_refuses_ends_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
