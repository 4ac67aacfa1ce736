/* SPDX-License-Identifier: MIT */
/*
 * Runs the tests that a program has registered. See cases.h.
 */
#include "cases.h"

#include "scope.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TESTS 64u
#define N_CRASHES 4u

/* The section that TEST fills; the linker names its ends. */
extern const struct test_case *const __start_test_cases[];
extern const struct test_case *const __stop_test_cases[];

static const struct fixture *running;
static bool has_passed; /* the test, or cannot run here */
static int n_given;
static char **given;

bool has_argument(const char *name)
{
    for (int i = 1; i < n_given; i++)
        if (!strcmp(given[i], name))
            return true;
    return false;
}

static void watch_test(const char *name)
{
    watch(running->limit_s ? running->limit_s : LIMIT_OF_TEST_S, name);
}

static const int crashes[N_CRASHES] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction usual[N_CRASHES]; /* the system's, or a sanitizer's */

/* Takes from cmocka what it does at a crash: its handler calls malloc, whose lock a crash inside of malloc holds. */
static void let_crashes_end(void)
{
    for (size_t i = 0; i < N_CRASHES; i++)
        MUST(sigaction(crashes[i], &usual[i], NULL) == 0);
}

static int call(void (*function)(void))
{
    let_crashes_end();
    if (function)
        function();
    return 0;
}

static int open_all(void **state)
{
    (void)state;
    watch_test("opening");
    return call(running->open);
}

static int close_all(void **state)
{
    (void)state;
    watch_test("closing");
    return call(running->close);
}

static int begin_test(void **state)
{
    const struct test_case *test = *state;
    watch_test(test->name);
    has_passed = false;
    return call(running->before);
}

static int end_test(void **state)
{
    (void)state;
    end_scope(has_passed);
    return call(running->after);
}

static void run_one(void **state)
{
    const struct test_case *test = *state;
    has_passed = call(test->run) == 0;
}

void skip_because(const char *reason)
{
    print_message("skipped: %s\n", reason);
    has_passed = true;
    skip();
    abort();
}

static int compare_places(const void *left, const void *right)
{
    const struct test_case *a = ((const struct CMUnitTest *)left)->initial_state;
    const struct test_case *b = ((const struct CMUnitTest *)right)->initial_state;
    const int files = strcmp(a->file, b->file);
    return files ? files : a->line - b->line;
}

/* Returns the part that the first argument names; that of plain tests if it names none. */
static const char *find_part(void)
{
    for (const struct test_case *const *at = __start_test_cases; at < __stop_test_cases; at++)
        if (n_given > 1 && !strcmp((*at)->part, given[1]))
            return given[1];
    return "";
}

int run_cases(const char *name, const struct fixture *around, int n_arguments, char **arguments)
{
    struct CMUnitTest tests[MOST_TESTS];
    size_t n_tests = 0;
    running = around;
    n_given = n_arguments;
    given = arguments;
    const char *part = find_part(), *only = getenv("TEST_ONLY");
    for (const struct test_case *const *at = __start_test_cases; at < __stop_test_cases; at++)
        if (!strcmp((*at)->part, part) && (!only || !strncmp((*at)->name, only, strlen(only)))) {
            MUST(n_tests < MOST_TESTS);
            tests[n_tests++] = (struct CMUnitTest){(*at)->name, run_one, begin_test, end_test,
                                                   (void *)(uintptr_t)*at};
        }
    MUST(n_tests > 0);
    for (size_t i = 0; i < N_CRASHES; i++)
        MUST(sigaction(crashes[i], NULL, &usual[i]) == 0);
    setvbuf(stdout, NULL, _IOLBF, 0); /* the name of a test that crashes has come out */
    qsort(tests, n_tests, sizeof *tests, compare_places);
    return _cmocka_run_group_tests(name, tests, n_tests, open_all, close_all);
}
