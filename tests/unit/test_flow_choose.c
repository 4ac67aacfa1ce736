/* SPDX-License-Identifier: MIT */
/*
 * The choice of a round, against the definition by trial of every round there is, on random graphs in random states;
 * and that graphs which are sound never get stuck, of least widths, with counts that wrap.
 *
 * Path:    meson test -> this -> cl/layout/choose.h, lib/flow/layout.c
 */
#include "flow_states.h"

/* ---- tests ----------------------------------------------------------------------------------- */

static void choice_is_that_of_the_definition(void **state)
{
    (void)state;
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

static void sound_graphs_never_get_stuck(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choice_is_that_of_the_definition),
        cmocka_unit_test(sound_graphs_never_get_stuck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
