/* SPDX-License-Identifier: MIT */
/*
 * The choice of a round, against the definition by trial of every round there is, on random graphs in random states;
 * and that graphs which are sound never get stuck, of least widths, with counts that wrap.
 *
 * Path:    meson test -> this -> cl/layout/choose.h, lib/flow/layout.c
 */

#include "cases.h"
#include "flow/layout.h"
#include "late_counts.h"

#include <stdlib.h>

#define MOST_WIDTH 64u

struct flow {
    struct random_graph random;
    struct gravel_flow_graph graph;
    struct gravel_flow_layout layout;
    struct gravelp_flow *control;
    struct gravelp_view view;
    uint64_t seed;
    uint32_t ring[RANDOM_MOST]
                 [MOST_WIDTH]; /* of held channels: CEs in the order in which they were enqueued */
};

static bool flow_is_held(const struct flow *flow, uint32_t channel)
{
    return flow->graph.channels[channel].kind == GRAVEL_HELD;
}

static void flow_open(struct flow *flow, uint64_t seed, uint32_t width)
{
    const struct gravel_flow_shape shape = {width, .group_items = 4, .max_bytes = UINT64_MAX};
    flow->seed = seed * 3 + 7;
    random_graph_make(&flow->random, seed);
    random_holds(&flow->random, seed);
    assert_int_equal(gravel_flow_graph_create(&flow->graph, &flow->random.graph), 0);
    assert_int_equal(gravel_flow_layout(&flow->layout, &flow->graph, &shape), 0);
    flow->control = malloc(flow->layout.bytes);
    assert_non_null(flow->control);
    gravel_flow_layout_write(&flow->layout, &flow->graph, flow->control);
    flow->view = gravelp_view_of(flow->control);
    late_counts_begin(flow->view, &flow->seed);
}

static void flow_close(struct flow *flow)
{
    free(flow->control);
    gravel_flow_graph_destroy(&flow->graph);
}

/* ---- by the definition, with other arithmetic ------------------------------------------------ */

static uint64_t flow_held(const struct flow *flow, uint32_t channel, uint32_t level)
{
    uint32_t n_stacks = flow->graph.n_channels - flow->graph.n_flat;
    uint32_t layer = channel < flow->graph.n_flat ? channel : channel + level * n_stacks;
    return flow->view.tails[layer] - flow->view.heads[layer];
}

/* What a round may be of. */
static uint64_t flow_ready(const struct flow *flow, uint32_t channel, uint32_t level)
{
    return flow_is_held(flow, channel) ? flow->view.enqueued[channel] - flow->view.taken[channel]
                                       : flow_held(flow, channel, level);
}

static bool flow_is_deepest(const struct flow *flow, uint32_t level)
{
    for (uint32_t l = level + 1; l < flow->graph.n_levels; l++)
        for (uint32_t c = flow->graph.n_flat; c < flow->graph.n_channels; c++)
            if (flow_held(flow, c, l))
                return false;
    return true;
}

static bool flow_is_admissible(const struct flow *flow, uint32_t c, uint32_t level, uint64_t n)
{
    const struct gravelp_channel *channel = &flow->graph.channels[c];
    if (channel->kind == GRAVEL_OUTPUT || n > flow_ready(flow, c, level))
        return false;
    if (channel->kind == GRAVEL_AFTER && !flow_is_deepest(flow, level))
        return false;
    for (uint32_t e = 0; e < channel->n_edges; e++) {
        const struct gravelp_edge *edge = &flow->graph.edges[channel->first_edge + e];
        const struct gravelp_channel *into = &flow->graph.channels[edge->into];
        uint32_t l = into->kind == GRAVEL_SPAWN && c >= flow->graph.n_flat ? level + 1 : level;
        if (edge->into >= flow->graph.n_flat && l >= flow->graph.n_levels)
            continue;
        uint64_t kept = edge->into == c ? 0 : into->reserve;
        if (n * edge->at_most + flow_held(flow, edge->into, l) + kept > into->width)
            return false;
    }
    return true;
}

static struct gravelp_round flow_choose_by_trial(const struct flow *flow)
{
    struct gravelp_round best = {0};
    for (uint32_t c = 0; c < flow->graph.n_channels; c++)
        for (uint32_t l = 0; l < (c < flow->graph.n_flat ? 1 : flow->graph.n_levels); l++) {
            uint64_t n = flow_ready(flow, c, l);
            while (n && !flow_is_admissible(flow, c, l, n))
                n--;
            if (n > best.n || (n && n == best.n && l > best.level))
                best = (struct gravelp_round){.channel = c, .level = l, .n = (uint32_t)n};
        }
    return best;
}

/* Any CEs in each layer, any of held ones enqueued, none in every third: heads and tails begin near 2^32. */
static void flow_draw_state(struct flow *flow)
{
    for (uint32_t layer = 0; layer < flow->control->n_layers; layer++) {
        uint32_t c = gravelp_view_place(flow->view, layer).channel;
        uint32_t width = flow->graph.channels[c].width;
        uint32_t used = random_below(&flow->seed, 3) ? random_below(&flow->seed, width + 1) : 0;
        flow->view.tails[layer] = flow->view.heads[layer] + used;
        if (flow_is_held(flow, c))
            flow->view.enqueued[c] = flow->view.taken[c] + random_below(&flow->seed, used + 1);
    }
}

/* Fail unless the round that was chosen is that of the definition. */
static void flow_expect_choice(const struct flow *flow, uint64_t seed, struct gravelp_round chosen)
{
    struct gravelp_round expected = flow_choose_by_trial(flow);
    if (chosen.n != expected.n ||
        (chosen.n && (chosen.channel != expected.channel || chosen.level != expected.level)))
        fail_msg("seed %llu: channel %u, level %u, n %u; expected %u, %u, %u",
                 (unsigned long long)seed, chosen.channel, chosen.level, chosen.n, expected.channel,
                 expected.level, expected.n);
}

/* ---- tests ----------------------------------------------------------------------------------- */

TEST(choice_is_that_of_the_definition)
{
    static struct flow flow;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        flow_open(&flow, seed, 1u << random_below(&flow.seed, 6));
        for (int again = 0; again < 20; again++) {
            flow_draw_state(&flow);
            flow_expect_choice(&flow, seed, gravelp_view_choose(flow.view));
        }
        flow_close(&flow);
    }
}

/* The last n CEs that were made are enqueued, in some order. */
static void enqueue(struct flow *flow, uint32_t c, uint32_t n)
{
    uint32_t width = flow->graph.channels[c].width, turn = n ? random_below(&flow->seed, n) : 0;
    assert_true(width <= MOST_WIDTH);
    for (uint32_t i = 0; i < n; i++)
        flow->ring[c][flow->view.enqueued[c]++ & (width - 1)] =
            flow->view.tails[c] - n + (i + turn) % n;
}

/* CEs of a round of a held channel are freed. */
static void free_round(struct flow *flow, struct gravelp_round round)
{
    const struct gravelp_channel *channel = &flow->graph.channels[round.channel];
    assert_int_equal(round.first, flow->view.taken[round.channel]);
    for (uint32_t i = 0; i < round.n; i++) {
        uint32_t ce = flow->ring[round.channel][(round.first + i) & (channel->width - 1)];
        assert_true(ce - flow->view.heads[round.channel] < channel->width);
        flow->view.done[channel->done + gravelp_held_done_of(channel->width, ce)]++;
    }
    flow->view.taken[round.channel] += round.n;
    gravelp_view_free_all_held(flow->view);
    if (flow->view.enqueued[round.channel] == flow->view.taken[round.channel])
        assert_int_equal(gravelp_view_used(flow->view, round.channel), 0);
}

/* Process a round as nodes may: each CE makes at most what its edges declare, and nothing at the last level. */
static uint64_t process(struct flow *flow, struct gravelp_round round)
{
    const struct gravelp_channel *channel = &flow->graph.channels[round.channel];
    uint64_t made = 0;
    for (uint32_t e = 0; e < channel->n_edges; e++) {
        const struct gravelp_edge *edge = &flow->graph.edges[channel->first_edge + e];
        uint32_t into = edge->into, most = round.n * edge->at_most;
        uint32_t level = gravelp_view_level_into(flow->view, round.channel, round.level, into);
        bool feeds_itself = into == round.channel && channel->kind != GRAVEL_SPAWN;
        if (into >= flow->graph.n_flat && level >= flow->graph.n_levels)
            continue;
        uint32_t n = random_below(&flow->seed, 3) ? random_below(&flow->seed, most + 1) : most;
        n = feeds_itself ? n * 3 / 4 : n; /* loops end */
        uint32_t layer = gravelp_flow_layer(flow->control, into, level);
        uint32_t limit = gravelp_view_limit(flow->view, round, into);
        assert_int_equal(limit - flow->view.tails[layer], most);
        flow->view.tails[layer] += n;
        if (flow_is_held(flow, into))
            enqueue(flow, into, n);
        made += n;
        assert_true(gravelp_view_used(flow->view, layer) <= flow->graph.channels[into].width);
    }
    if (flow_is_held(flow, round.channel))
        free_round(flow, round);
    else
        flow->view.heads[gravelp_flow_layer(flow->control, round.channel, round.level)] += round.n;
    return made;
}

/* Outputs are emptied, as a caller does. */
static void take_all(struct flow *flow)
{
    for (uint32_t c = 0; c < flow->graph.n_flat; c++)
        if (flow->graph.channels[c].kind == GRAVEL_OUTPUT)
            flow->view.heads[c] = flow->view.tails[c];
}

TEST(sound_graphs_never_get_stuck)
{
    static struct flow flow;
    uint64_t n_rounds = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        flow_open(&flow, seed, 1);
        for (uint32_t c = 0; c < flow.graph.n_channels; c++)
            if (flow.graph.channels[c].kind == GRAVEL_STREAM ||
                flow.graph.channels[c].kind == GRAVEL_SPAWN)
                flow.view.tails[c] += flow.graph.channels[c].width - flow.graph.channels[c].reserve;
        for (uint32_t budget = 4000; budget && gravelp_view_has_left(flow.view); budget--) {
            struct gravelp_round round = gravelp_view_choose(flow.view);
            if (round.n == 0)
                fail_msg("seed %llu is stuck", (unsigned long long)seed);
            process(&flow, round);
            take_all(&flow);
            n_rounds++;
        }
        flow_close(&flow);
    }
    print_message("%llu rounds\n", (unsigned long long)n_rounds);
}
