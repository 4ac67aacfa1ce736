/* SPDX-License-Identifier: MIT */
/*
 * A node that is given up while a kernel waits, by a handler, by a thread while another closes, and where the log function
 * stays. What other nodes and calls report then is in tests/mpi/die.c.
 *
 * Path: meson test -> this -> lib/node/abort.c, lib/network/liveness.c
 */
#include <pthread.h>
#include <unistd.h>

#include "expect.h"

#define WHY "IndexError: 17"

static int give_up(struct gravel *gravel, void *user, uint32_t source,
                   const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)user, (void)source, (void)args;
    return gravel_abort(gravel, WHY);
}
static const struct gravel_handler handlers[] = {
    {.name = "give_up", .n_args = 0, .function = give_up}};

static void *abort_later(void *gravel)
{
    usleep(100000);
    OK(gravel_abort(gravel, WHY));
    return NULL;
}

/* Closing says it too, and waits for nobody. */
static void expect_close(struct gravel *gravel, const char *why)
{
    double begin = seconds_now();
    expect_error(gravel_close(gravel), GRAVEL_EABORT, why);
    assert_true(is_within(begin, 2));
}

TEST(a_kernel_that_waits_ends)
{
    struct gravel *gravel = open_loopback(2, NULL);
    const uint64_t word = alloc_or_die(gravel, 64);
    const size_t size = 64;
    pthread_t thread;
    if (takes_step(gravel, "drain")) { /* where no kernel waits */
        OK(gravel_close(gravel));
        skip();
    }
    cl_kernel kernel = body_kernel(gravel, "gravel_wait_until_uint_wg(g, a, GRAVEL_CMP_EQ, 1);",
                                   (const uint64_t[3]){word});
    OK(gravel_launch(gravel, kernel, 1, &size, &size, 0, NULL, NULL));
    assert_int_equal(pthread_create(&thread, NULL, abort_later, gravel), 0);
    double begin = seconds_now();
    expect_error(gravel_barrier(gravel), GRAVEL_EABORT, WHY);
    assert_true(is_within(begin, 2));
    pthread_join(thread, NULL);
    clReleaseKernel(kernel);
    expect_close(gravel, WHY);
}

TEST(a_handler_may_abort)
{
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 1);
    struct gravel *gravel = open_loopback(2, &bindings);
    OK(gravel_am(gravel, 0, NULL, 0, 1));
    expect_error(gravel_barrier(gravel), GRAVEL_EABORT, WHY);
    expect_close(gravel, WHY);
}

static _Atomic int lead_us; /* that a close has, or an abort if it is negative */

static void *abort_until_refused(void *gravel)
{
    usleep(lead_us > 0 ? (unsigned)lead_us : 0);
    while (gravel_abort(gravel, WHY) == 0)
        usleep(100);
    return NULL;
}

TEST(another_thread_may_abort_while_one_closes)
{
    bool has_closed = false, has_aborted = false;
    for (int step_us = 100; !has_closed || !has_aborted; step_us *= 2) { /* either is first once */
        struct gravel *gravel = open_loopback(2, NULL);
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, abort_until_refused, gravel), 0);
        usleep(lead_us < 0 ? (unsigned)-lead_us : 0);
        const int code = gravel_close(gravel);
        has_closed = has_closed || code == 0;
        has_aborted = has_aborted || code == GRAVEL_EABORT;
        assert_true(code == 0 || code == GRAVEL_EABORT);
        pthread_join(thread, NULL);
        expect_error(gravel_abort(gravel, WHY), GRAVEL_EINVAL, "gravel_abort: the node is closed");
        print_message("a lead of %d us: %s\n", lead_us, gravel_strerror(code));
        lead_us += code ? step_us : -step_us;
    }
}

static _Atomic bool is_logging, may_return;

static void log_until_told(void *user, const char *text)
{
    (void)user;
    is_logging = is_logging || strstr(text, WHY);
    while (strstr(text, WHY) && !may_return)
        usleep(1000);
}

TEST(a_log_function_that_stays_keeps_no_close)
{
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.log = log_until_told);
    struct gravel_config config = loopback_config(1);
    struct gravel *gravel;
    pthread_t thread;
    config.timeout_ms = 1000;
    OK(gravel_open(&gravel, &config, &bindings));
    assert_int_equal(pthread_create(&thread, NULL, abort_later, gravel), 0);
    while (!is_logging)
        usleep(1000);
    const double begin = seconds_now();
    expect_error(gravel_close(gravel), GRAVEL_EABORT,
                 WHY); /* which takes effect before it is logged */
    assert_true(seconds_now() - begin >= 1.5);
    may_return = true;
    pthread_join(thread, NULL);
}

const struct fixture fixture = {.limit_s = 60};
