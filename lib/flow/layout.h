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
    uint64_t bytes;        /* of flow memory */
    uint64_t front_bytes;  /* of it before the rows: header and limits */
    uint64_t back_at;      /* where the rows end */
    uint64_t back_bytes;   /* behind them: fault, unenqueued, tails and so on (cl/layout/flow.h) */
    uint64_t round_bytes;  /* what the chooser writes between rounds, the end of the front */
    uint64_t counts_bytes; /* what it reads then: faults, unenqueued, tails, enqueued and done */
    uint64_t turn_bytes; /* what changes in a launch of several rounds, the beginning of the back */
    struct gravelp_flow header; /* as it begins */
    uint32_t held_at;           /* [words] from the result to the rows of held channels */
    uint32_t held_words;        /* of all their records */
    uint32_t held_stride;       /* columns of held elements */
    uint32_t levels_at;         /* [words] from the result to the rows of level 0 */
    uint32_t level_words;       /* from a level to the next */
    uint32_t after_words;       /* of them with continuations */
    uint32_t slot_stride;       /* columns of continuations */
    uint32_t group_items;
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

/**
 * Write front and back as they begin, all that the graph does not say 0.
 *
 * @param front  [front_bytes]
 * @param back   [back_bytes]
 */
void gravel_flow_layout_write(const struct gravel_flow_layout *layout,
                              const struct gravel_flow_graph *graph, void *front, void *back);

#endif
