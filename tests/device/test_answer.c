/* SPDX-License-Identifier: MIT */
/*
 * Functions of the host that answer what kernels ask: a kernel waits while one takes its time. gravel-conformance has every
 * form of asking.
 *
 * Path: meson test -> kernels/answer.cl -> lib/resolve/apply.c, lib/network/resolving.c
 */
#include "expect.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char answer_cl[];

static int refuse(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args,
                  uint64_t *answer)
{
    (void)gravel, (void)user, (void)source, (void)args;
    *answer = 77;
    return 5;
}

enum stage { BEFORE, INSIDE, MAY_END };
static _Atomic int stage; /* of the function that follows */

/* Stays as long as the test likes. */
static int late(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args,
                uint64_t *answer)
{
    (void)gravel, (void)user, (void)source, (void)args;
    atomic_store(&stage, INSIDE);
    while (atomic_load(&stage) != MAY_END)
        usleep(1000);
    *answer = 99;
    return 0;
}

/* Blocks for less than GRAVEL_TIMEOUT, which several of these exceed together. */
#define DOZE_US 100000u
#define DOZE_LIMIT_MS 500u
#define N_DOZES 12u
static int doze(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args,
                uint64_t *answer)
{
    (void)gravel, (void)user, (void)source, (void)args;
    usleep(DOZE_US);
    *answer = 41;
    return 0;
}

/* Sends more frames than the network thread sends in two turns, while a handler keeps it; the last word but one behind a
 * handler that takes its time, the last one in a buffer that is still open when the function returns. */
#define N_POURED 52u
#define NAP 6u         /* handlers' number */
#define POUR_NODES 16u /* so that host calls have buffers for all of them */
enum pouring { NOT_YET, POURS, HOLDS, POURED };
static _Atomic int pouring;

static bool await_pouring(enum pouring wanted)
{
    const double begin = seconds_now();
    while (atomic_load(&pouring) != (int)wanted && may_wait(begin, 20))
        usleep(1000);
    return atomic_load(&pouring) == (int)wanted;
}

static int pour(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args,
                uint64_t *answer)
{
    (void)user;
    atomic_store(&pouring, POURS);
    int code = await_pouring(HOLDS) ? 0 : GRAVEL_ETIMEOUT;
    for (uint32_t value = 1; value <= N_POURED && !code; value++) {
        const uint64_t word = args[0] + 4 * (value - 1);
        if (value + 1 == N_POURED)
            code = gravel_am(gravel, NAP, NULL, 0, source);
        if (!code)
            code = value == N_POURED
                       ? gravel_update(gravel, GRAVEL_PUT, GRAVEL_UINT, word, &value, source)
                       : gravel_put(gravel, word, &value, sizeof value, source);
    }
    *answer = N_POURED;
    atomic_store(&pouring, POURED);
    return code;
}

/* Keeps the network thread until the other function has returned. */
static int hold(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args)
{
    (void)gravel, (void)user, (void)source, (void)args;
    atomic_store(&pouring, HOLDS);
    const bool has_poured = await_pouring(POURED);
    usleep(50000);
    return !has_poured;
}

static int nap(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args)
{
    (void)gravel, (void)user, (void)source, (void)args;
    usleep(100000);
    return 0;
}

static const struct gravel_handler handlers[] = {
    {.name = "refuse", .answer = refuse},
    {.name = "late", .answer = late, .blocks = 1},
    {.name = "fail", .answer = refuse, .blocks = 1},
    {.name = "doze", .answer = doze, .blocks = 1},
    {.name = "pour", .n_args = 1, .answer = pour, .blocks = 1},
    {.name = "hold", .function = hold},
    {.name = "nap", .function = nap},
};
static const struct gravel_bindings table =
    GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = sizeof handlers / sizeof *handlers);

/* A node whose waits have this limit [ms], and whose buffers leave at this age [us]; 0: as by default. */
static struct gravel *open_node(uint32_t n_nodes, uint32_t timeout_ms, uint32_t flush_us)
{
    struct gravel_config config = loopback_config(n_nodes);
    config.timeout_ms = timeout_ms ? timeout_ms : config.timeout_ms;
    config.flush_us = flush_us ? flush_us : config.flush_us;
    return scoped_node(&config, &table);
}

static cl_kernel kernel_with(struct gravel *gravel, const char *name, uint32_t n,
                             const uint64_t *offsets)
{
    cl_kernel kernel = scoped_kernel(gravel, answer_cl, "", name);
    set_offsets(kernel, n, offsets);
    return kernel;
}

/* It is reported so, and the kernel of that name, which asked, is not left waiting. */
static void expect_a_failure(const char *name, const char *text)
{
    struct gravel *gravel = open_node(1, 0, 0);
    const uint64_t wide = alloc_or_die(gravel, 64);
    expect_error(run_kernel(gravel, kernel_with(gravel, name, 1, &wide), 1, 1), GRAVEL_EHANDLER,
                 text);
    assert_int_equal(word64(gravel, 0, wide), 77);
}

TEST(a_function_that_fails_is_reported_and_answers)
{
    expect_a_failure("complain", "handler refuse returned 5");
    expect_a_failure("complain_beside", "handler fail: its function failed");
}

static bool kernels_wait(void)
{
    const char *step = getenv("GRAVEL_STEP");
    return !step || strcmp(step, "drain");
}

static void skip_where_no_kernel_waits(void)
{
    if (!kernels_wait())
        skip_because("no kernel waits on step drain");
}

/* Its kernel waits, and the node goes on. */
TEST(a_function_that_blocks_keeps_no_call_waiting)
{
    skip_where_no_kernel_waits();
    atomic_store(&stage, BEFORE);
    struct gravel *gravel = open_node(1, 0, 0);
    const uint64_t offsets[] = {alloc_or_die(gravel, 64), alloc_or_die(gravel, 64),
                                alloc_or_die(gravel, 64)},
                   read = offsets[2];
    const size_t n = 64;
    cl_kernel kernel = kernel_with(gravel, "await", 3, offsets);
    cl_event ended;
    cl_int status = CL_COMPLETE;
    const double begin = seconds_now();
    OK(gravel_launch(gravel, kernel, 1, &n, &n, 0, NULL, &ended));
    while (atomic_load(&stage) == BEFORE && may_wait(begin, 20))
        usleep(1000);
    usleep(100000); /* many looks of the kernel */
    assert_int_equal(
        clGetEventInfo(ended, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
        CL_SUCCESS);
    uint64_t word = 7;
    OK(gravel_put(gravel, read + 16, &word, sizeof word, 0)); /* there and back */
    word = 0;
    OK(gravel_get(gravel, read + 16, &word, sizeof word, 0));
    const bool was_inside = atomic_load(&stage) == INSIDE;
    atomic_store(&stage, MAY_END);
    OK(gravel_quiet(gravel));
    clReleaseEvent(ended);
    assert_true(was_inside);
    assert_int_not_equal(status, CL_COMPLETE);
    assert_int_equal(word64(gravel, 0, read), 99);
    assert_int_equal(word64(gravel, 0, read + 8), 1);
    assert_int_equal(word, 7);
}

/* Ahead of its answer, however much it is, and in frames and buffers of every kind. */
TEST(all_that_a_function_that_blocks_sends_is_there_when_its_answer_is_seen)
{
    skip_where_no_kernel_waits();
    atomic_store(&pouring, NOT_YET);
    struct gravel *gravel = open_node(POUR_NODES, 0, 1000000); /* no buffer leaves by its age */
    const uint64_t words = alloc_or_die(gravel, 4 * N_POURED), answer = alloc_or_die(gravel, 64),
                   signal = alloc_or_die(gravel, 64), found = alloc_or_die(gravel, 64),
                   unused = alloc_or_die(gravel, 64), offsets[] = {words, answer, signal, found},
                   word = 0;
    const cl_uint n_words = N_POURED;
    const size_t n = 64;
    cl_kernel kernel = kernel_with(gravel, "drink", 4, offsets);
    SET(kernel, 5, n_words);
    OK(gravel_launch(gravel, kernel, 1, &n, &n, 0, NULL, NULL));
    assert_true(await_pouring(POURS));
    OK(gravel_am(gravel, NAP - 1, NULL, 0, 0)); /* hold */
    /* It leaves, and no job drains what is shipped. */
    OK(gravel_put(gravel, unused, &word, sizeof word, 0));
    OK(gravel_quiet(gravel));
    assert_int_equal(word32(gravel, 0, found), N_POURED);
    assert_int_equal(word64(gravel, 0, answer), N_POURED);
}

/* Nothing else reaches a function that may block, for it would keep the network thread. */
TEST(only_questions_of_kernels_reach_a_function_that_blocks)
{
    const uint64_t word = 64;
    struct gravel *gravel = open_node(1, 0, 0);
    expect_error(gravel_am(gravel, NAP - 2, &word, 1, 0), GRAVEL_EINVAL,
                 "handler pour blocks: kernels alone ask it");
    expect_error(run_kernel(gravel, kernel_with(gravel, "spoil", 0, NULL), 1, 1), GRAVEL_EHANDLER,
                 "(pour) blocks: kernels ask it, and send it nothing");
}

/* It is named, by the node that runs it. */
TEST(a_function_that_blocks_for_ever_fails_the_node)
{
    atomic_store(&stage, BEFORE);
    struct gravel *gravel = open_node(1, DOZE_LIMIT_MS, 0);
    const uint64_t answer = alloc_or_die(gravel, 64);
    expect_error(run_kernel(gravel, kernel_with(gravel, "stay", 1, &answer), 1, 1), GRAVEL_ETIMEOUT,
                 "handler late: its function has not returned for");
    atomic_store(&stage, MAY_END);
    closes_with(gravel, ANY_CODE, "");
}

/* How a group waits that asks behind all that another call has asked; see kernels/answer.cl. */
enum wait { DOES_NOT_WAIT, FOR_ITS_ANSWER, THEN_IN_VAIN };

/* @param answers  [N_DOZES + 2]: and whether its own answer had come. @return as run_kernel */
static int doze_behind(struct gravel *gravel, uint64_t answers, cl_uint wait)
{
    const uint64_t offsets[] = {answers, alloc_or_die(gravel, 64)};
    cl_kernel kernel = kernel_with(gravel, "doze_behind", 2, offsets);
    SET(kernel, 3, wait);
    return run_kernel(gravel, kernel, N_DOZES, N_DOZES);
}

/* Each call has the limit, not the calls of a frame together; and so has a kernel that waits, whose word does not change for
 * longer, while calls before its own move on. */
TEST(functions_that_return_in_time_are_never_late)
{
    struct gravel *gravel = open_node(1, DOZE_LIMIT_MS, 0);
    const uint64_t answers = alloc_or_die(gravel, 8 * (N_DOZES + 2));
    OK(doze_behind(gravel, answers, kernels_wait() ? FOR_ITS_ANSWER : DOES_NOT_WAIT));
    for (uint32_t i = 0; i <= N_DOZES; i++)
        assert_int_equal(word64(gravel, 0, answers + 8 * i), 41);
    assert_int_equal(word64(gravel, 0, answers + 8 * (N_DOZES + 1)), kernels_wait());
}

TEST(a_wait_behind_the_last_answer_has_its_limit_again)
{
    skip_where_no_kernel_waits();
    struct gravel *gravel = open_node(1, DOZE_LIMIT_MS, 0);
    expect_error(doze_behind(gravel, alloc_or_die(gravel, 8 * (N_DOZES + 2)), THEN_IN_VAIN),
                 GRAVEL_EKERNEL, "waited for the word");
    closes_with(gravel, GRAVEL_EKERNEL, "waited for the word");
}
