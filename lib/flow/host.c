/* SPDX-License-Identifier: MIT */
/*
 * Runs of a flow, in the caller's thread or in one of its own, by two schedulers, which rely on a command queue.
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
 * Memory:  what the host writes is written before the launch, and what it reads is read after its end, instead of
 *          K2 to K4.
 * Source:  Orr 2016, section 4.2 (the aggregator runs the scheduler, and sees channels but no elements); 4.2.2 (graphs
 *          have kernel nodes besides those of channels).
 */
#include "flow/flow.h"

#include "base/await.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "base/trace.h"
#include "node/enqueue.h"
#include "opencl/objects.h"
#include "opencl/wait.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/*
 * Launches n_items work-items, whole groups, between the copies that they need, none of which there are where memory is
 * shared, and waits for the end. @param begin_ns  [out] of the wait
 */
static int launch(struct gravel_flow *flow, cl_kernel kernel, size_t n_items, uint64_t *begin_ns)
{
    struct gravel *gravel = flow->gravel;
    const bool loops = kernel == flow->looping;
    struct gravel_awake awake = {0};
    cl_event ended = NULL, copied = NULL;
    int waited = 0, code = gravel_check_cl("a flow's round: clEnqueueWriteBuffer",
                                           gravel_flow_memory_send(flow, loops));
    if (!code)
        code = enqueue(flow, kernel, n_items, &ended);
    if (!code)
        code = gravel_check_cl(
            "a flow's tails: clEnqueueReadBuffer",
            gravel_cl_flush(gravel->device.queue, gravel_flow_memory_fetch(flow, loops, &copied)));
    *begin_ns = gravel_clock_ns();
    const cl_event last = copied ? copied : ended;
    while (last && gravel_cl_event_status(last) > CL_COMPLETE &&
           gravel_awake_yield(&awake, YIELDS_NS))
        ;
    if (ended) /* else nothing uses the memory */
        waited = gravel_leave(gravel, gravel_node_wait_for_kernel(gravel, kernel, ended));
    if (copied && !waited)
        waited = gravel_wait_event(&gravel->device, copied, "a flow's tails");
    gravel_cl_event_release(ended);
    gravel_cl_event_release(copied);
    return gravel_first_failure(code, waited);
}

/* Launches, and waits for the end. @param round  the first of the launch. */
static int launch_and_wait(struct gravel_flow *flow, bool loops, uint32_t n_groups,
                           const struct gravelp_round *round)
{
    struct gravel_trace *trace = flow->gravel->trace;
    char name[96];
    uint64_t begin_ns;
    int code = launch(flow, loops ? flow->looping : flow->kernel,
                      (size_t)n_groups * flow->group_items, &begin_ns);
    flow->stats.scheduler_ns -= gravel_clock_ns() - begin_ns; /* of the run's time */
    flow->stats.launches++;
    if (trace) {
        snprintf(name, sizeof name, "%.64s, level %u: %u", flow->graph.names[round->channel],
                 round->level, round->n);
        gravel_trace_span(trace, name, begin_ns, gravel_clock_ns());
    }
    return code ? gravel_flow_fail_wait(flow, round, code) : 0;
}

static void set_round(struct gravel_flow *flow, struct gravelp_round round)
{
    uint32_t *limits = gravelp_flow_words(flow->view.flow, flow->view.flow->limits_at);
    for (uint32_t into = 0; into < flow->view.flow->n_channels; into++)
        limits[into] = gravelp_view_limit(flow->view, round, into);
    flow->view.flow->round = round;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Work-groups of a round. */
static uint32_t groups_of(const struct gravel_flow *flow, const struct gravelp_round *round)
{
    return gravelp_channel_groups(flow->graph.channels[round->channel], flow->group_items,
                                  round->n);
}

/* Launches one round. */
static int play(struct gravel_flow *flow, struct gravelp_round round)
{
    const struct gravelp_channel *channel = &flow->graph.channels[round.channel];
    uint32_t n_groups = groups_of(flow, &round);
    set_round(flow, round);
    GRAVEL_TRY(launch_and_wait(flow, false, n_groups, &round));
    GRAVEL_TRY(gravel_flow_check_faults(flow, &round, round.n));
    gravelp_view_end_round(flow->view, round);
    flow->stats.rounds++;
    flow->stats.small_rounds += n_groups == 1;
    flow->stats.elements += round.n;
    flow->stats.lanes += (uint64_t)n_groups * gravelp_channel_share(*channel, flow->group_items);
    return 0;
}

/* Launches rounds that choose by themselves, of which this is the first. */
static int play_resident(struct gravel_flow *flow, struct gravelp_round round)
{
    const uint32_t n_groups = flow->scheduling.n_groups;
    struct gravelp_flow_launch *launch = gravelp_flow_launch(flow->view.flow);
    set_round(flow, round);
    *launch = (struct gravelp_flow_launch){.n_groups = n_groups,
                                           .round = round,
                                           .most_elements = flow->slice_elements,
                                           .wait_ms = flow->scheduling.wait_ms};
    uint64_t begin_ns = gravel_clock_ns();
    GRAVEL_TRY(launch_and_wait(flow, true, n_groups, &round));
    flow->stats.rounds += launch->n_rounds;
    flow->stats.small_rounds += launch->n_small;
    flow->stats.elements += launch->n_elements;
    flow->stats.lanes += launch->n_lanes;
    if (launch->n_elements >= flow->slice_elements) { /* the next one is to take about a slice */
        const double took_ns = (double)(gravel_clock_ns() - begin_ns) + 1;
        double fitting = launch->n_elements * (double)flow->scheduling.slice_ns / took_ns;
        const double most = (double)flow->slice_elements * MOST_GROWTH;
        fitting = fitting < most ? fitting : most;
        flow->slice_elements = fitting < 1            ? 1
                               : fitting < 0x7fffffff ? (uint32_t)fitting
                                                      : 0x7fffffff;
    }
    return gravel_flow_check_faults(flow, &launch->round, launch->round.n);
}

static int schedule(struct gravel_flow *flow)
{
    const bool is_resident = flow->scheduling.scheduler == GRAVEL_SCHEDULER_RESIDENT;
    const bool is_lone = flow->scheduling.n_groups == 1;
    int code = 0;
    flow->run_begin_ns = gravel_clock_ns();
    flow->stats.runs++;
    while (!code) {
        code = gravel_flow_take_posts(flow);
        struct gravelp_round round = gravelp_view_choose(flow->view);
        if (code || round.n == 0)
            break;
        code = is_resident && (!is_lone || groups_of(flow, &round) == 1)
                   ? play_resident(flow, round)
                   : play(flow, round);
        gravel_flow_publish(flow);
    }
    uint64_t run_ns = gravel_clock_ns() - flow->run_begin_ns;
    flow->run_begin_ns = 0;
    flow->stats.run_ns += run_ns;
    flow->stats.scheduler_ns += run_ns;
    gravel_flow_publish(flow);
    GRAVEL_TRY(code);
    return gravelp_view_has_left(flow->view) ? gravel_flow_fail_stuck(flow) : 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static int check_run(const struct gravel_flow *flow, const char *call)
{
    GRAVEL_TRY(gravel_flow_check_idle(flow, call));
    return flow->kernel ? 0 : gravel_fail(GRAVEL_EINVAL, "%s: the flow has no kernel yet", call);
}

static int end_run(struct gravel_flow *flow, int code)
{
    flow->is_running = false;
    flow->failed = code == GRAVEL_ESTUCK ? 0 : code;
    return code;
}

int gravel_flow_run(struct gravel_flow *flow)
{
    GRAVEL_TRY(check_run(flow, "gravel_flow_run"));
    flow->is_running = true;
    return end_run(flow, schedule(flow));
}

static void *run_schedule(void *user)
{
    struct gravel_flow *flow = user;
    gravel_thread_begin("gravel-flow");
    flow->outcome = gravel_keep(schedule(flow));
    return NULL;
}

int gravel_flow_start(struct gravel_flow *flow)
{
    GRAVEL_TRY(check_run(flow, "gravel_flow_start"));
    int error = pthread_create(&flow->runner, NULL, run_schedule, flow);
    if (error)
        return gravel_fail(GRAVEL_ESYSTEM, "gravel_flow_start: a thread: %s", strerror(error));
    flow->is_running = flow->has_runner = true;
    return 0;
}

int gravel_flow_wait(struct gravel_flow *flow)
{
    GRAVEL_TRY(gravel_flow_enter(flow, "gravel_flow_wait", GRAVEL_WAITS));
    if (!flow->has_runner)
        return gravel_fail(GRAVEL_EINVAL, "gravel_flow_wait: no run of the flow is under way");
    pthread_join(flow->runner, NULL);
    flow->has_runner = false;
    return end_run(flow, flow->outcome.code) ? gravel_fail_again(&flow->outcome) : 0;
}

static int check_call(struct gravel_flow *flow, const char *channel, void *record, size_t to,
                      void *result, size_t bytes, uint32_t *c)
{
    GRAVEL_TRY(gravel_flow_check_idle(flow, "gravel_flow_call"));
    GRAVEL_TRY(gravel_flow_find(flow, "gravel_flow_call", channel, false, c));
    GRAVEL_TRY(gravel_require("gravel_flow_call", "record", record));
    GRAVEL_TRY(gravel_require("gravel_flow_call", "result", result));
    size_t record_bytes = 4 * flow->graph.channels[*c].n_words;
    if (to % 4 || to + 4 > record_bytes || bytes == 0 || bytes % 4 ||
        bytes > 4 * GRAVEL_RESULT_WORDS)
        return gravel_fail(GRAVEL_EINVAL,
                           "gravel_flow_call: slot at byte %zu of a record of %zu, result of %zu "
                           "bytes, of %u at most",
                           to, record_bytes, bytes, 4 * GRAVEL_RESULT_WORDS);
    return 0;
}

int gravel_flow_call(struct gravel_flow *flow, const char *channel, void *record, size_t to,
                     void *result, size_t bytes)
{
    static const uint32_t zeros[GRAVEL_RESULT_WORDS];
    const gravel_slot slot = 0; /* the result's first word */
    uint32_t c;
    GRAVEL_TRY(check_call(flow, channel, record, to, result, bytes, &c));
    memcpy((unsigned char *)record + to, &slot, sizeof slot);
    GRAVEL_TRY(gravel_flow_memory_write(flow, slot, zeros, GRAVEL_RESULT_WORDS));
    GRAVEL_TRY(gravel_flow_add(flow, c, record, 1));
    GRAVEL_TRY(gravel_flow_run(flow));
    return gravel_flow_memory_read(flow, slot, result, bytes / 4);
}

/* ---- producers ------------------------------------------------------------------------------- */

/* Sets how far tails may get: by what is declared, and else not at all. */
static int admit(struct gravel_flow *flow, uint64_t n_items, const struct gravel_edge *into,
                 uint32_t n_into)
{
    uint32_t *limits = gravelp_flow_words(flow->view.flow, flow->view.flow->limits_at);
    for (uint32_t c = 0; c < flow->graph.n_channels; c++)
        limits[c] = flow->view.tails[c];
    for (uint32_t e = 0; e < n_into; e++) {
        uint32_t c;
        GRAVEL_TRY(gravel_flow_find(flow, "gravel_flow_produce", into[e].into, false, &c));
        uint32_t admitted = limits[c] - flow->view.tails[c]; /* by other edges into it */
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
    GRAVEL_TRY(gravel_given_kernel(&flow->gravel->device, "gravel_flow_produce", kernel));
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
    for (uint32_t c = 0; c < flow->graph.n_channels; c++)
        gravelp_view_note_peak(flow->view, c);
    gravel_flow_publish(flow);
    flow->failed = code;
    return code;
}
