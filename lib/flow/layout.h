/* SPDX-License-Identifier: MIT */
/*
 * Where everything lies in flow memory, and how wide channels are.
 *
 * Path:    graph.c -> layout.c -> memory.c, prelude.c.
 * Owner:   the graph is the caller's, and its channels are completed.
 * Threads: any; pure.
 */
#ifndef GRAVEL_FLOW_LAYOUT_H
#define GRAVEL_FLOW_LAYOUT_H

#include "flow/graph.h"

/* What is asked. */
struct gravel_flow_shape {
    uint32_t width;       /* of channels without one, at most; a power of two */
    uint32_t group_items; /* work-items of a group */
    uint64_t max_bytes;   /* of flow memory */
};

struct gravel_flow_layout {
    uint64_t bytes;                   /* of flow memory */
    uint64_t control_bytes;           /* of it, up to the slots */
    uint64_t round_at, round_bytes;   /* what the chooser writes between rounds: round and limits */
    uint64_t counts_at, counts_bytes; /* what the chooser reads then: fault, unenqueued, tails */
    struct gravelp_flow header;       /* as it begins */
    uint32_t slot_stride;             /* columns of continuations */
};

/**
 * Choose widths, and lay flow memory out.
 *
 * @param graph   [in, out] gets width, reserve, base and level_words of its channels.
 * @param layout  [out]
 * @return        0; GRAVEL_EINVAL (a width is too small for the channel's reserve); GRAVEL_ENOMEM: bytes of each
 *                channel, and which width would fit.
 */
int gravel_flow_layout(struct gravel_flow_layout *layout, struct gravel_flow_graph *graph,
                       const struct gravel_flow_shape *shape);

/** Write the control part as it begins: header, channels, edges; all else 0. @param control  [control_bytes] */
void gravel_flow_layout_write(const struct gravel_flow_layout *layout,
                              const struct gravel_flow_graph *graph, void *control);

#endif
