/* SPDX-License-Identifier: MIT */
/*
 * Flow memory: widths are as asked or as wide as fits, and what does not fit is refused with the bytes of each channel. That
 * nothing overlaps is tests/ledger/flow_ledger.c's.
 *
 * Path:    meson test -> this -> lib/flow/layout.c
 */

#include "cases.h"
#include "flow/layout.h"

#include <string.h>

static const struct gravel_edge fib_edges[] = {{"fib", 2}, {"sum", 1}};
static const struct gravel_edge loop_edges[] = {{"loop", 1}, {"wide", 5}};

/* Channels of a graph; the widths that they get, or why they get none. */
static const struct {
    struct gravel_channel channels[3];
    uint32_t depth;
    struct gravel_flow_shape shape;
    uint32_t widths[3];
    int code;
    const char *refusal;
} rows[] = {
    /* as asked; all continuations have the widest */
    {{{"fib", 8, GRAVEL_SPAWN, 64, 2, fib_edges},
      {"sum", 12, GRAVEL_AFTER, 0, 0, NULL},
      {"then", 4, GRAVEL_AFTER, 16, 0, NULL}},
     5,
     {32, 4, 1 << 20},
     {64, 32, 32},
     0,
     NULL},
    /* as wide as fits */
    {{{"fib", 8, GRAVEL_SPAWN, 0, 2, fib_edges}, {"sum", 12, GRAVEL_AFTER, 0, 0, NULL}},
     20,
     {1 << 22, 256, 10 << 20},
     {1 << 14, 1 << 14},
     0,
     NULL},
    /* room for edges and a reserve */
    {{{"loop", 8, GRAVEL_STREAM, 0, 2, loop_edges}, {"wide", 12, GRAVEL_OUTPUT, 0, 0, NULL}},
     0,
     {1, 256, 1 << 20},
     {2, 8},
     0,
     NULL},
    {{{"loop", 8, GRAVEL_STREAM, 1, 2, loop_edges}, {"wide", 12, GRAVEL_OUTPUT, 0, 0, NULL}},
     0,
     {8, 256, 1 << 20},
     {0},
     GRAVEL_EINVAL,
     "channel 'loop', which feeds itself: its width, 1"},
    {{{"fib", 8, GRAVEL_SPAWN, 1 << 20, 2, fib_edges}, {"sum", 12, GRAVEL_AFTER, 0, 0, NULL}},
     20,
     {1 << 22, 256, 10 << 20},
     {0},
     GRAVEL_ENOMEM,
     "channels of width 16384 would fit"},
    {{{"fib", 8, GRAVEL_SPAWN, 1 << 20, 2, fib_edges}, {"sum", 12, GRAVEL_AFTER, 0, 0, NULL}},
     20,
     {1 << 22, 256, 10 << 20},
     {0},
     GRAVEL_ENOMEM,
     "fib: 2 words x 1048576 wide x 20 levels = 167772160 bytes"},
    /* more slots than a number names */
    {{{"fib", 8, GRAVEL_SPAWN, 1, 0, NULL}, {"sum", 12, GRAVEL_AFTER, 1 << 28, 0, NULL}},
     20,
     {1 << 22, 256, UINT64_MAX},
     {0},
     GRAVEL_ENOMEM,
     ""},
};

TEST(widths_are_as_asked_or_as_wide_as_fits)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gravel_flow_graph graph;
        struct gravel_flow_layout layout;
        const struct gravel_channel_graph from = GRAVEL_CHANNEL_GRAPH(
            rows[i].channels, rows[i].channels[2].name ? 3 : 2, .depth = rows[i].depth);
        assert_int_equal(gravel_flow_graph_create(&graph, &from), 0);
        assert_int_equal(gravel_flow_layout(&layout, &graph, &rows[i].shape), rows[i].code);
        if (rows[i].code)
            assert_non_null(strstr(gravel_last_error(), rows[i].refusal));
        else
            assert_true(layout.bytes <= rows[i].shape.max_bytes);
        for (uint32_t c = 0; !rows[i].code && c < graph.n_channels; c++) {
            assert_int_equal(graph.channels[c].width, rows[i].widths[c]);
            assert_int_equal(graph.channels[c].reserve, graph.channels[c].kind == GRAVEL_STREAM);
        }
        gravel_flow_graph_destroy(&graph);
    }
}
