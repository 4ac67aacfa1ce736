/* SPDX-License-Identifier: MIT */
/*
 * Heads, tails and done counts of a flow as billions of elements have left them: all wrap soon.
 *
 * Path:    test_flow_choose.c, tests/ledger/flow_ledger.c -> this -> cl/layout/choose.h
 */
#ifndef TESTS_LATE_COUNTS_H
#define TESTS_LATE_COUNTS_H

#include "layout/choose.h"
#include "random_graph.h"

/* A held channel begins a few laps before the last one ends, with the done counts of all laps before. */
static inline void late_counts_begin_held(struct gravelp_view view, uint32_t c, uint64_t *seed)
{
    const struct gravelp_channel *channel = &view.channels[c];
    uint32_t begin = 0u - channel->width * (1 + random_below(seed, 3));
    uint32_t lap = begin / channel->width, span = gravelp_held_span(channel->width);
    view.heads[c] = view.tails[c] = begin;
    view.taken[c] = view.enqueued[c] = 0u - random_below(seed, 40);
    for (uint32_t i = 0; i < gravelp_held_n_done(channel->width); i++)
        view.done[channel->done + i] = (lap + (i % 2 == 0)) / 2 * span;
}

/* Of a flow without elements. */
static inline void late_counts_begin(struct gravelp_view view, uint64_t *seed)
{
    for (uint32_t layer = 0; layer < view.flow->n_layers; layer++)
        view.heads[layer] = view.tails[layer] = 0u - random_below(seed, 40);
    for (uint32_t c = 0; c < view.flow->n_flat; c++)
        if (view.channels[c].kind == GRAVEL_HELD)
            late_counts_begin_held(view, c, seed);
}

#endif
