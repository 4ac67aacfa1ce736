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
 * A kernel that sends nothing never waits, so its rounds are plain commands. One that sends is launched as any kernel
 * of the caller's, in slices where the step wants them.
 *
 * Producers are kernels that are no nodes, and add elements between runs. A launch of one is admitted as a round is:
 * what its work-items make at most has to fit.
 *
 * Path:    gravel_flow_run, gravel_flow_produce -> host.c -> layout/choose.h, node/launch.c, node/enqueue.c;
 *          cl/device/round.cl.h.
 * Threads: the one that runs the flow.
 * Memory:  what the host writes is written before the launch, and what it reads is read after its end, which stands for
 *          K2 to K4.
 * Source:  Orr 2016, section 4.2 (the aggregator runs the scheduler, and sees channels but no elements); 4.2.2 (graphs
 *          have kernel nodes besides those of channels).
 */
#include "flow/flow.h"

#include "base/await.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/trace.h"
#include "layout/choose.h"
#include "node/enqueue.h"
#include "opencl/objects.h"
#include "opencl/wait.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_GROWTH 8u            /* of a slice's elements, from one launch to the next */
#define YIELDS_NS UINT64_C(50000) /* a small round ends before; then the wait sleeps */

/* ---- launches -------------------------------------------------------------------------------- */

static int enqueue(struct gravel_flow *flow, cl_kernel kernel, size_t n_items, cl_event *event)
{
    const size_t group = flow->group_items;
    const struct gravel_command command = {.call = "a flow's round",
                                           .kernel = kernel,
                                           .n_dimensions = 1,
                                           .global = &n_items,
                                           .local = &group};
    return flow->graph.given.n_messages
               ? gravel_launch(flow->gravel, kernel, 1, &n_items, &group, 0, NULL, event)
               : gravel_node_enqueue(flow->gravel, &command, event);
}

/* Enqueues the kernel between the copies that it needs, none of which there are where memory is shared. */
static int begin(struct gravel_flow *flow, cl_kernel kernel, size_t n_items, cl_event *ended,
                 cl_event *copied)
{
    const struct gravel_flow_memory *memory = &flow->memory;
    const bool loops = kernel == flow->looping;
    GRAVEL_TRY(gravel_check_cl("a flow's round: clEnqueueWriteBuffer",
                               gravel_flow_memory_send(memory, loops)));
    GRAVEL_TRY(enqueue(flow, kernel, n_items, ended));
    cl_int error = gravel_flow_memory_fetch(memory, loops, copied);
    return gravel_check_cl("a flow's tails: clEnqueueReadBuffer",
                           gravel_cl_flush(memory->device->queue, error));
}

static int wait_for(struct gravel_flow *flow, cl_kernel kernel, cl_event ended, cl_event copied)
{
    struct gravel *gravel = flow->gravel;
    cl_event last = copied ? copied : ended;
    struct gravel_awake awake = {0};
    while (gravel_cl_event_status(last) > CL_COMPLETE && gravel_awake_yield(&awake, YIELDS_NS))
        ;
    GRAVEL_TRY(gravel_leave(gravel, gravel_node_wait_for_kernel(gravel, kernel, ended)));
    return copied ? gravel_wait_event(flow->memory.device, copied, "a flow's tails") : 0;
}

/* Launches n_items work-items, whole groups, and waits for their end. @param begin_ns  [out] of the wait. @return what
 * the launch or the wait returned. */
static int launch(struct gravel_flow *flow, cl_kernel kernel, size_t n_items, uint64_t *begin_ns)
{
    cl_event ended = NULL, copied = NULL;
    int code = begin(flow, kernel, n_items, &ended, &copied);
    *begin_ns = gravel_clock_ns();
    int waited = ended ? wait_for(flow, kernel, ended, copied) : 0; /* it uses the memory */
    gravel_cl_event_release(ended);
    gravel_cl_event_release(copied);
    return code ? code : waited;
}

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
    int code = launch(flow, loops ? flow->looping : flow->kernel,
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

/* ---- producers ------------------------------------------------------------------------------- */

/* Sets how far tails may get: by what is declared, and else not at all. */
static int admit(struct gravel_flow *flow, uint64_t n_items, const struct gravel_edge *into,
                 uint32_t n_into)
{
    struct gravelp_view view = gravelp_view_of(flow->memory.control);
    uint32_t *limits = gravelp_flow_words(view.flow, view.flow->limits_at);
    for (uint32_t c = 0; c < flow->graph.n_channels; c++)
        limits[c] = view.tails[c];
    for (uint32_t e = 0; e < n_into; e++) {
        uint32_t c;
        GRAVEL_TRY(gravel_flow_find(flow, "gravel_flow_produce", into[e].into, false, &c));
        uint32_t admitted = limits[c] - view.tails[c]; /* by other edges into it */
        uint32_t room = gravel_flow_room(flow, c) - admitted;
        if (into[e].at_most && n_items > room / into[e].at_most)
            return gravel_fail(GRAVEL_ERANGE,
                               "gravel_flow_produce: %" PRIu64
                               " work-items that make at most %u of "
                               "channel '%s', which has room for %u",
                               n_items, into[e].at_most, into[e].into, room);
        limits[c] += (uint32_t)n_items * into[e].at_most;
    }
    return 0;
}

int gravel_flow_produce(struct gravel_flow *flow, cl_kernel kernel, size_t n_items,
                        const struct gravel_edge *into, uint32_t n_into)
{
    GRAVEL_TRY(gravel_flow_check_idle(flow, "gravel_flow_produce"));
    GRAVEL_TRY(gravel_given_kernel(flow->memory.device, "gravel_flow_produce", kernel));
    if (n_into)
        GRAVEL_TRY(gravel_require("gravel_flow_produce", "into", into));
    if (n_items % flow->group_items)
        return gravel_fail(GRAVEL_EINVAL, "gravel_flow_produce: %zu work-items in groups of %u",
                           n_items, flow->group_items);
    GRAVEL_TRY(admit(flow, n_items, into, n_into));
    if (n_items == 0)
        return 0;
    uint64_t begin_ns;
    int code = launch(flow, kernel, n_items, &begin_ns);
    if (!code)
        code = gravel_flow_check_faults(flow, NULL, n_items);
    struct gravelp_view view = gravelp_view_of(flow->memory.control);
    for (uint32_t c = 0; c < flow->graph.n_channels; c++)
        gravelp_view_note_peak(view, c);
    gravel_flow_tell(flow);
    flow->failed = code;
    return code;
}
