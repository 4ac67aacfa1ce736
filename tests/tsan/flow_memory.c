/* SPDX-License-Identifier: MIT */
/*
 * Lays the flows out. See flow_memory.h.
 */
#include "flow_memory.h"

#include "flow/layout.h"

#include "fail.h"

#include <string.h>

struct flow_memory flow_memory_make(enum flow_graph which, uint32_t depth, uint32_t width)
{
    const struct gravel_edge edges[] = {{"fib", 2}, {"sum", 1}};
    const struct gravel_edge to_cells = {"cell", FLOW_GRID_SIDE * FLOW_GRID_SIDE};
    const struct gravel_edge to_out = {"out", 1};
    const struct gravel_channel fib[] = {{"fib", 8, GRAVEL_SPAWN, width, 2, edges},
                                         {"sum", 12, GRAVEL_AFTER, width, 0, NULL}};
    const struct gravel_channel grid[] = {{"grid", 4, GRAVEL_STREAM, width, 1, &to_cells},
                                          {"cell", 16, GRAVEL_HELD, width, 1, &to_out},
                                          {"out", 8, GRAVEL_OUTPUT, FLOW_OUT_WIDTH, 0, NULL}};
    const struct gravel_channel_graph from = GRAVEL_CHANNEL_GRAPH(
        which == FLOW_FIB ? fib : grid, which == FLOW_FIB ? 2 : 3, .depth = depth);
    const struct gravel_flow_shape shape = {width, 4, UINT64_MAX};
    struct gravel_flow_graph graph;
    struct gravel_flow_layout layout;
    struct flow_memory memory;
    if (gravel_flow_graph_create(&graph, &from) || gravel_flow_layout(&layout, &graph, &shape))
        fail("no flow");
    memory = (struct flow_memory){.flow = calloc(1, layout.bytes),
                                  .rows_at = (uint32_t)layout.rows_at / 4,
                                  .held_at = layout.held_at,
                                  .held_words = layout.held_words,
                                  .held_stride = layout.held_stride,
                                  .levels_at = layout.levels_at,
                                  .level_words = layout.level_words,
                                  .after_words = layout.after_words};
    if (!memory.flow)
        fail("no memory for a flow");
    memcpy(memory.channels, graph.channels, graph.n_channels * sizeof *graph.channels);
    gravel_flow_layout_write(&layout, &graph, memory.flow);
    gravel_flow_graph_destroy(&graph);
    return memory;
}
