/* SPDX-License-Identifier: MIT */
/*
 * Numbers of benchmarks' options: a value takes one, a list as many as its array has; anything else is refused and
 * writes nothing. Tables of options fill their fields, and what they refuse ends the process.
 *
 * Path: meson test -> this -> bench/bench_options.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "bench.h"

struct given {
    uint32_t sizes[BENCH_MAX_LIST], n_sizes, times, groups, powers, shape;
};

static const char *const shapes[] = {"tree", "rows", NULL};
static const struct bench_option table[] = {
    {"sizes", 's', "of all", BENCH_LIST(struct given, sizes, n_sizes, 1, 9)},
    {"times", 't', "of each", BENCH_COUNT(struct given, times, 0, 9)},
    {"groups", 'g', "of each", BENCH_COUNT(struct given, groups, 30, 90), .of = BENCH_MULTIPLES},
    {"powers", 'p', "of each", BENCH_COUNT(struct given, powers, 1, 90), .of = BENCH_POWERS},
    {"shape", 'f', "of each", BENCH_WORD(struct given, shape, shapes)},
    {0}};

static struct given parse(char **arguments)
{
    struct given given = {.sizes = {7, 8}, .n_sizes = 2};
    int n = 0;
    while (arguments[n])
        n++;
    bench_parse(n, arguments, NULL, table, &given);
    return given;
}

TEST(a_table_fills_its_fields)
{
    struct given given = parse((char *[]){"bench", NULL});
    assert_int_equal(given.n_sizes, 2);
    assert_int_equal(given.sizes[1], 8);
    given = parse((char *[]){"bench", "-t", "5", "--sizes=4,3,2", "--runs", "3", "-g", "60", "-p",
                             "64", "-f", "rows", NULL});
    assert_int_equal(given.n_sizes, 3);
    assert_int_equal(given.sizes[0], 4);
    assert_int_equal(given.sizes[2], 2);
    assert_int_equal(given.times, 5);
    assert_int_equal(given.groups, 60);
    assert_int_equal(given.powers, 64);
    assert_int_equal(given.shape, 1);
    assert_int_equal(bench_given.runs, 3);
}

TEST(a_list_has_as_many_numbers_as_its_array)
{
    uint32_t values[BENCH_MAX_LIST + 1] = {[BENCH_MAX_LIST] = 77};
    char text[2 * BENCH_MAX_LIST + 3];
    for (uint32_t i = 0; i <= BENCH_MAX_LIST; i++)
        text[2 * i] = '5', text[2 * i + 1] = ',';
    text[2 * BENCH_MAX_LIST + 1] = '\0';
    assert_int_equal(bench_list_parse(text, 1, 9, values), 0);
    assert_int_equal(values[BENCH_MAX_LIST], 77);
    text[2 * BENCH_MAX_LIST - 1] = '\0';
    assert_int_equal(bench_list_parse(text, 1, 9, values), BENCH_MAX_LIST);
    assert_int_equal(values[BENCH_MAX_LIST - 1], 5);
    assert_int_equal(bench_list_parse("1,,2", 1, 9, values), 0);
}

TEST(variants_are_wanted_by_name)
{
    static const char *const wanted[] = {"queue", "map"}, *const others[] = {"que", "queues",
                                                                             "any"};
    for (int i = 0; i < 5; i++) {
        const char *name = i < 2 ? wanted[i] : others[i - 2];
        bench_given.variants = NULL;
        assert_true(bench_is_wanted(name));
        bench_given.variants = "queue,map";
        assert_int_equal(bench_is_wanted(name), i < 2);
    }
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

TEST(what_a_table_refuses_ends_the_process)
{
    static const struct {
        char *option, *value;
        const char *said;
    } rows[] = {
        {"-t", "3,4", "--times takes a number from 0 to 9, not 3,4"},
        {"-s", "3,10", "--sizes takes numbers, separated by commas, from 1 to 9, not 3,10"},
        {"-g", "31", "--groups takes a number, a multiple of the least, from 30 to 90, not 31"},
        {"-t", "", ""},
        {"-t", "10", ""},
        {"-t", "-3", ""},
        {"-t", "3x", ""},
        {"-t", "3,", ""},
        {"-p", "48", ""},
        {"-f", "bush", ""},
        {"--runs", "2", ""},
        {"-x", NULL, ""},
    };
    char said[200];
    assert_int_equal(status_of((char *[]){"bench", "-t", "9", NULL}, said), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *arguments[] = {"bench", rows[i].option, rows[i].value, NULL};
        assert_int_equal(status_of(arguments, said), 64);
        assert_non_null(strstr(said, rows[i].said));
    }
}
