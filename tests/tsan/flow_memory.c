/* SPDX-License-Identifier: MIT */
/*
 * Lays fib's flow out. See flow_memory.h.
 */
#include "flow_memory.h"

#include "flow/layout.h"

#include "fail.h"

#include <string.h>

struct flow_memory flow_memory_make(uint32_t n, uint32_t width)
{
    const struct gravel_edge edges[] = {{"fib", 2}, {"sum", 1}};
    const struct gravel_channel channels[] = {{"fib", 8, GRAVEL_SPAWN, width, 2, edges},
                                              {"sum", 12, GRAVEL_AFTER, width, 0, NULL}};
    const struct gravel_graph from = {channels, 2, .depth = n + 1};
    const struct gravel_flow_shape shape = {width, 4, UINT64_MAX};
    struct gravel_flow_graph graph;
    struct gravel_flow_layout layout;
    struct flow_memory memory;
    if (gravel_flow_graph_create(&graph, &from) || gravel_flow_layout(&layout, &graph, &shape))
        fail("no flow");
    memory = (struct flow_memory){calloc(1, layout.bytes),
                                  {{0}},
                                  (uint32_t)layout.front_bytes / 4,
                                  layout.levels_at,
                                  layout.level_words,
                                  layout.after_words};
    if (!memory.flow)
        fail("no memory for a flow");
    memcpy(memory.channels, graph.channels, sizeof memory.channels);
    gravel_flow_layout_write(&layout, &graph, memory.flow,
                             (unsigned char *)memory.flow + layout.back_at);
    gravel_flow_graph_destroy(&graph);
    return memory;
}
