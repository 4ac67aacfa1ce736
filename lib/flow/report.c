/* SPDX-License-Identifier: MIT */
/*
 * What went wrong in a run, in words: which channel, which level, how many.
 *
 * Path:    host.c -> report.c -> gravel_last_error.
 * Threads: the one that runs the flow.
 */
#include "base/error.h"
#include "flow/flow.h"

#include <stdio.h>
#include <stdlib.h>

static const char *name_of(const struct gravel_flow *flow, uint32_t channel)
{
    return channel < flow->graph.n_channels ? flow->graph.names[channel] : "(none)";
}

static uint32_t most_of(const struct gravel_flow *flow, uint32_t channel, uint32_t into)
{
    const struct gravelp_channel *from = &flow->graph.channels[channel];
    for (uint32_t e = 0; e < from->n_edges; e++)
        if (flow->graph.edges[from->first_edge + e].into == into)
            return flow->graph.edges[from->first_edge + e].at_most;
    return 0;
}

/* Names the state of an element that forbids its arrival, or end. */
static const char *state_of(const struct gravelp_flow_fault *fault, char state[64])
{
    const uint32_t joins = fault->value & GRAVELP_JOINS_FREED;
    if (fault->value >> GRAVELP_LAP_SHIFT != fault->bound >> GRAVELP_LAP_SHIFT)
        return "has been freed, and its room is another's";
    if (joins == GRAVELP_JOINS_FREED)
        return "has been freed";
    if (joins == 0)
        return "waits for no more arrivals";
    snprintf(state, 64, "waits for %u arrivals", joins);
    return state;
}

/* Names the launch of a round. @param round  NULL: of a producer */
static const char *launch_of(const struct gravel_flow *flow, const struct gravelp_round *round,
                             char name[160])
{
    if (!round)
        return "a producer";
    snprintf(name, 160, "node '%s', level %u", name_of(flow, round->channel), round->level);
    return name;
}

static int fail_open(const char *by, const char *of, uint32_t n)
{
    return gravel_fail(GRAVEL_EKERNEL,
                       "%s: %d calls of gravel_talloc of channel '%s' more than of gravel_enq", by,
                       (int)n, of);
}

/* @param n  elements of the round, or work-items of the producer */
static int fail_fault(const struct gravel_flow *flow, const struct gravelp_round *round, size_t n,
                      const struct gravelp_flow_fault *fault)
{
    char buffer[160];
    const char *by = launch_of(flow, round, buffer), *of = name_of(flow, fault->channel);
    const uint32_t value = fault->value, bound = fault->bound;
    char state[64];
    switch (fault->fault) {
    case GRAVELP_FLOW_FAULT_MOST:
        if (!round)
            return gravel_fail(GRAVEL_EKERNEL,
                               "%s's %zu work-items made at least %u of channel '%s' more than "
                               "they declare",
                               by, n, value, of);
        return gravel_fail(GRAVEL_EKERNEL,
                           "%s: %zu elements made at least %u of channel '%s' more than the %u "
                           "each that the edge declares",
                           by, n, value, of, most_of(flow, round->channel, fault->channel));
    case GRAVELP_FLOW_FAULT_DEEP:
        return gravel_fail(GRAVEL_EKERNEL,
                           "%s: a group spawned %u of channel '%s' at the last of %u levels", by,
                           value, of, bound);
    case GRAVELP_FLOW_FAULT_SLOT:
        return gravel_fail(GRAVEL_EKERNEL, "%s: a result for slot %u, which does not exist", by,
                           value);
    case GRAVELP_FLOW_FAULT_OPEN:
        return fail_open(by, of, value);
    case GRAVELP_FLOW_FAULT_MEET:
        return gravel_fail(GRAVEL_ETIMEOUT,
                           "%s: %u of %u work-groups that choose rounds have ended this one, and "
                           "the rest has not for GRAVEL_TIMEOUT",
                           by, value, bound);
    case GRAVELP_FLOW_FAULT_JOIN:
        return gravel_fail(GRAVEL_EKERNEL, "%s: an arrival at an element of channel '%s' that %s",
                           by, of, state_of(fault, state));
    case GRAVELP_FLOW_FAULT_FREE:
        return gravel_fail(GRAVEL_EKERNEL, "%s: gravel_tfree of an element of channel '%s' that %s",
                           by, of, state_of(fault, state));
    case GRAVELP_FLOW_FAULT_JOINS:
        return gravel_fail(GRAVEL_EKERNEL,
                           "%s: gravel_hold of channel '%s' with %u joins; an element waits for at "
                           "most %u arrivals",
                           by, of, value, bound);
    case GRAVELP_FLOW_FAULT_ASK:
        return gravel_fail(GRAVEL_EKERNEL,
                           "%s: a work-item asks for %u elements of channel '%s' in a call of its "
                           "group, which reserves at most %u for each",
                           by, value, of, bound);
    case GRAVELP_FLOW_FAULT_SIGN:
        return gravel_fail(GRAVEL_EKERNEL,
                           "%s: the kernel was built for another graph (sign 0x%08x, not 0x%08x)",
                           by, bound, value);
    default:
        return gravel_fail(GRAVEL_EKERNEL, "%s: fault %u of channel '%s', value %u", by,
                           fault->fault, of, value);
    }
}

int gravel_flow_check_faults(const struct gravel_flow *flow, const struct gravelp_round *round,
                             size_t n)
{
    struct gravelp_flow *control = flow->view.flow;
    const struct gravelp_flow_fault *fault =
        gravelp_flow_faults(control); /* K3: the launch's end */
    const uint32_t *unenqueued = gravelp_flow_words(control, control->unenqueued_at);
    char by[160];
    if (fault->claim)
        return fail_fault(flow, round, n, fault);
    for (uint32_t c = 0; c < flow->graph.n_channels; c++)
        if (unenqueued[c])
            return fail_open(launch_of(flow, round, by), name_of(flow, c), unenqueued[c]);
    return 0;
}

int gravel_flow_fail_wait(const struct gravel_flow *flow, const struct gravelp_round *round,
                          int code)
{
    char reason[GRAVEL_ERROR_BYTES], from[160];
    snprintf(reason, sizeof reason, "%s", gravel_last_error());
    return gravel_fail(code, "a launch from %s, on: %s", launch_of(flow, round, from), reason);
}

/* Writes what the elements of a held channel wait for. */
static void write_held(FILE *out, struct gravel_flow *flow, uint32_t c)
{
    const struct gravelp_channel *channel = &flow->graph.channels[c];
    uint32_t n_enqueued = gravelp_view_enqueued(flow->view, c), n_waiting = 0, n_through = 0;
    uint32_t *states = malloc(channel->width * sizeof *states);
    int code = states ? gravel_flow_memory_read(flow, channel->states, states, channel->width)
                      : GRAVEL_ENOMEM;
    for (uint32_t i = flow->view.heads[c]; !code && i != flow->view.tails[c]; i++) {
        uint32_t joins = states[i & (channel->width - 1)] & GRAVELP_JOINS_FREED;
        n_waiting += joins && joins != GRAVELP_JOINS_FREED;
        n_through += joins == 0;
    }
    if (!code)
        fprintf(out,
                ": %u wait for arrivals, %u are enqueued, %u have been processed and not freed",
                n_waiting, n_enqueued, n_through - n_enqueued);
    free(states);
}

int gravel_flow_fail_stuck(struct gravel_flow *flow)
{
    char *table = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&table, &bytes);
    for (uint32_t layer = 0; out && layer < flow->view.flow->n_layers; layer++) {
        struct gravelp_round round = gravelp_view_layer(flow->view, layer);
        if (gravelp_view_used(flow->view, layer))
            fprintf(out, "\n%s, level %u: %u of %u", name_of(flow, round.channel), round.level,
                    gravelp_view_used(flow->view, layer), flow->view.channels[round.channel].width);
        if (gravelp_view_used(flow->view, layer) &&
            flow->view.channels[round.channel].kind == GRAVEL_HELD)
            write_held(out, flow, round.channel);
    }
    if (out)
        fclose(out);
    int code = gravel_fail(
        GRAVEL_ESTUCK,
        "elements are left, and what they make at most fits nowhere, or they are held:%s",
        table ? table : "");
    free(table);
    return code;
}
