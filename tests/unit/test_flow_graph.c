/* SPDX-License-Identifier: MIT */
/*
 * Which graphs are refused, with an error that names what is wrong; and which are not.
 *
 * Path:    meson test -> this -> lib/flow/graph.c
 */

#include "cases.h"
#include "flow/layout.h"

#include <string.h>

#define EDGES(...) ((struct gravel_edge[]){__VA_ARGS__})
#define N_EDGES(...) (sizeof EDGES(__VA_ARGS__) / sizeof(struct gravel_edge))
#define CHANNEL(name, kind, ...)                                   \
    {                                                              \
        name, 8, kind, 0, N_EDGES(__VA_ARGS__), EDGES(__VA_ARGS__) \
    }
#define LEAF(name, kind)          \
    {                             \
        name, 8, kind, 0, 0, NULL \
    }

static int create(const struct gravel_channel *channels, uint32_t n, uint32_t depth)
{
    struct gravel_flow_graph graph;
    const struct gravel_channel_graph from = GRAVEL_CHANNEL_GRAPH(channels, n, .depth = depth);
    int code = gravel_flow_graph_create(&graph, &from);
    if (code)
        assert_null(graph.names);
    gravel_flow_graph_destroy(&graph);
    return code;
}

static void expect_refused(const struct gravel_channel *channels, uint32_t n, uint32_t depth,
                           const char *part)
{
    int code = create(channels, n, depth);
    if (code != GRAVEL_EINVAL || !strstr(gravel_last_error(), part))
        fail_msg("got %d: %s; expected a text with \"%s\"", code, gravel_last_error(), part);
}
#define REFUSED(depth, part, ...)                                                  \
    do {                                                                           \
        const struct gravel_channel refused_[] = {__VA_ARGS__};                    \
        expect_refused(refused_, sizeof refused_ / sizeof *refused_, depth, part); \
    } while (0)
#define TAKEN(depth, ...)                                          \
    do {                                                           \
        const struct gravel_channel taken_[] = {__VA_ARGS__};      \
        if (create(taken_, sizeof taken_ / sizeof *taken_, depth)) \
            fail_msg("%s", gravel_last_error());                   \
    } while (0)

TEST(unsound_graphs_are_refused)
{
    expect_refused(NULL, 1, 1, "a graph of 1 channels");
    const struct gravel_channel channel = LEAF("a", GRAVEL_STREAM);
    expect_refused(&channel, 0, 1, "a graph of 0 channels");
    REFUSED(1, "'(NULL)', is not a C identifier", LEAF(NULL, GRAVEL_STREAM));
    REFUSED(1, "channel 0: its name, '2a'", LEAF("2a", GRAVEL_STREAM));
    REFUSED(1, "'a b'", LEAF("a b", GRAVEL_STREAM));
    REFUSED(1, "channels 0 and 2 have one name, 'a'", LEAF("a", GRAVEL_STREAM),
            LEAF("b", GRAVEL_STREAM), LEAF("a", GRAVEL_SPAWN));
    REFUSED(1, "'a': a record of 6 bytes", {"a", 6, GRAVEL_STREAM, 0, 0, NULL});
    REFUSED(1, "'a': a record of 0 bytes", {"a", 0, GRAVEL_STREAM, 0, 0, NULL});
    REFUSED(1, "'a': a record of 132 bytes", {"a", 132, GRAVEL_STREAM, 0, 0, NULL});
    REFUSED(1, "'a': there is no kind 7", LEAF("a", 7));
    REFUSED(1, "'a': its width, 12,", {"a", 8, GRAVEL_STREAM, 12, 0, NULL});
    REFUSED(1, "'a': its width, 536870912,", {"a", 8, GRAVEL_STREAM, 1u << 29, 0, NULL});
    REFUSED(1, "GRAVEL_GROUP_NODE of an output", LEAF("a", GRAVEL_OUTPUT | GRAVEL_GROUP_NODE));
    REFUSED(1, "'a': 1 edges at NULL", {"a", 8, GRAVEL_STREAM, 0, 1, NULL});
    REFUSED(1, "'a': 1 edges of an output", CHANNEL("a", GRAVEL_OUTPUT, {"a", 1}));
    /* edges */
    REFUSED(1, "from channel 'a' into 'b', at most 1: there is no such channel",
            CHANNEL("a", GRAVEL_STREAM, {"b", 1}));
    REFUSED(1, "into '(NULL)'", CHANNEL("a", GRAVEL_STREAM, {NULL, 1}));
    REFUSED(1, "another edge between the two", CHANNEL("a", GRAVEL_SPAWN, {"a", 1}, {"a", 1}));
    REFUSED(1, "at most 0: it makes nothing", CHANNEL("a", GRAVEL_SPAWN, {"a", 0}));
    REFUSED(1, "what has no level cannot sync", CHANNEL("a", GRAVEL_STREAM, {"b", 1}),
            LEAF("b", GRAVEL_AFTER));
    REFUSED(1, "'b': its width, 2, is less than the 3 that an element of 'a'",
            CHANNEL("a", GRAVEL_STREAM, {"b", 3}), {"b", 8, GRAVEL_STREAM, 2, 0, NULL});
    /* stacks without levels */
    REFUSED(0, "of depth 0", LEAF("a", GRAVEL_SPAWN));
    REFUSED(65537, "of depth 65537", LEAF("a", GRAVEL_SPAWN));
    /* cycles that raise no level, and from a stack over a stream */
    REFUSED(1, "channels 'a' and 'b' feed each other", CHANNEL("a", GRAVEL_STREAM, {"b", 1}),
            CHANNEL("b", GRAVEL_STREAM, {"a", 1}));
    REFUSED(1, "channels 'a' and 'b' feed each other", CHANNEL("a", GRAVEL_STREAM, {"b", 1}),
            CHANNEL("b", GRAVEL_STREAM, {"c", 1}), CHANNEL("c", GRAVEL_STREAM, {"a", 1}));
    REFUSED(3, "channels 'a' and 'b' feed each other", CHANNEL("a", GRAVEL_AFTER, {"b", 1}),
            CHANNEL("b", GRAVEL_AFTER, {"a", 1}));
    REFUSED(1, "channel 'a' feeds itself at its level with at most 2",
            CHANNEL("a", GRAVEL_STREAM, {"a", 2}));
    REFUSED(2, "channel 'a' feeds itself at its level with at most 2",
            CHANNEL("a", GRAVEL_AFTER, {"a", 2}));
    REFUSED(1, "channel 'a' feeds itself at its level with at most 1, not 0",
            CHANNEL("a", GRAVEL_HELD, {"a", 1}));
    REFUSED(1, "channels 'a' and 'b' feed each other", CHANNEL("a", GRAVEL_HELD, {"b", 1}),
            CHANNEL("b", GRAVEL_STREAM, {"a", 1}));
    REFUSED(9, "channels 's' and 'a' feed each other", CHANNEL("a", GRAVEL_SPAWN, {"b", 1}),
            CHANNEL("b", GRAVEL_SPAWN, {"s", 1}), CHANNEL("s", GRAVEL_STREAM, {"a", 1}));
}

TEST(sound_graphs_are_taken)
{
    TAKEN(0, LEAF("a", GRAVEL_STREAM));
    /* marked cycles */
    TAKEN(1, CHANNEL("a", GRAVEL_STREAM | GRAVEL_MAY_FILL, {"b", 1}),
          CHANNEL("b", GRAVEL_STREAM, {"a", 1}));
    TAKEN(1, CHANNEL("a", GRAVEL_STREAM | GRAVEL_MAY_FILL, {"a", 3}));
    TAKEN(0, CHANNEL("a", GRAVEL_HELD | GRAVEL_MAY_FILL, {"a", 1}));
    /* recursion, and loops around a sync */
    TAKEN(9, CHANNEL("fib", GRAVEL_SPAWN, {"fib", 2}, {"sum", 1}), LEAF("sum", GRAVEL_AFTER));
    TAKEN(9, CHANNEL("a", GRAVEL_SPAWN, {"loop", 1}),
          CHANNEL("loop", GRAVEL_AFTER, {"loop", 1}, {"a", 4}));
    TAKEN(9, CHANNEL("s", GRAVEL_STREAM, {"s", 1}, {"a", 2}), CHANNEL("a", GRAVEL_SPAWN, {"o", 1}),
          LEAF("o", GRAVEL_OUTPUT));
    TAKEN(9, CHANNEL("a", GRAVEL_SPAWN, {"b", 2}), CHANNEL("b", GRAVEL_SPAWN, {"a", 2}));
}

TEST(copy_has_flat_channels_first)
{
    struct gravel_flow_graph graph;
    const struct gravel_channel channels[] = {
        CHANNEL("task", GRAVEL_SPAWN, {"out", 5}, {"then", 2}), LEAF("then", GRAVEL_AFTER),
        LEAF("out", GRAVEL_OUTPUT)};
    const struct gravel_channel_graph from = GRAVEL_CHANNEL_GRAPH(channels, 3, .depth = 4);
    assert_int_equal(gravel_flow_graph_create(&graph, &from), 0);
    assert_int_equal(graph.n_flat, 1);
    assert_int_equal(gravel_flow_graph_find(&graph, "out"), 0);
    assert_int_equal(gravel_flow_graph_find(&graph, "task"), 1);
    assert_int_equal(gravel_flow_graph_find(&graph, "sum"), 3);
    assert_int_equal(graph.edges[graph.channels[1].first_edge].into, 0);
    assert_int_equal(graph.edges[graph.channels[1].first_edge].at_most, 5);
    assert_int_equal(graph.edges[graph.channels[1].first_edge + 1].into, 2);
    assert_int_equal(gravel_flow_graph_most_into(&graph, 0), 5);
    gravel_flow_graph_destroy(&graph);
}
