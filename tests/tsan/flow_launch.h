/* SPDX-License-Identifier: MIT */
/*
 * Launches of a flow's kernel as C11, by its form with a loop: behind the macros of the graph, in one file of a program.
 *
 * Path:    flow.c, flow_held.c -> this -> flow_memory.c, lanes.c.
 */
#ifndef GRAVEL_TSAN_FLOW_LAUNCH_H
#define GRAVEL_TSAN_FLOW_LAUNCH_H

#include "flow_memory.h"
#include "lanes.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

/* Flow memory; the macros above must be those of the graph. */
static inline struct gravelp_flow *make_flow(enum flow_graph graph, uint32_t depth, uint32_t width)
{
    struct flow_memory memory = flow_memory_make(graph, depth, width);
    if (memcmp(memory.channels, gravelp_channels, sizeof gravelp_channels) ||
        memory.held_at != GRAVELP_FLOW_HELD_AT || memory.held_words != GRAVELP_FLOW_HELD_WORDS ||
        memory.held_stride != GRAVELP_FLOW_HELD_STRIDE ||
        memory.levels_at != GRAVELP_FLOW_LEVELS_AT ||
        memory.level_words + !memory.level_words != GRAVELP_FLOW_LEVEL_WORDS ||
        memory.after_words != GRAVELP_FLOW_AFTER_WORDS)
        fail("the macros are not those of the graph");
    flow_sign = memory.flow->sign;
    flow_rows_at = memory.rows_at;
    return memory.flow;
}

#define PATIENT_MS 1000000u
static uint32_t flow_wait_ms = PATIENT_MS; /* of members */

static inline void launch(lanes_kernel *body, struct gravelp_flow *flow,
                          struct gravelp_arena *arena, struct gravelp_round round,
                          uint32_t n_groups, uint32_t local_size, uint32_t most_elements)
{
    struct gravelp_view view = gravelp_view_of(flow);
    uint32_t *limits = gravelp_flow_words(flow, flow->limits_at);
    for (uint32_t c = 0; c < flow->n_channels; c++)
        limits[c] = gravelp_view_limit(view, round, c);
    *gravelp_flow_launch(flow) = (struct gravelp_flow_launch){.n_groups = n_groups,
                                                              .round = round,
                                                              .most_elements = most_elements,
                                                              .wait_ms = flow_wait_ms};
    lanes_launch(body, arena, &flow, n_groups, local_size);
}

static inline void check_faults(struct gravelp_flow *flow)
{
    if (gravelp_flow_faults(flow)->claim)
        fail("fault %u: %u of %u", gravelp_flow_faults(flow)->fault,
             gravelp_flow_faults(flow)->value, gravelp_flow_faults(flow)->bound);
}

static inline struct gravelp_arena *make_arena(void)
{
    struct gravelp_arena *arena = calloc(1, sizeof *arena + sizeof(struct gravelp_queue_words));
    if (!arena)
        fail("no memory for an arena");
    arena->n_queues = 1;
    arena->queues_offset = sizeof *arena;
    arena->poll_ns = 1000;
    return arena;
}

#endif
