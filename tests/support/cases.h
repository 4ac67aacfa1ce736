/* SPDX-License-Identifier: MIT */
/*
 * Tests that register themselves: what follows TEST is a test of its program, so that a name is written once, and no
 * test is compiled that does not run. A program has a main of its own only if one run of its tests is not enough.
 *
 * Path:    TEST's records, which the linker lays side by side -> cases.c -> cmocka
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_CASES_H
#define GRAVEL_TESTS_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct test_case {
    const char *name, *part, *file;
    int line;
    void (*run)(void);
};

/** Begins a test. Tests run in the order of their lines. */
#define TEST(name) TEST_OF("", name)

/** Begins a test of a part: if the program's first argument names the part, its tests run, and no others; else it does not. */
#define TEST_OF(part, name)                                                                       \
    static void name(void);                                                                       \
    static const struct test_case name##_case = {#name, part, __FILE__, __LINE__, name};          \
    static const struct test_case *const name##_at __attribute__((section("test_cases"), used)) = \
        &name##_case;                                                                             \
    static void name(void)

/** Ends a test that cannot run here, and says why. */
_Noreturn void skip_because(const char *reason);

#define LIMIT_OF_TEST_S 120u

/** What surrounds the tests of a program; each member may be left out. */
struct fixture {
    unsigned limit_s;                     /* of each test, as watch; 0: LIMIT_OF_TEST_S */
    void (*open)(void), (*close)(void);   /* before the first test, after the last */
    void (*before)(void), (*after)(void); /* each test, whether or not it passed */
};

/** The program's, if it defines one: none by default. */
extern const struct fixture fixture;

/** Returns whether the program has this argument. */
bool has_argument(const char *name);

/** Runs the program's tests, or those whose names begin as TEST_ONLY says. @return how many failed. */
int run_cases(const char *name, const struct fixture *around, int n_arguments, char **arguments);

#endif
