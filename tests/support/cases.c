/* SPDX-License-Identifier: MIT */
/*
 * Runs the tests that a program has registered. See cases.h.
 */
#include "cases.h"

#include "scope.h"

#include <stdlib.h>
#include <string.h>

#define MOST_TESTS 64u

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

static int call(void (*function)(void))
{
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
    test->run();
    has_passed = true;
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
    const char *part = find_part();
    for (const struct test_case *const *at = __start_test_cases; at < __stop_test_cases; at++)
        if (!strcmp((*at)->part, part)) {
            MUST(n_tests < MOST_TESTS);
            tests[n_tests++] = (struct CMUnitTest){(*at)->name, run_one, begin_test, end_test,
                                                   (void *)(uintptr_t)*at};
        }
    qsort(tests, n_tests, sizeof *tests, compare_places);
    return _cmocka_run_group_tests(name, tests, n_tests, open_all, close_all);
}
