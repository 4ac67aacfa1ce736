/* SPDX-License-Identifier: MIT */
/*
 * The choice of the next round, for host and device: pure functions of heads, tails and the graph.
 *
 * A round of a channel is admissible for n CEs if n times what a CE makes at most fits each of its outputs, so that no
 * kernel ever waits for room. Chosen is the largest admissible round; of equals the deepest, of those the one of the
 * lowest channel. Continuations are ready when no deeper level has a CE, since all that returns to them is deeper.
 *
 * Why some round is admissible while a CE is left: take the deepest level with a CE. All below is empty, so a task
 * there lacks room only in a continuation channel of its level; then continuations are ready, and the last stage of
 * them that has any finds its outputs empty. Streams: the same along the order of the graph. A channel that feeds
 * itself keeps its reserve from all other producers. Held channels: if what an element waits for is sure to be made,
 * which is up to the nodes.
 *
 * Path:    lib/flow/host.c -> this.
 * Threads: the chooser, when no CE is being processed.
 * Source:  instead of the yield of Orr 2016, sections 4.3.3 and 4.4.
 */
#ifndef GRAVELP_CHOOSE_H
#define GRAVELP_CHOOSE_H

#include "flow.h"

/* A tail, or a head. In a kernel other work-groups have changed it, by atomic additions. */
#ifdef GRAVELP_PORTABLE_CL_H
#define GRAVELP_COUNT(words, layer) gravelp_device_load_relaxed((words) + (layer))
#else
#define GRAVELP_COUNT(words, layer) ((words)[layer])
#endif

/* What the chooser sees. */
struct gravelp_view {
    GRAVELP_GLOBAL struct gravelp_flow *flow;
    GRAVELP_GLOBAL struct gravelp_channel *channels;
    GRAVELP_GLOBAL struct gravelp_edge *edges;
    GRAVELP_GLOBAL gravelp_u32 *heads, *tails;
    GRAVELP_GLOBAL gravelp_u32 *taken,
        *enqueued;                     /* [n_channels] of held channels, as heads, tails */
    GRAVELP_GLOBAL gravelp_u32 *done;  /* [n_done] */
    GRAVELP_GLOBAL gravelp_u32 *peaks; /* [n_channels] most CEs of a layer between two rounds */
};

static inline struct gravelp_view gravelp_view_of(GRAVELP_GLOBAL struct gravelp_flow *flow)
{
    const struct gravelp_view view = {flow,
                                      gravelp_flow_channels(flow),
                                      gravelp_flow_edges(flow),
                                      gravelp_flow_words(flow, flow->heads_at),
                                      gravelp_flow_words(flow, flow->tails_at),
                                      gravelp_flow_words(flow, flow->taken_at),
                                      gravelp_flow_words(flow, flow->enqueued_at),
                                      gravelp_flow_words(flow, flow->done_at),
                                      gravelp_flow_words(flow, flow->peaks_at)};
    return view;
}

/* CEs of a layer. */
static inline gravelp_u32 gravelp_view_used(struct gravelp_view view, gravelp_u32 layer)
{
    return GRAVELP_COUNT(view.tails, layer) - GRAVELP_COUNT(view.heads, layer);
}

/* CEs of a held channel that are enqueued. */
static inline gravelp_u32 gravelp_view_enqueued(struct gravelp_view view, gravelp_u32 channel)
{
    return GRAVELP_COUNT(view.enqueued, channel) - GRAVELP_COUNT(view.taken, channel); /* K8 */
}

/* Channel and level of a layer. */
static inline struct gravelp_round gravelp_view_layer(struct gravelp_view view, gravelp_u32 layer)
{
    struct gravelp_round from = {layer, 0, 0, 0};
    gravelp_u32 n_flat = view.flow->n_flat, n_stacks = view.flow->n_channels - n_flat;
    if (layer >= n_flat) {
        from.level = (layer - n_flat) / n_stacks;
        from.channel = layer - from.level * n_stacks;
    }
    return from;
}

/* The level of what a node makes: of tasks one deeper, from outside the stacks 0; of continuations its own. */
static inline gravelp_u32 gravelp_view_level_into(struct gravelp_view view, gravelp_u32 channel,
                                                  gravelp_u32 level, gravelp_u32 into)
{
    gravelp_u32 is_deeper =
        view.channels[into].kind == GRAVEL_SPAWN && channel >= view.flow->n_flat;
    return into < view.flow->n_flat ? 0 : level + is_deeper;
}

/* Returns how many CEs of a layer one edge admits; at the last level none can be spawned, and admission is no bound. */
static inline gravelp_u32 gravelp_view_admit_edge(struct gravelp_view view,
                                                  struct gravelp_round from,
                                                  struct gravelp_edge edge)
{
    gravelp_u32 level = gravelp_view_level_into(view, from.channel, from.level, edge.into);
    gravelp_u32 reserve = edge.into == from.channel ? 0 : view.channels[edge.into].reserve;
    gravelp_u32 used, room = view.channels[edge.into].width - reserve;
    if (level >= view.flow->n_levels)
        return 0xffffffffu;
    used = gravelp_view_used(view, gravelp_flow_layer(view.flow, edge.into, level));
    return used < room ? (room - used) / edge.at_most : 0;
}

/* Returns what a layer counts for how deep the flow is in: 1 + its level, or 0. */
static inline gravelp_u32 gravelp_view_depth(struct gravelp_view view, gravelp_u32 layer)
{
    struct gravelp_round from = gravelp_view_layer(view, layer);
    return layer >= view.flow->n_flat && gravelp_view_used(view, layer) ? from.level + 1 : 0;
}

/*
 * The largest admissible round of a layer; n is 0 if there is none.
 *
 * @param depth  the greatest that gravelp_view_depth says.
 */
static inline struct gravelp_round gravelp_view_admit(struct gravelp_view view, gravelp_u32 layer,
                                                      gravelp_u32 depth)
{
    struct gravelp_round round = gravelp_view_layer(view, layer);
    struct gravelp_channel channel = view.channels[round.channel];
    gravelp_u32 is_held = channel.kind == GRAVEL_HELD, i;
    gravelp_u32 n = is_held ? gravelp_view_enqueued(view, layer) : gravelp_view_used(view, layer);
    if (channel.kind == GRAVEL_OUTPUT || (channel.kind == GRAVEL_AFTER && round.level + 1 != depth))
        n = 0;
    for (i = 0; n && i < channel.n_edges; i++) {
        gravelp_u32 admitted =
            gravelp_view_admit_edge(view, round, view.edges[channel.first_edge + i]);
        n = admitted < n ? admitted : n;
    }
    round.first = is_held ? GRAVELP_COUNT(view.taken, layer) : GRAVELP_COUNT(view.heads, layer);
    round.n = n;
    return round;
}

/* Returns whether a round is chosen before another; the one without CEs never is. */
static inline int gravelp_round_is_before(struct gravelp_round a, struct gravelp_round b)
{
    if (a.n != b.n)
        return a.n > b.n;
    return a.n != 0 && (a.level != b.level ? a.level > b.level : a.channel < b.channel);
}

/* The round to process next, layer by layer; n is 0 if there is none. */
static inline struct gravelp_round gravelp_view_choose(struct gravelp_view view)
{
    struct gravelp_round best = {0, 0, 0, 0};
    gravelp_u32 depth = 0, layer;
    for (layer = 0; layer < view.flow->n_layers; layer++) {
        gravelp_u32 own = gravelp_view_depth(view, layer);
        depth = own > depth ? own : depth;
    }
    for (layer = 0; layer < view.flow->n_layers; layer++) {
        struct gravelp_round round = gravelp_view_admit(view, layer, depth);
        if (gravelp_round_is_before(round, best))
            best = round;
    }
    return best;
}

static inline void gravelp_view_note_peak(struct gravelp_view view, gravelp_u32 layer)
{
    gravelp_u32 channel = gravelp_view_layer(view, layer).channel;
    gravelp_u32 used = gravelp_view_used(view, layer);
    if (used > view.peaks[channel])
        view.peaks[channel] = used;
}

/* Move a held channel's head over CEs that have been freed, up to the first that has not. */
static inline void gravelp_view_free_held(struct gravelp_view view, gravelp_u32 c)
{
    struct gravelp_channel channel = view.channels[c];
    gravelp_u32 span = gravelp_held_span(channel.width), n = 0;
    gravelp_u32 head = view.heads[c], tail = GRAVELP_COUNT(view.tails, c);
    for (; head != tail; head += n) {
        gravelp_u32 first = head & ~(span - 1);
        gravelp_u32 n_made = tail - first < span ? tail - first : span;
        gravelp_u32 done = GRAVELP_COUNT(
            view.done, channel.done + gravelp_held_done_of(channel.width, first)); /* K9 */
        if (!gravelp_held_is_done(channel.width, first, n_made, done))
            break;
        n = first + n_made - head;
    }
    view.heads[c] = head;
}

/* A round has ended: its CEs are free but in held channels, and what they have made is there. */
static inline void gravelp_view_end_round(struct gravelp_view view, struct gravelp_round round)
{
    struct gravelp_channel channel = view.channels[round.channel];
    gravelp_u32 i;
    if (channel.kind == GRAVEL_HELD)
        view.taken[round.channel] += round.n;
    else
        view.heads[gravelp_flow_layer(view.flow, round.channel, round.level)] += round.n;
    for (i = 0; i < channel.n_edges; i++) {
        gravelp_u32 into = view.edges[channel.first_edge + i].into;
        gravelp_u32 level = gravelp_view_level_into(view, round.channel, round.level, into);
        if (level < view.flow->n_levels)
            gravelp_view_note_peak(view, gravelp_flow_layer(view.flow, into, level));
    }
    for (i = 0; i < view.flow->n_flat; i++)
        if (view.channels[i].kind == GRAVEL_HELD)
            gravelp_view_free_held(view, i);
}

/* Returns whether a node has CEs left. */
static inline int gravelp_view_has_left(struct gravelp_view view)
{
    gravelp_u32 layer;
    for (layer = 0; layer < view.flow->n_layers; layer++)
        if (gravelp_view_used(view, layer) &&
            view.channels[gravelp_view_layer(view, layer).channel].kind != GRAVEL_OUTPUT)
            return 1;
    return 0;
}

/* Returns how far the tail of a channel's layer may get in a round: no leader reserves beyond. */
static inline gravelp_u32 gravelp_view_limit(struct gravelp_view view, struct gravelp_round round,
                                             gravelp_u32 into)
{
    struct gravelp_channel channel = view.channels[round.channel];
    gravelp_u32 level = gravelp_view_level_into(view, round.channel, round.level, into), i;
    gravelp_u32 limit;
    if (level >= view.flow->n_levels)
        return 0;
    limit = GRAVELP_COUNT(view.tails, gravelp_flow_layer(view.flow, into, level));
    for (i = 0; i < channel.n_edges; i++)
        if (view.edges[channel.first_edge + i].into == into)
            limit += round.n * view.edges[channel.first_edge + i].at_most;
    return limit;
}

#endif
