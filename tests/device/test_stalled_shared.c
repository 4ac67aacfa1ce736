/* SPDX-License-Identifier: MIT */
/*
 * A device that says nothing more, where host and kernels share memory: waits for Gravel's own kernels, of the self-test
 * and of handlers, end in time and name what they waited for. See test_stalled.c for the steps that copy.
 *
 * Path: meson test -> failing_opencl.h -> lib/opencl/wait.c, lib/self_test/self_test.c, lib/serve/calls.c
 */
#include <stdio.h>

#include "expect.h"
#include "failing_opencl.h"

#define TIMEOUT_MS 500u
#define LIMIT_S 10.0     /* of anything here but the self-test; generous: the machine is shared */
#define SELF_TEST_S 20.0 /* that its kernels get on top */

static const struct gravel_handler handlers[] = {{.name = "tally", .n_args = 1}};
static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "void tally(struct gravel_call call, ulong at)\n"
    "{ gravelp_device_fetch_add_relaxed((global uint *)gravel_call_local(call, at), 1); }\n";

static char logged[16 * 1024];

static void note(void *user, const char *text)
{
    (void)user;
    strncat(logged, text, sizeof logged - strlen(logged) - 1);
}

static int try_open(struct gravel **gravel)
{
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 1, .device_code.source = source,
                        .log = note);
    struct gravel_config config = loopback_config(2);
    config.timeout_ms = TIMEOUT_MS;
    logged[0] = '\0';
    return gravel_open(gravel, &config, &bindings);
}

static void work_again(void)
{
    atomic_store(&failing.stalls, 0);
}

TEST(handlers_that_never_end_do_not_keep_close)
{
    struct gravel *gravel;
    int code = try_open(&gravel);
    skip_if_refused(code);
    OK(code);
    uint64_t word = alloc_or_die(gravel, 64);
    OK(gravel_am(gravel, 0, &word, 1, 1));
    OK(gravel_quiet(gravel));
    assert_int_equal(word32(gravel, 1, word), 1);
    double begin = seconds_now();
    atomic_store(&failing.stalls, WAITS);
    gravel_close(gravel);
    print_message("%.2f s: %s\n", seconds_now() - begin, logged);
    assert_true(is_within(begin, LIMIT_S));
    assert_non_null(strstr(logged, "the last handlers: the device did not answer for 0.5 s"));
    assert_non_null(strstr(logged, "its memory and OpenCL objects stay"));
}

TEST(self_test_that_never_ends_is_told)
{
    struct gravel *gravel = NULL;
    double begin = seconds_now();
    atomic_store(&failing.stalls, WAITS);
    expect_error(try_open(&gravel), GRAVEL_ETIMEOUT,
                 "self-test: kernels that end by themselves: the device did not answer");
    print_message("%.2f s: %s\n", seconds_now() - begin, gravel_last_error());
    assert_true(is_within(begin, SELF_TEST_S + LIMIT_S));
    assert_null(gravel);
    atomic_store(&failing.stalls, 0);
    OK(try_open(&gravel));
    OK(gravel_close(gravel));
}

const struct fixture fixture = {.after = work_again};
