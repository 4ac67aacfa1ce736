/* SPDX-License-Identifier: MIT */
/*
 * Checks of a graph. See layout.h.
 *
 * A cycle of edges is sound if it raises the level: then it ends at the last one. A channel that is not held may also
 * feed itself, one CE for one. Any other cycle can fill all its channels and stop; it is refused unless GRAVEL_MAY_FILL
 * marks a channel in it.
 */
#include "flow/layout.h"

#include "base/error.h"
#include "base/growing.h"
#include "base/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct gravel_growing of_graph =
    GRAVEL_GROWING("graph.bytes", gravel_channel_graph, "GRAVEL_CHANNEL_GRAPH()", n_messages);
static const struct gravel_growing of_channel =
    GRAVEL_GROWING("graph.channel_bytes", gravel_channel, "GRAVEL_CHANNEL_GRAPH()", into);

/* ---- a channel ------------------------------------------------------------------------------- */

static uint32_t kind_of(const struct gravel_channel *channel)
{
    return channel->kind & ~(GRAVEL_MAY_FILL | GRAVEL_GROUP_NODE);
}

static int check_name(const struct gravel_channel_graph *graph, uint32_t c)
{
    const char *name = graph->channels[c].name;
    if (!gravel_is_identifier(name))
        return gravel_fail(GRAVEL_EINVAL, "channel %u: its name, '%s', is not a C identifier", c,
                           name ? name : "(NULL)");
    for (uint32_t other = 0; other < c; other++)
        if (strcmp(graph->channels[other].name, name) == 0)
            return gravel_fail(GRAVEL_EINVAL, "channels %u and %u have one name, '%s'", other, c,
                               name);
    return 0;
}

static int check_channel(const struct gravel_channel *channel)
{
    uint32_t bytes = channel->record_bytes, kind = kind_of(channel), width = channel->width;
    if (bytes == 0 || bytes % 4 || bytes > GRAVEL_RECORD_MOST_BYTES)
        return gravel_fail(GRAVEL_EINVAL,
                           "channel '%s': a record of %u bytes, not of 4-byte words up to %u bytes",
                           channel->name, bytes, GRAVEL_RECORD_MOST_BYTES);
    if (kind > GRAVEL_HELD)
        return gravel_fail(GRAVEL_EINVAL, "channel '%s': there is no kind %u", channel->name,
                           channel->kind);
    if (kind == GRAVEL_OUTPUT && channel->kind & GRAVEL_GROUP_NODE)
        return gravel_fail(GRAVEL_EINVAL,
                           "channel '%s': GRAVEL_GROUP_NODE of an output, which has no node",
                           channel->name);
    if (width & (width - 1) || width > GRAVEL_FLOW_MAX_WIDTH)
        return gravel_fail(GRAVEL_EINVAL,
                           "channel '%s': its width, %u, is not a power of two up to %u",
                           channel->name, width, GRAVEL_FLOW_MAX_WIDTH);
    if (channel->n_into && (!channel->into || kind == GRAVEL_OUTPUT))
        return gravel_fail(GRAVEL_EINVAL, "channel '%s': %u edges %s", channel->name,
                           channel->n_into,
                           channel->into ? "of an output, which has no node" : "at NULL");
    return 0;
}

/* ---- the copy -------------------------------------------------------------------------------- */

/* Copies the channels that have levels, or those that have none, in their order. */
static bool copy_channels(struct gravel_flow_graph *graph, bool stacks)
{
    for (uint32_t c = 0; c < graph->given.n_channels; c++) {
        const struct gravel_channel *channel = &graph->given.channels[c];
        uint32_t kind = kind_of(channel), at = graph->n_channels;
        if ((kind == GRAVEL_SPAWN || kind == GRAVEL_AFTER) != stacks)
            continue;
        graph->names[at] = strdup(channel->name);
        graph->asked[at] = *channel;
        graph->channels[at] =
            (struct gravelp_channel){.kind = kind,
                                     .n_words = channel->record_bytes / 4,
                                     .first_edge = graph->n_edges,
                                     .n_edges = channel->n_into,
                                     .is_by_group = (channel->kind & GRAVEL_GROUP_NODE) != 0};
        graph->n_edges += channel->n_into;
        graph->n_channels++;
        if (!graph->names[at])
            return false;
    }
    return true;
}

static int copy(struct gravel_flow_graph *graph)
{
    const uint32_t n = graph->given.n_channels;
    graph->n_levels = graph->given.depth ? graph->given.depth : 1;
    graph->names = calloc(n, sizeof *graph->names);
    graph->asked = calloc(n, sizeof *graph->asked);
    graph->channels = calloc(n, sizeof *graph->channels);
    bool is_whole = graph->names && graph->asked && graph->channels && copy_channels(graph, false);
    graph->n_flat = graph->n_channels;
    is_whole = is_whole && copy_channels(graph, true);
    graph->edges = calloc(graph->n_edges + 1, sizeof *graph->edges);
    if (!is_whole || !graph->edges)
        return gravel_fail(GRAVEL_ENOMEM, "a graph of %u channels", n);
    for (uint32_t c = 0; c < n; c++) /* now that all channels have numbers */
        for (uint32_t e = 0; e < graph->channels[c].n_edges; e++) {
            const struct gravel_edge *edge = &graph->asked[c].into[e];
            graph->edges[graph->channels[c].first_edge + e] =
                (struct gravelp_edge){gravel_flow_graph_find(graph, edge->into), edge->at_most};
        }
    return 0;
}

/* ---- edges ----------------------------------------------------------------------------------- */

static int fail_edge(const struct gravel_flow_graph *graph, uint32_t c, uint32_t e,
                     const char *what)
{
    const struct gravel_edge *edge = &graph->asked[c].into[e];
    return gravel_fail(GRAVEL_EINVAL, "edge from channel '%s' into '%s', at most %u: %s",
                       graph->names[c], edge->into ? edge->into : "(NULL)", edge->at_most, what);
}

static int check_edge(const struct gravel_flow_graph *graph, uint32_t c, uint32_t e)
{
    const struct gravelp_edge *edges = &graph->edges[graph->channels[c].first_edge];
    const uint32_t into = edges[e].into, at_most = edges[e].at_most;
    if (into == graph->n_channels)
        return fail_edge(graph, c, e, "there is no such channel");
    for (uint32_t other = 0; other < e; other++)
        if (edges[other].into == into)
            return fail_edge(graph, c, e, "there is another edge between the two");
    if (at_most == 0 || at_most > GRAVEL_FLOW_MAX_WIDTH)
        return fail_edge(graph, c, e, "it makes nothing, or too much");
    if (graph->channels[into].kind == GRAVEL_AFTER && c < graph->n_flat)
        return fail_edge(graph, c, e, "what has no level cannot sync");
    if (graph->asked[into].width && graph->asked[into].width < at_most)
        return gravel_fail(GRAVEL_EINVAL,
                           "channel '%s': its width, %u, is less than the %u that an element of "
                           "'%s' makes at most",
                           graph->names[into], graph->asked[into].width, at_most, graph->names[c]);
    return 0;
}

static int check_edges(const struct gravel_flow_graph *graph)
{
    const uint32_t depth = graph->given.depth;
    for (uint32_t c = 0; c < graph->n_channels; c++)
        for (uint32_t e = 0; e < graph->channels[c].n_edges; e++)
            GRAVEL_TRY(check_edge(graph, c, e));
    if (depth > GRAVEL_FLOW_MAX_DEPTH || (graph->n_flat < graph->n_channels && depth == 0))
        return gravel_fail(GRAVEL_EINVAL, "a graph with stacks of depth %u, not of 1 to %u levels",
                           depth, GRAVEL_FLOW_MAX_DEPTH);
    return 0;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static bool may_fill(const struct gravel_flow_graph *graph, uint32_t c)
{
    return graph->asked[c].kind & GRAVEL_MAY_FILL;
}

/* How a channel reaches another one: by edges that raise no level, as those of a stack into a stack of tasks do; and
 * by any. */
enum { LEVEL = 1, ANY = 2 };

/* Fills in how channels reach each other. @param ways  [n][n] from, to; zero-filled. */
static void reach(const struct gravel_flow_graph *graph, unsigned char *ways)
{
    const uint32_t n = graph->n_channels;
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t e = 0; e < graph->channels[c].n_edges; e++) {
            const uint32_t into = graph->edges[graph->channels[c].first_edge + e].into;
            const bool raises = c >= graph->n_flat && graph->channels[into].kind == GRAVEL_SPAWN;
            if (into != c && !may_fill(graph, c) && !may_fill(graph, into))
                ways[c * n + into] = raises ? ANY : ANY | LEVEL;
        }
    for (uint32_t by = 0; by < n; by++)
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; ways[a * n + by] && b < n; b++)
                ways[a * n + b] |= ways[a * n + by] & ways[by * n + b];
}

/* Checks that no two channels reach each other at one level, or by a channel without levels. */
static int check_cycles(const struct gravel_flow_graph *graph)
{
    const uint32_t n = graph->n_channels;
    unsigned char *ways = calloc(n, n);
    int code = ways ? 0 : gravel_fail(GRAVEL_ENOMEM, "the cycles of %u channels", n);
    if (ways)
        reach(graph, ways);
    for (uint32_t a = 0; a < n && !code; a++)
        for (uint32_t b = a + 1; b < n && !code; b++)
            if (ways[a * n + b] & ways[b * n + a] & (a < graph->n_flat ? ANY : LEVEL))
                code = gravel_fail(
                    GRAVEL_EINVAL,
                    "channels '%s' and '%s' feed each other in a cycle that raises no level, and "
                    "can fill up (GRAVEL_MAY_FILL allows it)",
                    graph->names[a], graph->names[b]);
    free(ways);
    return code;
}

/* Checks that no channel makes more of itself, at its level, than it takes. */
static int check_selves(const struct gravel_flow_graph *graph)
{
    for (uint32_t c = 0; c < graph->n_channels; c++) {
        const uint32_t most = graph->channels[c].kind != GRAVEL_HELD; /* whose room stays taken */
        const uint32_t n = gravel_flow_graph_feeds_itself(graph, c);
        if (n > most && !may_fill(graph, c))
            return gravel_fail(GRAVEL_EINVAL,
                               "channel '%s' feeds itself at its level with at most %u, not %u, "
                               "and can fill up (GRAVEL_MAY_FILL allows it)",
                               graph->names[c], n, most);
    }
    return 0;
}

/* ---- the graph ------------------------------------------------------------------------------- */

/* Reads the caller's graph into graph->given, and checks its channels. @return 0, and its channels are to be freed. */
static int read_given(struct gravel_flow_graph *graph, const struct gravel_channel_graph *from)
{
    struct gravel_channel_graph *given = &graph->given;
    GRAVEL_TRY(gravel_growing_read(&of_graph, given, from, from->bytes, 1));
    const struct gravel_channel *rows = given->channels;
    given->channels = NULL;
    if (!rows || !given->n_channels || given->n_channels > GRAVEL_FLOW_MAX_CHANNELS)
        return gravel_fail(GRAVEL_EINVAL, "a graph of %u channels at %p, not of 1 to %u",
                           given->n_channels, (const void *)rows, GRAVEL_FLOW_MAX_CHANNELS);
    struct gravel_channel *channels = calloc(given->n_channels, sizeof *channels);
    if (!channels)
        return gravel_fail(GRAVEL_ENOMEM, "a graph of %u channels", given->n_channels);
    given->channels = channels;
    GRAVEL_TRY(
        gravel_growing_read(&of_channel, channels, rows, given->channel_bytes, given->n_channels));
    for (uint32_t c = 0; c < given->n_channels; c++) {
        GRAVEL_TRY(check_name(given, c));
        GRAVEL_TRY(check_channel(&channels[c]));
    }
    return 0;
}

int gravel_flow_graph_create(struct gravel_flow_graph *graph,
                             const struct gravel_channel_graph *from)
{
    *graph = (struct gravel_flow_graph){0};
    int code = read_given(graph, from);
    if (!code)
        code = copy(graph);
    if (!code)
        code = check_edges(graph);
    if (!code)
        code = check_selves(graph);
    if (!code)
        code = check_cycles(graph);
    free((void *)graph->given.channels);
    graph->given.channels = NULL;
    if (code)
        gravel_flow_graph_destroy(graph);
    return code;
}

void gravel_flow_graph_destroy(struct gravel_flow_graph *graph)
{
    for (uint32_t c = 0; graph->names && c < graph->n_channels; c++)
        free(graph->names[c]);
    free(graph->names);
    free(graph->asked);
    free(graph->channels);
    free(graph->edges);
    *graph = (struct gravel_flow_graph){0};
}

uint32_t gravel_flow_graph_find(const struct gravel_flow_graph *graph, const char *name)
{
    uint32_t c = 0;
    while (name && c < graph->n_channels && strcmp(graph->names[c], name) != 0)
        c++;
    return name ? c : graph->n_channels;
}

uint32_t gravel_flow_graph_feeds_itself(const struct gravel_flow_graph *graph, uint32_t channel)
{
    const struct gravelp_channel *of = &graph->channels[channel];
    for (uint32_t e = 0; e < of->n_edges; e++)
        if (graph->edges[of->first_edge + e].into == channel && of->kind != GRAVEL_SPAWN)
            return graph->edges[of->first_edge + e].at_most;
    return 0;
}

uint32_t gravel_flow_graph_most_into(const struct gravel_flow_graph *graph, uint32_t channel)
{
    uint32_t most = 1;
    for (uint32_t e = 0; e < graph->n_edges; e++)
        if (graph->edges[e].into == channel && graph->edges[e].at_most > most)
            most = graph->edges[e].at_most;
    return most;
}
