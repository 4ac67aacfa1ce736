/* SPDX-License-Identifier: MIT */
/*
 * The whole path with binning on the device (GRAVEL_DEVICE_AGGREGATION=on): that it is used, and that nothing is lost. For
 * steps pump and drain. That what is refused is refused as ever, and what fails told, test_refuse and test_stuck show.
 *
 * usage: test_binning [sums]     sums: of many work-items that run at once, alone
 *
 * Path: meson test -> this -> lib/pump/blocks.c, lib/aggregate
 */
#include <stdio.h>

#include "expect.h"

#define N_ITEMS 16384u
#define GROUP 256u
#define N_PUTS (2 * N_ITEMS)
#define N_ADDS (N_ITEMS + (N_ITEMS + 2) / 3 + N_ITEMS / 64)

static struct gravel_config binning_config(uint32_t n_nodes)
{
    struct gravel_config config = loopback_config(n_nodes);
    strcpy(config.device_aggregation, "on");
    return config;
}

static struct gravel *open_config(const struct gravel_config *config)
{
    return scoped_node(config, NULL);
}

/* Item i puts 0 to word i of node i * 7 % n, after another value, and adds i + 1, all at once, then some, then one by one. */
#define ADDS                                                      \
    "uint n = gravel_n_nodes(g), to = i * 7u % n;"                \
    "gravel_put_ulong_wg(g, a, i, ~0ul, to);"                     \
    "gravel_put_ulong_wg(g, a, i, 0ul, to);"                      \
    "gravel_add_ulong_wg(g, a, i, i + 1ul, to);"                  \
    "gravel_add_ulong_wg_if(g, i % 3 == 0, a, i, 1000000ul, to);" \
    "if (i % 64 == 5) gravel_add_ulong_wi(g, a, i, 2000000ul, to);"

static void expect_adds(struct gravel *gravel, uint64_t table)
{
    uint32_t n = gravel_n_nodes(gravel);
    for (uint32_t node = 0; node < n; node++) {
        const uint64_t *words = read_map(gravel, node, table, N_ITEMS * 8);
        for (uint32_t i = 0; i < N_ITEMS; i++) {
            uint64_t sum = i + 1 + (i % 3 == 0) * 1000000ul + (i % 64 == 5) * 2000000ul;
            assert_int_equal(words[i], i * 7u % n == node ? sum : 0);
        }
        unmap(gravel, words);
    }
}

/* @return messages that the device has binned. */
static uint64_t run_adds(const struct gravel_config *config)
{
    struct gravel *gravel;
    OK(gravel_open(&gravel, config, NULL));
    uint64_t table = alloc_or_die(gravel, N_ITEMS * 8);
    OK(run_body(gravel, BODY(ADDS), N_ITEMS, GROUP, table, 0, 0));
    expect_adds(gravel, table);
    struct gravel_stats stats = stats_of(gravel);
    uint64_t n_messages = N_PUTS + N_ADDS, n_sent = 0;
    assert_int_equal(stats.messages, n_messages);
    assert_int_equal(stats.resolved_messages, n_messages);
    for (uint32_t node = 0; node < gravel_n_nodes(gravel); node++) {
        struct gravel_stats to;
        OK(gravel_stats_read(gravel, &to, sizeof to, node));
        n_sent += to.sent_messages;
    }
    assert_int_equal(n_sent, n_messages);
    OK(gravel_close(gravel));
    return stats.binned_messages;
}

/* Except puts to more than 256 nodes. */
TEST(every_message_is_binned_from_one_node_to_many)
{
    const uint32_t nodes[] = {1, 64, 300};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        struct gravel_config config = binning_config(nodes[i]);
        assert_int_equal(run_adds(&config), (nodes[i] <= 256 ? N_PUTS : 0) + N_ADDS);
    }
}

TEST(off_and_auto_bin_nothing_on_a_cpu)
{
    struct gravel_config config = binning_config(2);
    strcpy(config.device_aggregation, "off");
    assert_int_equal(run_adds(&config), 0);
    struct gravel *gravel = open_config(&config);
    if (is_on_gpu(gravel))
        return;
    strcpy(config.device_aggregation, "auto");
    assert_int_equal(run_adds(&config), 0);
}

/* Slots of 4096 increments, of which a group of the device bins half at once, and room for so much that a poll finds more
 * than a block holds, on drain at least. Few words, which a GPU sums up before it adds. */
TEST(runs_longer_than_a_block_lose_nothing)
{
    const uint32_t n_items = 1u << 23;
    struct gravel_config config = binning_config(3);
    config.slot_bytes = 32832;
    config.queue_bytes = 256u << 20;
    struct gravel *gravel = open_config(&config);
    uint64_t table = alloc_or_die(gravel, 1024);
    OK(run_body(gravel, BODY("gravel_inc_uint_wg(g, a, i % 256, i / 4096 % 3);"), n_items, 4096,
                table, 0, 0));
    for (uint32_t node = 0; node < 3; node++)
        expect_words(gravel, node, table, 16 * (n_items / 4096 / 3 + (node < n_items / 4096 % 3)),
                     256);
    assert_int_equal(stats_of(gravel).binned_messages, n_items);
}

/* Each group of work-items that applies them adds thousands to one word. */
TEST_OF("sums", sums_of_reals_that_meet_are_whole)
{
    const uint32_t n_items = 1u << 23;
    struct gravel_config config = binning_config(1);
    struct gravel *gravel = open_config(&config);
    uint64_t table = alloc_or_die(gravel, 64);
    OK(run_body(gravel, BODY("gravel_add_float_wg(g, a, 0, 1.0f, 0);"), n_items, GROUP, table, 0,
                0));
    expect_words(gravel, 0, table, 0x4b000000u, 1); /* as_uint((float)n_items) */
}

/* Calls of a group in one run: each puts a lower value than the one before, and to words of other work-items. */
TEST(last_put_of_a_group_wins)
{
    struct gravel_config config = binning_config(3);
    struct gravel *gravel = open_config(&config);
    uint64_t table = alloc_or_die(gravel, N_ITEMS * 8);
    OK(run_body(gravel,
                BODY("uint first = i - (uint)get_local_id(0), n = (uint)get_local_size(0);"
                     "for (uint turn = 0; turn < 20; turn++) {"
                     "  uint to = first + (i - first + 7 * turn) % n;"
                     "  gravel_put_ulong_wg(g, a, to, (ulong)(to + 19 - turn) << 32, to % 3);"
                     "}"),
                N_ITEMS, GROUP, table, 0, 0));
    for (uint32_t node = 0; node < 3; node++) {
        const uint64_t *words = read_map(gravel, node, table, N_ITEMS * 8);
        for (uint64_t i = node; i < N_ITEMS; i += 3)
            assert_int_equal(words[i], i << 32);
        unmap(gravel, words);
    }
    assert_int_equal(stats_of(gravel).binned_messages, 20 * N_ITEMS);
}

/* Package by package, as ever: the whole package is dropped and told, the others of its run go. */
TEST(bad_destination_inside_a_run_drops_its_package)
{
    struct gravel_config config = binning_config(2);
    struct gravel *gravel = open_config(&config);
    uint64_t table = alloc_or_die(gravel, N_ITEMS * 4);
    expect_error(run_body(gravel,
                          BODY("gravel_inc_uint_wg(g, a, i, i == 5000 ? 0xffffffffu : i % 2);"),
                          N_ITEMS, GROUP, table, 0, 0),
                 GRAVEL_ERANGE, "destination 4294967295 of a package of 256 messages");
    for (uint32_t node = 0; node < 2; node++) {
        const uint32_t *words = read_map(gravel, node, table, N_ITEMS * 4);
        for (uint32_t i = 0; i < N_ITEMS; i++)
            assert_int_equal(words[i], i % 2 == node && i / GROUP != 5000 / GROUP);
        unmap(gravel, words);
    }
    assert_int_equal(stats_of(gravel).refused_messages, GROUP);
    assert_int_equal(stats_of(gravel).messages, N_ITEMS);
    expect_works(gravel);
}

const struct fixture fixture = {.limit_s = 170};
