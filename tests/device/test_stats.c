/* SPDX-License-Identifier: MIT */
/*
 * Statistics add up, node buffers are as many as GRAVEL_AGGREGATION says, and a node with nothing to do costs nothing.
 *
 * Path: meson test -> this -> lib/node/stats.c, lib/aggregate/sender.c, lib/base/await.c
 */
#include <time.h>
#include <unistd.h>

#include "expect.h"

#define N_NODES 4u
#define N_ITEMS 65536u

static struct gravel *gravel;

static void open_node(void)
{
    struct gravel_config config = loopback_config(N_NODES);
    config.buffer_bytes = 64 << 10;
    OK(gravel_open(&gravel, &config, NULL));
}

static void close_node(void)
{
    OK(gravel_close(gravel));
}

static void read_destinations(struct gravel_stats *total, struct gravel_stats to[N_NODES])
{
    *total = (struct gravel_stats){0};
    for (uint32_t node = 0; node < N_NODES; node++) {
        OK(gravel_stats_read(gravel, &to[node], sizeof to[node], node));
        total->sent_messages += to[node].sent_messages;
        total->sent_buffers += to[node].sent_buffers;
        total->buffer_bytes += to[node].buffer_bytes;
    }
}

/* Uniform random destinations: (P - 1) / P of the messages leave. */
TEST(messages_sent_are_messages_resolved)
{
    struct gravel_stats total, to[N_NODES];
    uint64_t table = alloc_or_die(gravel, N_ITEMS * 4);
    OK(gravel_stats_reset(gravel));
    OK(run_body(gravel,
                "uint x = i * 2654435761u; x ^= x >> 15; x *= 2246822519u; x ^= x >> 13;"
                "gravel_inc_uint_wg(g, a, i, x % gravel_n_nodes(g));",
                N_ITEMS, 256, table, 0, 0));
    OK(gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, table, NULL, 1));
    OK(gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, table, NULL, 0));
    OK(gravel_barrier(gravel));
    const struct gravel_stats stats = stats_of(gravel);
    read_destinations(&total, to);
    assert_int_equal(stats.packages, N_ITEMS / 256);
    assert_int_equal(stats.messages, N_ITEMS);
    assert_int_equal(stats.host_messages, 2);
    assert_int_equal(stats.resolved_messages, N_ITEMS + 2);
    assert_int_equal(stats.refused_buffers + stats.refused_messages, 0);
    assert_int_equal(total.sent_messages, N_ITEMS + 2);
    assert_int_equal(stats.remote_messages, total.sent_messages - to[0].sent_messages);
    assert_int_equal(total.buffer_bytes, stats.buffer_bytes);
    assert_int_equal(total.sent_messages, stats.sent_messages);
    assert_int_equal(total.sent_buffers, stats.sent_buffers);
    assert_int_equal(total.sent_buffers,
                     stats.buffers_full + stats.buffers_timeout + stats.buffers_flush);
    assert_int_equal(total.sent_buffers, stats.resolved_buffers);
    double share = (double)stats.remote_messages / (N_ITEMS + 2);
    print_message("remote share %.4f\n", share);
    assert_true(share > 0.75 * 0.99 && share < 0.75 * 1.01);
    OK(gravel_free(gravel, table));
}

/* A put larger than a node buffer goes in pieces; each is a message, header and bytes. */
TEST(pieces_of_a_put_are_messages)
{
    enum { N_PIECES = 3, HEADER_BYTES = 40 };
    struct gravel_stats total, to[N_NODES];
    static const unsigned char data[N_PIECES * 65536];
    uint64_t piece_bytes = gravel_config_of(gravel)->buffer_bytes - HEADER_BYTES;
    uint64_t bytes = (N_PIECES - 1) * piece_bytes + 8;
    uint64_t table = alloc_or_die(gravel, bytes);
    MUST(bytes <= sizeof data);
    OK(gravel_put(gravel, table, data, 1, 0)); /* before the reset: it does not count */
    OK(gravel_barrier(gravel));
    OK(gravel_stats_reset(gravel));
    OK(gravel_put(gravel, table, data, bytes, 2));
    OK(gravel_put(gravel, table, data, 1, 0));
    OK(gravel_barrier(gravel));
    const struct gravel_stats stats = stats_of(gravel);
    read_destinations(&total, to);
    assert_int_equal(stats.messages, 0);
    assert_int_equal(stats.host_messages, N_PIECES + 1);
    assert_int_equal(stats.remote_messages, N_PIECES);
    assert_int_equal(stats.resolved_messages, N_PIECES + 1);
    assert_int_equal(to[2].sent_messages, N_PIECES);
    assert_int_equal(to[2].sent_buffers, N_PIECES);
    assert_int_equal(to[2].buffer_bytes, bytes + N_PIECES * HEADER_BYTES);
    assert_int_equal(to[0].sent_messages, 1);
    assert_int_equal(total.sent_messages, N_PIECES + 1);
    OK(gravel_free(gravel, table));
}

/* Returns the node buffers that messages of 20 groups to each of 3 nodes take; every item adds to the word of its group. */
static uint64_t count_buffers(const char *aggregation)
{
    enum { NODES = 3, GROUPS = 20, GROUP = 48 };
    struct gravel_config config = loopback_config(NODES);
    strcpy(config.aggregation, aggregation);
    struct gravel *node = scoped_node(&config, NULL);
    const uint64_t words = alloc_or_die(node, GROUPS * sizeof(uint32_t));
    OK(gravel_stats_reset(node));
    OK(run_body(node, "gravel_inc_uint_wg(g, a, i / b, i % 3);", GROUPS * GROUP, GROUP, words,
                GROUP, 0));
    const struct gravel_stats stats = stats_of(node);
    for (uint32_t i = 0; i < NODES; i++)
        expect_words(node, i, words, GROUP / NODES, GROUPS);
    return stats.sent_buffers;
}

TEST(a_buffer_takes_what_the_setting_says)
{
    assert_int_equal(count_buffers("off"), 20 * 48);
    assert_int_equal(count_buffers("group"), 20 * 3);
    assert_in_range(count_buffers("destination"), 3, 20 * 3 - 1);
}

TEST(every_counter_is_told_by_its_name)
{
#define NAME(field, unit, help) #field,
    static const char *const names[] = {GRAVEL_STATS_FIELDS(NAME)};
#undef NAME
    struct gravel_stats stats;
    const char *name;
    uint64_t value;
    uint32_t i = 0;
    expect_works(gravel);
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    for (; gravel_stats_get(gravel, i, &name, &value) == 0; i++) {
        assert_string_equal(name, names[i]);
        /* what does not change while nothing is sent */
        if (strncmp(name, "poll", 4) && strcmp(name, "thread_ns"))
            assert_int_equal(value, ((const uint64_t *)&stats)[i]);
    }
    assert_int_equal(i, sizeof names / sizeof *names);
    expect_error(gravel_stats_get(gravel, i, &name, &value), GRAVEL_ERANGE, "gravel_stats_get");
}

/* Headers with fewer counters, and with more. */
TEST(callers_of_other_versions_get_what_both_have)
{
    enum { N = sizeof(struct gravel_stats) / 8 };
    uint64_t older[2] = {77, 77}, newer[N + 1];
    struct gravel_stats stats;
    newer[N] = 77;
    expect_works(gravel);
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    OK(gravel_stats_read(gravel, (struct gravel_stats *)older, 8, GRAVEL_ALL_NODES));
    OK(gravel_stats_read(gravel, (struct gravel_stats *)newer, sizeof newer, GRAVEL_ALL_NODES));
    assert_int_equal(older[0], stats.packages);
    assert_int_equal(older[1], 77);
    assert_int_equal(newer[1], stats.messages);
    assert_int_equal(newer[N], 0);
}

static double cpu_seconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* The aim is 1% of a core; the bound leaves room for a noisy machine. */
TEST(idle_node_costs_next_to_nothing)
{
    OK(gravel_barrier(gravel));
    usleep(200000);
    OK(gravel_stats_reset(gravel));
    double cpu = cpu_seconds(), begin = seconds_now();
    sleep(2);
    double core = (cpu_seconds() - cpu) / (seconds_now() - begin);
    const struct gravel_stats stats = stats_of(gravel);
    double ratio = (double)stats.poll_ns / (double)stats.thread_ns;
    print_message("idle: %.2f%% of a core, poll ratio %.2f%%\n", 100 * core, 100 * ratio);
    assert_true(core < 0.05);
    assert_true(ratio < 0.05);
    assert_true(stats.thread_ns > 0);
}

const struct fixture fixture = {.limit_s = 60, .open = open_node, .close = close_node};
