/* SPDX-License-Identifier: MIT */
/*
 * Flow memory: nothing overlaps, all is inside, widths are as asked or as wide as fits, and what does not fit is
 * refused with the bytes of each channel.
 *
 * Path:    meson test -> this -> lib/flow/layout.c
 */

#include "cases.h"
#include "flow/layout.h"
#include "random_graph.h"

#include <stdlib.h>
#include <string.h>

static const struct gravel_edge fib_edges[] = {{"fib", 2}, {"sum", 1}};
static const struct gravel_edge loop_edges[] = {{"loop", 1}, {"wide", 5}};

static struct gravel_flow_graph graph_of(const struct gravel_channel *channels, uint32_t n,
                                         uint32_t depth)
{
    struct gravel_flow_graph graph;
    const struct gravel_graph from = GRAVEL_GRAPH(channels, n, .depth = depth);
    assert_int_equal(gravel_flow_graph_create(&graph, &from), 0);
    return graph;
}

/* As cl/device/cilk.cl.h asks. */
static bool is_slot(const struct gravel_flow_layout *layout, uint32_t word)
{
    uint32_t in_levels = word - layout->levels_at;
    if (word - layout->held_at < layout->held_words)
        return true;
    return in_levels < layout->header.n_level_words &&
           in_levels % layout->level_words < layout->after_words;
}

/* Mark the words of each layer's rows, each once. */
TEST(rows_do_not_overlap)
{
    static struct random_graph random;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct gravel_flow_layout layout;
        struct gravel_flow_graph graph;
        const struct gravel_flow_shape shape = {8, 4, UINT64_MAX};
        random_graph_make(&random, seed);
        random_holds(&random, seed);
        assert_int_equal(gravel_flow_graph_create(&graph, &random.graph), 0);
        assert_int_equal(gravel_flow_layout(&layout, &graph, &shape), 0);
        unsigned char *used = calloc(layout.bytes / 4, 1);
        assert_non_null(used);
        memset(used, 1, layout.front_bytes / 4 + GRAVEL_RESULT_WORDS);
        memset(used + layout.back_at / 4, 1, layout.back_bytes / 4);
        for (uint32_t c = 0; c < graph.n_channels; c++)
            for (uint32_t level = 0; level < (c < graph.n_flat ? 1 : graph.n_levels); level++) {
                const struct gravelp_channel *channel = &graph.channels[c];
                uint32_t number = channel->base + channel->level_words * level;
                uint64_t at = layout.front_bytes / 4 + number;
                uint64_t n = (uint64_t)channel->n_words * channel->width;
                assert_true(at + n <= layout.back_at / 4);
                for (uint32_t word = number; word < number + n; word++)
                    assert_int_equal(is_slot(&layout, word),
                                     channel->kind == GRAVEL_AFTER || channel->kind == GRAVEL_HELD);
                for (uint64_t i = 0; i < n; i++)
                    assert_int_equal(used[at + i]++, 0);
                for (uint32_t i = 0; channel->kind == GRAVEL_HELD && i < 2 * channel->width; i++)
                    assert_int_equal(used[layout.front_bytes / 4 + channel->states + i]++, 0);
            }
        free(used);
        gravel_flow_graph_destroy(&graph);
    }
}

TEST(widths_are_as_asked_or_derived)
{
    struct gravel_flow_layout layout;
    const struct gravel_channel channels[] = {{"fib", 8, GRAVEL_SPAWN, 64, 2, fib_edges},
                                              {"sum", 12, GRAVEL_AFTER, 0, 0, NULL},
                                              {"then", 4, GRAVEL_AFTER, 16, 0, NULL}};
    const struct gravel_flow_shape shape = {32, 4, 1 << 20};
    struct gravel_flow_graph graph = graph_of(channels, 3, 5);
    assert_int_equal(gravel_flow_layout(&layout, &graph, &shape), 0);
    assert_int_equal(graph.channels[0].width, 64);
    assert_int_equal(graph.channels[1].width, 32); /* all continuations have the widest */
    assert_int_equal(graph.channels[2].width, 32);
    assert_int_equal(layout.slot_stride, 32);
    gravel_flow_graph_destroy(&graph);
}

TEST(derived_width_shrinks_until_all_fits)
{
    struct gravel_flow_layout layout;
    const struct gravel_channel channels[] = {{"fib", 8, GRAVEL_SPAWN, 0, 2, fib_edges},
                                              {"sum", 12, GRAVEL_AFTER, 0, 0, NULL}};
    const struct gravel_flow_shape shape = {1 << 22, 256, 10 << 20};
    struct gravel_flow_graph graph = graph_of(channels, 2, 20);
    assert_int_equal(gravel_flow_layout(&layout, &graph, &shape), 0);
    assert_int_equal(graph.channels[0].width, 1 << 14);
    assert_true(layout.bytes <= 10 << 20);
    assert_true(layout.bytes >= 20 * 5 * 4 * (1 << 14));
    gravel_flow_graph_destroy(&graph);
}

TEST(least_width_has_room_for_edges_and_reserve)
{
    struct gravel_flow_layout layout;
    const struct gravel_channel channels[] = {{"loop", 8, GRAVEL_STREAM, 0, 2, loop_edges},
                                              {"wide", 12, GRAVEL_OUTPUT, 0, 0, NULL}};
    const struct gravel_flow_shape shape = {1, 256, 1 << 20};
    struct gravel_flow_graph graph = graph_of(channels, 2, 0);
    assert_int_equal(gravel_flow_layout(&layout, &graph, &shape), 0);
    assert_int_equal(graph.channels[0].width, 2);
    assert_int_equal(graph.channels[0].reserve, 1);
    assert_int_equal(graph.channels[1].width, 8);
    assert_int_equal(graph.channels[1].reserve, 0);
    gravel_flow_graph_destroy(&graph);
}

TEST(width_without_room_for_its_reserve_is_refused)
{
    struct gravel_flow_layout layout;
    const struct gravel_channel channels[] = {{"loop", 8, GRAVEL_STREAM, 1, 2, loop_edges},
                                              {"wide", 12, GRAVEL_OUTPUT, 0, 0, NULL}};
    const struct gravel_flow_shape shape = {8, 256, 1 << 20};
    struct gravel_flow_graph graph = graph_of(channels, 2, 0);
    assert_int_equal(gravel_flow_layout(&layout, &graph, &shape), GRAVEL_EINVAL);
    assert_non_null(
        strstr(gravel_last_error(), "channel 'loop', which feeds itself: its width, 1"));
    gravel_flow_graph_destroy(&graph);
}

TEST(flow_that_does_not_fit_says_which_would)
{
    struct gravel_flow_layout layout;
    const struct gravel_channel channels[] = {{"fib", 8, GRAVEL_SPAWN, 1 << 20, 2, fib_edges},
                                              {"sum", 12, GRAVEL_AFTER, 0, 0, NULL}};
    const struct gravel_flow_shape shape = {1 << 22, 256, 10 << 20};
    struct gravel_flow_graph graph = graph_of(channels, 2, 20);
    assert_int_equal(gravel_flow_layout(&layout, &graph, &shape), GRAVEL_ENOMEM);
    assert_non_null(strstr(gravel_last_error(), "channels of width 16384 would fit"));
    assert_non_null(
        strstr(gravel_last_error(), "fib: 2 words x 1048576 wide x 20 levels = 167772160 bytes"));
    gravel_flow_graph_destroy(&graph);
}

TEST(flow_of_more_slots_than_a_number_names_is_refused)
{
    struct gravel_flow_layout layout;
    const struct gravel_channel channels[] = {{"fib", 8, GRAVEL_SPAWN, 1, 0, NULL},
                                              {"sum", 12, GRAVEL_AFTER, 1 << 28, 0, NULL}};
    const struct gravel_flow_shape shape = {1 << 22, 256, UINT64_MAX};
    struct gravel_flow_graph graph = graph_of(channels, 2, 20);
    assert_int_equal(gravel_flow_layout(&layout, &graph, &shape), GRAVEL_ENOMEM);
    gravel_flow_graph_destroy(&graph);
}
