/* SPDX-License-Identifier: MIT */
/*
 * Handlers of the host that fail, that send without an end, and what waits beside them. What chains send is in test_mpi.c.
 *
 * Path: meson test -> this -> lib/node/messages.c, lib/network/job.c
 */
#include <pthread.h>
#include <unistd.h>

#include "expect.h"

/* Ids by position in the table below. */
enum { FAIL, SET_WORD, LOOK_BETWEEN };

static uint32_t n_calls;
static uint64_t word; /* heap offset, the same at every node */

static int fail_with_7(struct gravel *gravel, void *user, uint32_t source,
                       const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)gravel, (void)user, (void)source, (void)args;
    n_calls++;
    return 7;
}

static _Atomic uint32_t n_set;

static int set_word(struct gravel *node, void *user, uint32_t source,
                    const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)user, (void)source;
    const int code = gravel_update(node, GRAVEL_PUT, GRAVEL_UINT, args[1], &(uint32_t){100}, 0);
    n_set++;
    return code;
}

static const unsigned char *last_byte; /* of what a get is to copy, not 0 before */
static _Atomic uint32_t n_between;

static int look_between(struct gravel *node, void *user, uint32_t source,
                        const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)node, (void)user, (void)source, (void)args;
    n_between += __atomic_load_n(last_byte, __ATOMIC_RELAXED) != 0;
    return 0;
}

static const struct gravel_handler handlers[] = {
    {.name = "fail_with_7", .n_args = 0, .function = fail_with_7},
    {.name = "set_word", .n_args = 2, .function = set_word},
    {.name = "look_between", .n_args = 0, .function = look_between},
};

static const struct gravel_bindings table =
    GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = sizeof handlers / sizeof *handlers);

static struct gravel *gravel;

static void open_node(void)
{
    gravel = open_loopback(3, &table);
    word = alloc_or_die(gravel, 64);
}

static void close_node(void)
{
    OK(gravel_close(gravel));
}

static void reset(void)
{
    n_calls = 0;
    for (uint32_t node = 0; node < 3; node++)
        fill(gravel, node, word, 0, sizeof word);
    OK(gravel_barrier(gravel));
}

TEST(failing_handler_is_named_and_others_go_on)
{
    expect_error(run_body(gravel,
                          BODY("gravel_am0_wg_if(g, i == 3, GRAVEL_HANDLER(fail_with_7), 1);"
                               "gravel_inc_ulong_wg(g, a, 0, 1);"),
                          128, 64, word, 0, 0),
                 GRAVEL_EHANDLER, "fail_with_7 returned 7");
    assert_int_equal(n_calls, 1);
    assert_int_equal(word64(gravel, 1, word), 128);
    expect_works(gravel);
}

TEST(many_failures_are_told_once)
{
    expect_error(run_body(gravel, BODY("gravel_am0_wg(g, GRAVEL_HANDLER(fail_with_7), i % 3);"),
                          256, 64, 0, 0, 0),
                 GRAVEL_EHANDLER, "others failed");
    assert_int_equal(n_calls, 256);
    assert_int_equal(gravel_quiet(gravel), 0);
}

/* Ping-pong until it is told to stop. */
static _Atomic bool may_stop;

static int ping(struct gravel *node, void *user, uint32_t source,
                const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)user, (void)source, (void)args;
    return may_stop ? 0 : gravel_am(node, 0, NULL, 0, 1 - gravel_node(node));
}

/* Two nodes that play. @param has_limit  of 0.4 s; or as by default */
static struct gravel *open_ping(bool has_limit)
{
    static const struct gravel_handler one = {.name = "ping", .function = ping};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = &one, .n_handlers = 1);
    struct gravel_config config = loopback_config(2);
    config.chain_limit_ms = has_limit ? 400 : config.chain_limit_ms;
    may_stop = false;
    struct gravel *node = scoped_node(&config, &bindings);
    OK(gravel_am(node, 0, NULL, 0, 1));
    return node;
}

/* Whatever comes first of the two that can tell: the rounds of the barrier, or what is yet to be sent. */
TEST(endless_chain_ends_a_barrier_that_has_a_limit)
{
    struct gravel *node = open_ping(true);
    double begin = seconds_now();
    expect_error(gravel_barrier(node), GRAVEL_ETIMEOUT, "GRAVEL_CHAIN_LIMIT");
    double took = seconds_now() - begin;
    print_message("%.2f s: %s\n", took, gravel_last_error());
    assert_true(took >= 0.39 && took < 5);
    closes_with(node, GRAVEL_ETIMEOUT, "handlers still send");
}

TEST(quiet_beside_an_endless_ping_pong_ends)
{
    struct gravel *node = open_ping(false);
    OK(gravel_quiet(node)); /* while it goes on */
    may_stop = true;
    OK(gravel_barrier(node));
}

static void launch_and_fence(struct gravel *node, cl_kernel kernel)
{
    const size_t n = 64;
    OK(gravel_launch(node, kernel, 1, &n, &n, 0, NULL, NULL));
    OK(gravel_fence(node));
}

/* The handler's node buffer does not age while kernels send what the fence orders behind it. */
TEST(a_fence_orders_what_a_handler_has_sent)
{
    struct gravel_config config = loopback_config(1);
    config.flush_us = 500000;
    struct gravel *node = scoped_node(&config, &table);
    const uint64_t words[3] = {alloc_or_die(node, 64)};
    cl_kernel asks = body_kernel(
        node, BODY("gravel_am2_wg_if(g, i == 0, GRAVEL_HANDLER(set_word), 0, a, 0);"), words);
    cl_kernel adds =
        scoped_body(node, BODY("gravel_inc_uint_wg(g, a, 0, 0);"), words[0], words[1], words[2]);
    for (uint32_t round = 1; round <= 4; round++) {
        const double begin = seconds_now();
        launch_and_fence(node, asks);
        while (n_set < round && is_within(begin, 20))
            usleep(1000);
        OK(gravel_fence(node));
        for (uint32_t i = 0; i < 3; i++) /* packages in place are tried now and then */
            launch_and_fence(node, adds);
        OK(gravel_barrier(node));
        assert_int_equal(word32(node, 0, words[0]), 100 + 3 * 64);
    }
    clReleaseKernel(asks);
}

#define LONG_BYTES (UINT64_C(128) << 20)

struct get {
    struct gravel *node;
    uint64_t offset;
    unsigned char *data;
};

static void *get_much(void *argument)
{
    const struct get *get = argument;
    OK(gravel_get(get->node, get->offset, get->data, LONG_BYTES, 0));
    return NULL;
}

TEST(a_long_get_keeps_no_handler_waiting)
{
    struct gravel_config config = loopback_config(1);
    struct get get = {.data = malloc(LONG_BYTES)};
    config.heap_bytes = LONG_BYTES + (1 << 20);
    OK(gravel_open(&get.node, &config, &table));
    get.offset = alloc_or_die(get.node, LONG_BYTES);
    MUST(get.data);
    last_byte = get.data + LONG_BYTES - 1;
    for (uint32_t round = 0; round < 20 && n_between == 0; round++) {
        pthread_t thread;
        const double begin = seconds_now();
        memset(get.data, 1, LONG_BYTES);
        MUST(pthread_create(&thread, NULL, get_much, &get) == 0);
        while (__atomic_load_n(get.data, __ATOMIC_RELAXED) && is_within(begin, 20))
            ;
        OK(gravel_am(get.node, LOOK_BETWEEN, NULL, 0, 0));
        OK(gravel_fence(get.node));
        pthread_join(thread, NULL);
        OK(gravel_barrier(get.node));
        assert_int_equal(*last_byte, 0);
    }
    assert_true(n_between > 0);
    OK(gravel_close(get.node));
    free(get.data);
}

const struct fixture fixture = {
    .limit_s = 90, .open = open_node, .close = close_node, .before = reset};
