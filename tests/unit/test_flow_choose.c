/* SPDX-License-Identifier: MIT */
/*
 * The choice of a round, against the definition by trial of every round there is, on random graphs in random states, with
 * counts that wrap. That sound graphs never get stuck, of least widths, is tests/ledger/flow_ledger.c's.
 *
 * Path:    meson test -> this -> cl/layout/choose.h, lib/flow/layout.c
 */

#include "cases.h"
#include "flow/layout.h"
#include "late_counts.h"

#include <stdlib.h>

struct flow {
    struct random_graph random;
    struct gravel_flow_graph graph;
    struct gravel_flow_layout layout;
    struct gravelp_flow *control;
    struct gravelp_view view;
    uint64_t seed;
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
        uint32_t c = gravelp_view_layer(flow->view, layer).channel;
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
