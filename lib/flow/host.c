/* SPDX-License-Identifier: MIT */
/*
 * Scheduler host: choose a round, launch it, look at the tails, choose again. Every step of the ladder can do this.
 *
 * Path:    gravel_flow_run -> host.c -> layout/choose.h, the node's launch.
 * Threads: the one that runs the flow.
 * Memory:  the round is written before the launch, and the tails are read after its end, which stands for K2 to K4.
 * Source:  Orr 2016, section 4.2 (the aggregator runs the scheduler, and sees channels but no elements).
 */
#include "flow/flow.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/trace.h"
#include "layout/choose.h"
#include "opencl/objects.h"
#include "opencl/wait.h"

#include <sched.h>
#include <stdio.h>

#define YIELDS_NS UINT64_C(50000) /* a small round ends before; then the wait sleeps */

/* ---- a round --------------------------------------------------------------------------------- */

static int launch(struct gravel_flow *flow, uint32_t n, cl_event *ended, cl_event *copied)
{
    size_t group = flow->group_items, n_items = (n + group - 1) / group * group;
    cl_int error = gravel_flow_memory_send_round(&flow->memory);
    int code = gravel_check_cl("a flow's round: clEnqueueWriteBuffer", error);
    if (!code)
        code = flow->launcher.launch(flow->launcher.context, flow->kernel, n_items, group, ended);
    if (code)
        return code;
    error = gravel_flow_memory_fetch_counts(&flow->memory, copied);
    clFlush(flow->memory.device->queue);
    flow->stats.lanes += n_items;
    flow->stats.small_rounds += n_items == group;
    return gravel_check_cl("a flow's tails: clEnqueueReadBuffer", error);
}

static int wait_for(struct gravel_flow *flow, cl_event ended, cl_event copied)
{
    cl_event last = copied ? copied : ended;
    uint64_t begin_ns = gravel_clock_ns();
    while (gravel_cl_event_status(last) > CL_COMPLETE && gravel_clock_ns() - begin_ns < YIELDS_NS)
        sched_yield();
    int code = flow->launcher.wait(flow->launcher.context, flow->kernel, ended);
    if (!code && copied)
        code = gravel_wait_event(flow->memory.device, copied, "a flow's tails");
    return code;
}

static void trace_round(const struct gravel_flow *flow, const struct gravelp_round *round,
                        uint64_t begin_ns)
{
    char name[96];
    if (!flow->launcher.trace)
        return;
    snprintf(name, sizeof name, "%.64s, level %u: %u", flow->graph.names[round->channel],
             round->level, round->n);
    gravel_trace_span(flow->launcher.trace, name, begin_ns, gravel_clock_ns());
}

static int play(struct gravel_flow *flow, struct gravelp_view view, struct gravelp_round round)
{
    uint32_t *limits = gravelp_flow_words(view.flow, view.flow->limits_at);
    cl_event ended = NULL, copied = NULL;
    for (uint32_t into = 0; into < view.flow->n_channels; into++)
        limits[into] = gravelp_view_limit(view, round, into);
    view.flow->round = round;
    int code = launch(flow, round.n, &ended, &copied);
    uint64_t begin_ns = gravel_clock_ns();
    if (!code)
        code = wait_for(flow, ended, copied);
    flow->stats.scheduler_ns -= gravel_clock_ns() - begin_ns; /* of the run's time */
    trace_round(flow, &round, begin_ns);
    gravel_cl_event_release(ended);
    gravel_cl_event_release(copied);
    if (!code)
        code = gravel_flow_check_faults(flow, &round);
    return code;
}

/* The round's elements are free. */
static void end_round(struct gravel_flow *flow, struct gravelp_view view,
                      struct gravelp_round round)
{
    view.heads[gravelp_flow_layer(view.flow, round.channel, round.level)] += round.n;
    flow->stats.rounds++;
    flow->stats.elements += round.n;
    for (uint32_t layer = 0; layer < view.flow->n_layers; layer++) {
        uint32_t *peak = &flow->peaks[gravelp_view_place(view, layer).channel];
        uint32_t used = gravelp_view_used(view, layer);
        *peak = used > *peak ? used : *peak;
    }
}

int gravel_flow_schedule_on_host(struct gravel_flow *flow)
{
    struct gravelp_view view = gravelp_view_of(flow->memory.control);
    int code = 0;
    uint64_t begin_ns = gravel_clock_ns();
    while (!code) {
        struct gravelp_round round = gravelp_view_choose(view);
        if (round.n == 0)
            break;
        code = play(flow, view, round);
        if (!code)
            end_round(flow, view, round);
    }
    uint64_t run_ns = gravel_clock_ns() - begin_ns;
    flow->stats.run_ns += run_ns;
    flow->stats.scheduler_ns += run_ns;
    return code ? code : gravelp_view_has_left(view) ? gravel_flow_fail_stuck(flow) : 0;
}
