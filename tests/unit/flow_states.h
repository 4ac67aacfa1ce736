/* SPDX-License-Identifier: MIT */
/*
 * Random graphs in random states, and what the next round of each is, by the definition: trial of every round there is.
 *
 * Path:    test_flow_choose.c -> this -> random_graph.h, lib/flow/layout.c
 * Owner:   the caller, from flow_open to flow_close.
 */
#ifndef TESTS_FLOW_STATES_H
#define TESTS_FLOW_STATES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/layout.h"
#include "late_counts.h"

#include <stdbool.h>
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

static inline bool flow_is_held(const struct flow *flow, uint32_t channel)
{
    return flow->graph.channels[channel].kind == GRAVEL_HELD;
}

static inline void flow_open(struct flow *flow, uint64_t seed, uint32_t width)
{
    const struct gravel_flow_shape shape = {width, .group_items = 4, .max_bytes = UINT64_MAX};
    flow->seed = seed * 3 + 7;
    random_graph_make(&flow->random, seed);
    random_holds(&flow->random, seed);
    assert_int_equal(gravel_flow_graph_create(&flow->graph, &flow->random.graph), 0);
    assert_int_equal(gravel_flow_layout(&flow->layout, &flow->graph, &shape), 0);
    flow->control = malloc(flow->layout.bytes);
    assert_non_null(flow->control);
    gravel_flow_layout_write(&flow->layout, &flow->graph, flow->control,
                             (unsigned char *)flow->control + flow->layout.back_at);
    flow->view = gravelp_view_of(flow->control);
    late_counts_begin(flow->view, &flow->seed);
}

static inline void flow_close(struct flow *flow)
{
    free(flow->control);
    gravel_flow_graph_destroy(&flow->graph);
}

/* ---- by the definition, with other arithmetic ------------------------------------------------ */

static inline uint64_t flow_held(const struct flow *flow, uint32_t channel, uint32_t level)
{
    uint32_t n_stacks = flow->graph.n_channels - flow->graph.n_flat;
    uint32_t layer = channel < flow->graph.n_flat ? channel : channel + level * n_stacks;
    return flow->view.tails[layer] - flow->view.heads[layer];
}

/* What a round may be of. */
static inline uint64_t flow_ready(const struct flow *flow, uint32_t channel, uint32_t level)
{
    return flow_is_held(flow, channel) ? flow->view.enqueued[channel] - flow->view.taken[channel]
                                       : flow_held(flow, channel, level);
}

static inline bool flow_is_deepest(const struct flow *flow, uint32_t level)
{
    for (uint32_t l = level + 1; l < flow->graph.n_levels; l++)
        for (uint32_t c = flow->graph.n_flat; c < flow->graph.n_channels; c++)
            if (flow_held(flow, c, l))
                return false;
    return true;
}

static inline bool flow_is_admissible(const struct flow *flow, uint32_t c, uint32_t level,
                                      uint64_t n)
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

static inline struct gravelp_round flow_choose_by_trial(const struct flow *flow)
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
static inline void flow_draw_state(struct flow *flow)
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
static inline void flow_expect_choice(const struct flow *flow, uint64_t seed,
                                      struct gravelp_round chosen)
{
    struct gravelp_round expected = flow_choose_by_trial(flow);
    if (chosen.n != expected.n ||
        (chosen.n && (chosen.channel != expected.channel || chosen.level != expected.level)))
        fail_msg("seed %llu: channel %u, level %u, n %u; expected %u, %u, %u",
                 (unsigned long long)seed, chosen.channel, chosen.level, chosen.n, expected.channel,
                 expected.level, expected.n);
}

#endif
