/* SPDX-License-Identifier: MIT */
/*
 * A checked copy of a graph: channels by number, streams and outputs first.
 *
 * Path:    flow.c -> graph.c -> layout.c.
 * Owner:   the caller, to be freed.
 * Threads: any; pure.
 */
#ifndef GRAVEL_FLOW_GRAPH_H
#define GRAVEL_FLOW_GRAPH_H

#include "gravel/flow.h"
#include "layout/flow.h"

#include <stdbool.h>

#define GRAVEL_FLOW_MAX_CHANNELS 1024u
#define GRAVEL_FLOW_MAX_DEPTH 65536u
#define GRAVEL_FLOW_MAX_WIDTH \
    (1u << 28) /* columns, and counts of a group, fit below GRAVELP_NO_CE */

struct gravel_flow_graph {
    uint32_t n_channels;
    uint32_t n_flat; /* streams and outputs, which come first */
    uint32_t n_levels;
    uint32_t n_edges;
    struct gravel_graph given;    /* less its channels, which are below */
    char **names;                 /* [n_channels] */
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
int gravel_flow_graph_create(struct gravel_flow_graph *graph, const struct gravel_graph *from);
/** An empty one is allowed. */
void gravel_flow_graph_destroy(struct gravel_flow_graph *graph);

/** A channel's number; n_channels if there is none of the name. */
uint32_t gravel_flow_graph_find(const struct gravel_flow_graph *graph, const char *name);

/** Most CEs that one of a channel makes of it at its own level; 0: it does not feed itself. */
uint32_t gravel_flow_graph_feeds_itself(const struct gravel_flow_graph *graph, uint32_t channel);

/** Most CEs of a channel that one CE of any channel makes, at least 1. */
uint32_t gravel_flow_graph_most_into(const struct gravel_flow_graph *graph, uint32_t channel);

#endif
