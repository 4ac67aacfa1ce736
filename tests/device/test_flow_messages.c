/* SPDX-License-Identifier: MIT */
/*
 * Flows beside messages: nodes that send, handlers that add elements, from node to node; kernels that are no nodes and add
 * elements. On two loop-back nodes, on every step.
 *
 * Path: meson test -> this -> lib/flow/elements.c, lib/flow/host.c
 */
#include "expect.h"

#include <gravel/flow.h>

#define GROUP_ITEMS 32u
#define WIDTH 64u
#define N_WORDS 512u

/* walk: counts its key at the key's node, and goes on to the next key while n is left. task: counts at its level. */
struct walk {
    cl_uint n, key;
};
struct task {
    cl_uint key;
};

extern const char flow_messages_cl[]; /* kernels/flow_messages.cl */

static struct gravel *gravel;
static struct gravel_flow *flow;
static uint64_t counters;

/* On whatever node: both are in this process, and have one flow. */
static int go_on(struct gravel *at, void *user, uint32_t from, const uint64_t args[4])
{
    const struct walk walk = {(cl_uint)args[0], (cl_uint)args[1]};
    (void)at, (void)user, (void)from;
    return gravel_flow_post(flow, "walk", &walk, 1);
}

static const struct gravel_handler handlers[] = {{.name = "go_on", .n_args = 2, .function = go_on}};

static struct gravel_flow *make(void)
{
    const struct gravel_channel channels[] = {
        {"walk", sizeof(struct walk), GRAVEL_STREAM, WIDTH, 0, NULL},
        {"task", sizeof(struct task), GRAVEL_SPAWN, WIDTH, 0, NULL}};
    const struct gravel_channel_graph graph =
        GRAVEL_CHANNEL_GRAPH(channels, 2, .depth = 2, .group_items = GROUP_ITEMS, .n_messages = 2);
    struct gravel_flow *made;
    OK(gravel_flow_create(&made, gravel, &graph));
    OK(gravel_flow_build(made, "test.cl", flow_messages_cl, NULL, "run"));
    OK(gravel_flow_set_argument(made, 2, sizeof counters, &counters));
    return made;
}

static void open_all(void)
{
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 1);
    gravel = open_loopback(2, &bindings);
    counters = alloc_or_die(gravel, 4 * N_WORDS);
    flow = make();
}

static void close_all(void)
{
    OK(gravel_flow_destroy(flow));
    OK(gravel_close(gravel));
}

/* How often each key was counted since the last time; and count from 0. */
static uint32_t take_count(uint32_t key)
{
    uint32_t count = word32(gravel, key % 2, counters + 4 * (key / 2));
    const uint32_t zero = 0;
    OK(gravel_put(gravel, counters + 4 * (key / 2), &zero, sizeof zero, key % 2));
    return count;
}

/* A hundred, more than the channel's width, each of which takes eight steps, from node to node. */
TEST(walks_go_on_at_other_nodes)
{
    struct walk walks[100];
    uint32_t expected[N_WORDS] = {0};
    for (uint32_t i = 0; i < 100; i++) {
        walks[i] = (struct walk){7, 7 * i % 91};
        for (uint32_t step = 0; step < 8; step++)
            expected[walks[i].key + step]++;
    }
    OK(gravel_flow_post(flow, "walk", walks, 100));
    for (uint32_t step = 0; step < 8; step++) {
        OK(gravel_flow_run(flow));
        OK(gravel_barrier(gravel));
    }
    for (uint32_t key = 0; key < 100; key++)
        assert_int_equal(take_count(key), expected[key]);
}

TEST(posts_are_taken_during_a_run_or_by_the_next)
{
    struct walk walk = {0, 5};
    OK(gravel_flow_push(flow, "walk", &walk, 1));
    OK(gravel_flow_start(flow));
    for (uint32_t i = 0; i < 500; i++)
        OK(gravel_flow_post(flow, "walk", &walk, 1));
    OK(gravel_flow_wait(flow));
    OK(gravel_flow_run(flow));
    OK(gravel_barrier(gravel));
    assert_int_equal(take_count(5), 501);
}

/* 64 work-items, of which every third pushes, and another third spawns at level 0. */
TEST(producer_fills_channels)
{
    const struct gravel_edge into[] = {{"walk", 1}, {"task", 1}};
    const cl_uint every = 3;
    cl_kernel fill;
    OK(gravel_flow_kernel(flow, "fill", &fill));
    SET(fill, 2, every);
    OK(gravel_flow_produce(flow, fill, 64, into, 2));
    expect_error(gravel_flow_produce(flow, fill, 64, into, 2), GRAVEL_ERANGE,
                 "channel 'walk', which has room for 42");
    const struct gravel_edge twice[] = {{"walk", 1}, {"walk", 1}};
    expect_error(gravel_flow_produce(flow, fill, 32, twice, 2), GRAVEL_ERANGE,
                 "channel 'walk', which has room for 10");
    OK(gravel_flow_run(flow));
    OK(gravel_barrier(gravel));
    uint32_t keys[128] = {0};
    for (uint32_t i = 0; i < 64; i++) {
        keys[i] += i % 3 == 0;
        keys[2 * i] += i % 3 == 1; /* word i of node 0 */
    }
    for (uint32_t key = 0; key < 128; key++)
        assert_int_equal(take_count(key), keys[key]);
    clReleaseKernel(fill);
}

TEST(bad_producers_are_refused)
{
    const struct gravel_edge unknown = {"walks", 1};
    cl_kernel fill;
    expect_error(gravel_flow_kernel(flow, "file", &fill), GRAVEL_ECL, "file");
    assert_null(fill);
    OK(gravel_flow_kernel(flow, "fill", &fill));
    expect_error(gravel_flow_produce(flow, fill, 33, NULL, 0), GRAVEL_EINVAL, "33 work-items");
    expect_error(gravel_flow_produce(flow, fill, 32, &unknown, 1), GRAVEL_EINVAL, "'walks'");
    OK(gravel_flow_post(flow, "walk", NULL, 0));
    OK(gravel_flow_produce(flow, fill, 0, NULL, 0));
    clReleaseKernel(fill);
}

/* In a flow of its own, which is of no use after it. */
static void expect_producer_fails(const char *kernel, cl_uint argument, const char *text)
{
    const struct gravel_edge into = {"task", 1};
    struct gravel_flow *other = make();
    cl_kernel producer;
    OK(gravel_flow_kernel(other, kernel, &producer));
    SET(producer, 2, argument);
    expect_error(gravel_flow_produce(other, producer, 32, &into, 1), GRAVEL_EKERNEL, text);
    expect_error(gravel_flow_run(other), GRAVEL_EKERNEL, "failed before");
    clReleaseKernel(producer);
    OK(gravel_flow_destroy(other));
}

TEST(producer_that_makes_more_than_it_declares_is_told)
{
    expect_producer_fails("fill", 2,
                          "a producer's 32 work-items made at least 16 of channel 'walk' more");
    expect_producer_fails("ask", 0x80000001u,
                          "a producer: a work-item asks for 2147483649 elements of channel 'walk' "
                          "in a call of its group, which reserves at most 67108863 for each");
    expect_producer_fails("ask", 1u << 27,
                          "a producer: a work-item asks for 134217728 elements of channel 'walk'");
    expect_works(gravel);
}

const struct fixture fixture = {.open = open_all, .close = close_all};
