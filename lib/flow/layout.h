/* SPDX-License-Identifier: MIT */
/*
 * A flow's graph; where everything lies in flow memory, how wide channels are, and what comes before the text of a
 * flow's program.
 *
 * Path:    create.c -> graph.c -> layout.c -> memory.c; the compiler -> cl/device/channel.cl.h.
 * Owner:   the caller.
 * Threads: any; pure.
 */
#ifndef GRAVEL_FLOW_LAYOUT_H
#define GRAVEL_FLOW_LAYOUT_H

#include "gravel/flow.h"
#include "layout/flow.h"

#include <stdbool.h>

/* ---- graph.c: a checked copy of a graph, channels by number, streams and outputs first ------------ */

#define GRAVEL_FLOW_MAX_CHANNELS 1024u
#define GRAVEL_FLOW_MAX_DEPTH 65536u
#define GRAVEL_FLOW_MAX_WIDTH \
    (1u << 28) /* columns, and counts of a group, fit below GRAVELP_NO_CE */

struct gravel_flow_graph {
    uint32_t n_channels;
    uint32_t n_flat; /* streams and outputs, which come first */
    uint32_t n_levels;
    uint32_t n_edges;
    struct gravel_channel_graph given; /* less its channels, which are below */
    char **names;                      /* [n_channels] */
    struct gravel_channel *asked; /* [n_channels] as the caller gave them, less names and edges */
    struct gravelp_channel *channels; /* [n_channels] */
    struct gravelp_edge *edges;       /* [n_edges] */
};

/**
 * Check a graph, whose header may be older or newer, and copy it.
 *
 * @param graph  [out] empty on failure.
 * @return       0; GRAVEL_EINVAL: which channel, and what is wrong; GRAVEL_ENOMEM.
 */
int gravel_flow_graph_create(struct gravel_flow_graph *graph,
                             const struct gravel_channel_graph *from);
/** Frees it; an empty one is allowed. */
void gravel_flow_graph_destroy(struct gravel_flow_graph *graph);

/** Returns a channel's number; n_channels if there is none of the name. */
uint32_t gravel_flow_graph_find(const struct gravel_flow_graph *graph, const char *name);

/** Returns the most CEs that one of a channel makes of it at its own level; 0: it does not feed itself. */
uint32_t gravel_flow_graph_feeds_itself(const struct gravel_flow_graph *graph, uint32_t channel);

/** Returns the most CEs of a channel that one CE of any channel makes, at least 1. */
uint32_t gravel_flow_graph_most_into(const struct gravel_flow_graph *graph, uint32_t channel);

/* ---- layout.c ---------------------------------------------------------------------------------- */

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
