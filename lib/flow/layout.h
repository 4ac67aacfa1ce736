/* SPDX-License-Identifier: MIT */
/*
 * Where everything lies in flow memory, how wide channels are, and what comes before the text of a flow's program.
 *
 * Path:    graph.c -> layout.c -> memory.c; the compiler -> cl/device/channel.cl.h.
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
    uint64_t bytes;   /* of flow memory */
    uint64_t rows_at; /* [bytes] where the rows begin; all before is what the host mirrors */
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

/** Write what is before the rows as it begins, all that the graph does not say 0. @param control  [rows_at] */
void gravel_flow_layout_write(const struct gravel_flow_layout *layout,
                              const struct gravel_flow_graph *graph, struct gravelp_flow *control);

/**
 * Write the text of a flow's program: its graph as macros, and gravel.cl.h, so that a header of records that host and
 * kernels share needs nothing else; then the source with its own line numbers.
 *
 * @param loops  the form of the program that loops, or the plain one (cl/device/round.cl.h).
 * @return       to be freed; NULL if memory is out.
 */
char *gravel_flow_prelude(const struct gravel_flow_graph *graph,
                          const struct gravel_flow_layout *layout, bool loops, const char *name,
                          const char *source);

#endif
