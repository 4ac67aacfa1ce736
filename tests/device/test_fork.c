/* SPDX-License-Identifier: MIT */
/*
 * A forked child has the node's memory and none of its threads: every call there fails at once, and the parent's node
 * works on.
 *
 * Path: meson test -> this -> lib/base/fork.c
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "made_calls.h"

/* In the child, where no assertion of cmocka may be: it would go on with the parent's tests. */
static void made(int code, const char *call)
{
    every_refused(call, code, "after fork");
}

static void call_all(void)
{
    alarm(10 * patience()); /* which ends the child if a call hangs */
    make_calls();
    made(gravel_abort(gravel, "no"), "gravel_abort");
    _exit(every_end() != 0);
}

static void expect_child(void)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        call_all();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void every_call_of_a_child_is_refused(void **state)
{
    (void)state;
    open_one_of_everything(NULL);
    expect_child();
    close_everything();
}

/* What the system forks for the parent is none of its concern: it opens again. */
static void the_parent_opens_again(void **state)
{
    (void)state;
    gravel = open_loopback(1, NULL);
    expect_works(gravel);
    OK(gravel_close(gravel));
}

int main(void)
{
    watch(60, "forks");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_of_a_child_is_refused),
        cmocka_unit_test(the_parent_opens_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
