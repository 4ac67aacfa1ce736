/* SPDX-License-Identifier: MIT */
/*
 * GRAVEL_AGGREGATION: how many node buffers the same messages take, and that all arrive.
 *
 * Path: meson test -> this -> lib/aggregate/sender.c
 */
#include "expect.h"

#define N_NODES 3u
#define N_GROUPS 20u
#define GROUP 48u /* a multiple of N_NODES: every group sends to every node */
#define N_ITEMS (N_GROUPS * GROUP)

static struct gravel *open_with(const char *aggregation)
{
    struct gravel *gravel;
    struct gravel_config config = loopback_config(N_NODES);
    strcpy(config.aggregation, aggregation);
    OK(gravel_open(&gravel, &config, NULL));
    return gravel;
}

/* Every item adds to the word of its own group, at the node that its number names; item `c` to none that exists. */
static int send_all(struct gravel *gravel, uint64_t words, uint64_t lost,
                    struct gravel_stats *stats)
{
    OK(gravel_stats_reset(gravel));
    int code = run_body(gravel, "gravel_add_uint_wg(g, a, i / b, i, i == c ? 3 : i % 3);", N_ITEMS,
                        GROUP, words, GROUP, lost);
    OK(gravel_stats_read(gravel, stats, sizeof *stats, GRAVEL_ALL_NODES));
    assert_int_equal(stats->packages, N_GROUPS);
    assert_int_equal(stats->messages, N_ITEMS);
    return code;
}

/* Of all groups but the lost one. */
static void expect_sums(struct gravel *gravel, uint64_t words, uint32_t lost_group)
{
    uint32_t sums[N_NODES][N_GROUPS] = {{0}};
    for (uint32_t i = 0; i < N_ITEMS; i++)
        sums[i % N_NODES][i / GROUP] += i / GROUP == lost_group ? 0 : i;
    for (uint32_t node = 0; node < N_NODES; node++) {
        const void *part = read_map(gravel, node, words, sizeof sums[node]);
        assert_memory_equal(part, sums[node], sizeof sums[node]);
        unmap(gravel, part);
        fill(gravel, node, words, 0, sizeof sums[node]);
    }
}

/* A package with a destination that does not exist is dropped whole, however its messages would travel. */
static void expect_refused_whole(struct gravel *gravel, uint64_t words)
{
    struct gravel_stats stats;
    expect_error(send_all(gravel, words, GROUP + 40, &stats), GRAVEL_ERANGE, "destination 3");
    assert_int_equal(stats.refused_messages, GROUP);
    expect_sums(gravel, words, 1);
}

/* @return  node buffers that it took. */
static uint64_t count_buffers(const char *aggregation)
{
    struct gravel_stats stats;
    struct gravel *gravel = open_with(aggregation);
    uint64_t words = alloc_or_die(gravel, N_GROUPS * sizeof(uint32_t));
    OK(send_all(gravel, words, N_ITEMS, &stats));
    expect_sums(gravel, words, N_GROUPS);
    assert_int_equal(stats.resolved_messages, N_ITEMS);
    if (strcmp(aggregation, "destination") != 0)
        assert_int_equal(stats.binned_messages, 0);
    expect_refused_whole(gravel, words);
    OK(gravel_close(gravel));
    return stats.buffers_full + stats.buffers_timeout + stats.buffers_flush;
}

TEST(a_buffer_takes_what_the_setting_says)
{
    assert_int_equal(count_buffers("off"), N_ITEMS);
    assert_int_equal(count_buffers("group"), N_GROUPS * N_NODES);
    uint64_t n = count_buffers("destination");
    assert_true(n >= N_NODES && n < N_GROUPS * N_NODES);
}
