/* SPDX-License-Identifier: MIT */
/*
 * The two schedulers, which rely on a command queue.
 *
 * host: choose a round, launch it, read the tails, choose again. resident: rounds are left to launches of several
 * groups, whose members wait for each other between rounds; a launch ends once it has processed as many elements as a
 * slice is long, and the host launches the next one with the round that it has chosen. A resident launch of one group
 * waits for no other group, so it needs no proof, and takes rounds of a single group only: the host launches the
 * larger ones.
 *
 * Path:    gravel_flow_run -> host.c -> layout/choose.h, launch.c; cl/device/round.cl.h.
 * Threads: the one that runs the flow.
 * Memory:  what the host writes is written before the launch, and what it reads is read after its end, which stands for
 *          K2 to K4.
 * Source:  Orr 2016, section 4.2 (the aggregator runs the scheduler, and sees channels but no elements).
 */
#include "flow/flow.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/trace.h"
#include "layout/choose.h"

#include <stdio.h>

#define MOST_GROWTH 8u /* of a slice's elements, from one launch to the next */

/* ---- launches -------------------------------------------------------------------------------- */

static void trace_round(const struct gravel_flow *flow, const struct gravelp_round *round,
                        uint64_t begin_ns)
{
    char name[96];
    if (!flow->gravel->trace)
        return;
    snprintf(name, sizeof name, "%.64s, level %u: %u", flow->graph.names[round->channel],
             round->level, round->n);
    gravel_trace_span(flow->gravel->trace, name, begin_ns, gravel_clock_ns());
}

/* Launches, and waits for the end. @param round  the first of the launch. */
static int launch_and_wait(struct gravel_flow *flow, bool loops, uint32_t n_groups,
                           const struct gravelp_round *round)
{
    uint64_t begin_ns;
    int code = gravel_flow_launch(flow, loops ? flow->looping : flow->kernel,
                                  (size_t)n_groups * flow->group_items, &begin_ns);
    flow->stats.scheduler_ns -= gravel_clock_ns() - begin_ns; /* of the run's time */
    flow->stats.launches++;
    trace_round(flow, round, begin_ns);
    return code ? gravel_flow_fail_wait(flow, round, code) : 0;
}

static void set_round(struct gravelp_view view, struct gravelp_round round)
{
    uint32_t *limits = gravelp_flow_words(view.flow, view.flow->limits_at);
    for (uint32_t into = 0; into < view.flow->n_channels; into++)
        limits[into] = gravelp_view_limit(view, round, into);
    view.flow->round = round;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Work-groups of a round. */
static uint32_t groups_of(const struct gravel_flow *flow, const struct gravelp_round *round)
{
    return gravelp_channel_groups(flow->graph.channels[round->channel], flow->group_items,
                                  round->n);
}

/* A launch of one round. */
static int play(struct gravel_flow *flow, struct gravelp_view view, struct gravelp_round round)
{
    const struct gravelp_channel *channel = &flow->graph.channels[round.channel];
    uint32_t n_groups = groups_of(flow, &round);
    set_round(view, round);
    GRAVEL_TRY(launch_and_wait(flow, false, n_groups, &round));
    GRAVEL_TRY(gravel_flow_check_faults(flow, &round, round.n));
    gravelp_view_end_round(view, round);
    flow->stats.rounds++;
    flow->stats.small_rounds += n_groups == 1;
    flow->stats.elements += round.n;
    flow->stats.lanes += (uint64_t)n_groups * gravelp_channel_share(*channel, flow->group_items);
    return 0;
}

/* So many elements that the next launch takes about a slice, by how long those of the last one took. */
static void fit_slice(struct gravel_flow *flow, uint32_t n_elements, uint64_t took_ns)
{
    double fitting = (double)n_elements * (double)flow->scheduling.slice_ns / (double)(took_ns + 1);
    double most = (double)flow->slice_elements * MOST_GROWTH;
    fitting = fitting < most ? fitting : most;
    flow->slice_elements = fitting < 1 ? 1 : fitting < 0x7fffffff ? (uint32_t)fitting : 0x7fffffff;
}

/* A launch that chooses by itself, of which this is the first round. */
static int play_turns(struct gravel_flow *flow, struct gravelp_view view,
                      struct gravelp_round round)
{
    const uint32_t n_groups = flow->scheduling.n_groups;
    struct gravelp_flow_turn *turn = gravelp_flow_turns(view.flow);
    set_round(view, round);
    *turn = (struct gravelp_flow_turn){.n_groups = n_groups,
                                       .round = round,
                                       .most_elements = flow->slice_elements,
                                       .wait_ms = flow->scheduling.wait_ms};
    uint64_t begin_ns = gravel_clock_ns();
    GRAVEL_TRY(launch_and_wait(flow, true, n_groups, &round));
    flow->stats.rounds += turn->n_rounds;
    flow->stats.small_rounds += turn->n_small;
    flow->stats.elements += turn->n_elements;
    flow->stats.lanes += turn->n_lanes;
    if (turn->n_elements >= flow->slice_elements)
        fit_slice(flow, turn->n_elements, gravel_clock_ns() - begin_ns);
    return gravel_flow_check_faults(flow, &turn->round, turn->round.n);
}

int gravel_flow_schedule_on_host(struct gravel_flow *flow)
{
    const bool is_resident = flow->scheduling.scheduler == GRAVEL_SCHEDULER_RESIDENT;
    const bool is_lone = flow->scheduling.n_groups == 1;
    struct gravelp_view view = gravelp_view_of(flow->memory.control);
    int code = 0;
    flow->run_begin_ns = gravel_clock_ns();
    flow->stats.runs++;
    while (!code) {
        code = gravel_flow_take_posts(flow);
        struct gravelp_round round = gravelp_view_choose(view);
        if (code || round.n == 0)
            break;
        code = is_resident && (!is_lone || groups_of(flow, &round) == 1)
                   ? play_turns(flow, view, round)
                   : play(flow, view, round);
        gravel_flow_tell(flow);
    }
    uint64_t run_ns = gravel_clock_ns() - flow->run_begin_ns;
    flow->run_begin_ns = 0;
    flow->stats.run_ns += run_ns;
    flow->stats.scheduler_ns += run_ns;
    gravel_flow_tell(flow);
    GRAVEL_TRY(code);
    return gravelp_view_has_left(view) ? gravel_flow_fail_stuck(flow) : 0;
}
