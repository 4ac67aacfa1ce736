/* SPDX-License-Identifier: MIT */
/*
 * What went wrong in a run, in words: which channel, which level, how many.
 *
 * Path:    host.c -> report.c -> gravel_last_error.
 * Threads: the one that runs the flow.
 */
#include "base/error.h"
#include "flow/flow.h"
#include "layout/choose.h"

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

static int fail_open(const struct gravel_flow *flow, const struct gravelp_round *round,
                     uint32_t channel, uint32_t n)
{
    return gravel_fail(
        GRAVEL_EKERNEL,
        "node '%s', level %u: %d calls of gravel_talloc of channel '%s' more than of "
        "gravel_enq",
        name_of(flow, round->channel), round->level, (int)n, name_of(flow, channel));
}

/* An arrival at a held element, or its end, that its state forbids. */
static int fail_held(const struct gravel_flow *flow, const struct gravelp_round *round,
                     const struct gravelp_flow_fault *fault)
{
    const char *by = name_of(flow, round->channel), *of = name_of(flow, fault->channel);
    bool is_join = fault->fault == GRAVELP_FLOW_FAULT_JOIN;
    uint32_t joins = fault->value & GRAVELP_JOINS_FREED;
    char state[64];
    if (fault->value >> GRAVELP_LAP_SHIFT != fault->bound >> GRAVELP_LAP_SHIFT)
        snprintf(state, sizeof state, "has been freed, and its room is another's");
    else if (joins == GRAVELP_JOINS_FREED)
        snprintf(state, sizeof state, "has been freed");
    else if (joins == 0)
        snprintf(state, sizeof state, "waits for no more arrivals");
    else
        snprintf(state, sizeof state, "waits for %u arrivals", joins);
    return gravel_fail(GRAVEL_EKERNEL, "node '%s', level %u: %s an element of channel '%s' that %s",
                       by, round->level, is_join ? "an arrival at" : "gravel_tfree of", of, state);
}

/* A number in a call that is larger than any may be. */
static int fail_number(const char *by, const char *of, const struct gravelp_flow_fault *fault)
{
    if (fault->fault == GRAVELP_FLOW_FAULT_JOINS)
        return gravel_fail(GRAVEL_EKERNEL,
                           "%s: gravel_hold of channel '%s' with %u joins; an element waits for at "
                           "most %u arrivals",
                           by, of, fault->value, fault->bound);
    return gravel_fail(
        GRAVEL_EKERNEL,
        "%s: a work-item asks for %u elements of channel '%s' in a call of its group, "
        "which reserves at most %u for each",
        by, fault->value, of, fault->bound);
}

/* Who was at it: the channel whose elements the round processed. */
static int fail_fault(const struct gravel_flow *flow, const struct gravelp_round *round,
                      const struct gravelp_flow_fault *fault)
{
    const char *by = name_of(flow, round->channel), *of = name_of(flow, fault->channel);
    char who[160];
    switch (fault->fault) {
    case GRAVELP_FLOW_FAULT_MOST:
        return gravel_fail(GRAVEL_EKERNEL,
                           "node '%s', level %u: %u elements made at least %u of channel '%s' more "
                           "than the %u each that the edge declares",
                           by, round->level, round->n, fault->value, of,
                           most_of(flow, round->channel, fault->channel));
    case GRAVELP_FLOW_FAULT_DEEP:
        return gravel_fail(GRAVEL_EKERNEL,
                           "node '%s', level %u: a group spawned %u of channel '%s' at the last of "
                           "%u levels",
                           by, round->level, fault->value, of, fault->bound);
    case GRAVELP_FLOW_FAULT_SLOT:
        return gravel_fail(GRAVEL_EKERNEL,
                           "node '%s', level %u: a result for slot %u, which is none", by,
                           round->level, fault->value);
    case GRAVELP_FLOW_FAULT_OPEN:
        return fail_open(flow, round, fault->channel, fault->value);
    case GRAVELP_FLOW_FAULT_MEET:
        return gravel_fail(
            GRAVEL_ETIMEOUT,
            "node '%s', level %u: %u of %u work-groups that choose rounds have ended "
            "this one, and the rest has not for GRAVEL_TIMEOUT",
            by, round->level, fault->value, fault->bound);
    case GRAVELP_FLOW_FAULT_JOIN:
    case GRAVELP_FLOW_FAULT_FREE:
        return fail_held(flow, round, fault);
    case GRAVELP_FLOW_FAULT_JOINS:
    case GRAVELP_FLOW_FAULT_ASK:
        snprintf(who, sizeof who, "node '%s', level %u", by, round->level);
        return fail_number(who, of, fault);
    case GRAVELP_FLOW_FAULT_SIGN:
        return gravel_fail(GRAVEL_EKERNEL,
                           "node '%s': the kernel was built for another graph (sign 0x%08x, not "
                           "0x%08x)",
                           by, fault->bound, fault->value);
    default:
        return gravel_fail(GRAVEL_EKERNEL, "node '%s', level %u: fault %u", by, round->level,
                           fault->fault);
    }
}

int gravel_flow_check_faults(struct gravel_flow *flow, const struct gravelp_round *round)
{
    struct gravelp_flow *control = flow->memory.control;
    const struct gravelp_flow_fault *fault = gravelp_flow_faults(control); /* K3: the round's end */
    const uint32_t *unenqueued = gravelp_flow_words(control, control->unenqueued_at);
    if (fault->claim)
        return fail_fault(flow, round, fault);
    for (uint32_t c = 0; c < flow->graph.n_channels; c++)
        if (unenqueued[c])
            return fail_open(flow, round, c, unenqueued[c]);
    return 0;
}

int gravel_flow_fail_wait(const struct gravel_flow *flow, const struct gravelp_round *round,
                          int code)
{
    char reason[GRAVEL_ERROR_BYTES];
    snprintf(reason, sizeof reason, "%s", gravel_last_error());
    return gravel_fail(code, "a launch from node '%s', level %u, on: %s",
                       name_of(flow, round->channel), round->level, reason);
}

int gravel_flow_check_producer(struct gravel_flow *flow, size_t n_items)
{
    struct gravelp_flow *control = flow->memory.control;
    const struct gravelp_flow_fault *fault =
        gravelp_flow_faults(control); /* K3: the launch's end */
    const uint32_t *unenqueued = gravelp_flow_words(control, control->unenqueued_at);
    const char *of = name_of(flow, fault->channel);
    if (fault->claim && fault->fault == GRAVELP_FLOW_FAULT_MOST)
        return gravel_fail(GRAVEL_EKERNEL,
                           "a producer's %zu work-items made at least %u of channel '%s' more than "
                           "they declare",
                           n_items, fault->value, of);
    if (fault->claim &&
        (fault->fault == GRAVELP_FLOW_FAULT_JOINS || fault->fault == GRAVELP_FLOW_FAULT_ASK))
        return fail_number("a producer", of, fault);
    if (fault->claim)
        return gravel_fail(GRAVEL_EKERNEL, "a producer: fault %u of channel '%s', value %u",
                           fault->fault, of, fault->value);
    for (uint32_t c = 0; c < flow->graph.n_channels; c++)
        if (unenqueued[c])
            return gravel_fail(GRAVEL_EKERNEL,
                               "a producer: %d calls of gravel_talloc of channel '%s' more than of "
                               "gravel_enq",
                               (int)unenqueued[c], name_of(flow, c));
    return 0;
}

/* What the elements of a held channel wait for. */
static void write_held(FILE *out, struct gravel_flow *flow, uint32_t c)
{
    const struct gravelp_channel *channel = &flow->graph.channels[c];
    struct gravelp_view view = gravelp_view_of(flow->memory.control);
    uint32_t n_enqueued = gravelp_view_enqueued(view, c), n_waiting = 0, n_through = 0;
    uint32_t *states = malloc(channel->width * sizeof *states);
    int code = states
                   ? gravel_flow_memory_read(&flow->memory, channel->states, states, channel->width)
                   : GRAVEL_ENOMEM;
    for (uint32_t i = view.heads[c]; !code && i != view.tails[c]; i++) {
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
    struct gravelp_view view = gravelp_view_of(flow->memory.control);
    char *table = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&table, &bytes);
    for (uint32_t layer = 0; out && layer < view.flow->n_layers; layer++) {
        struct gravelp_round place = gravelp_view_place(view, layer);
        if (gravelp_view_used(view, layer))
            fprintf(out, "\n%s, level %u: %u of %u", name_of(flow, place.channel), place.level,
                    gravelp_view_used(view, layer), view.channels[place.channel].width);
        if (gravelp_view_used(view, layer) && view.channels[place.channel].kind == GRAVEL_HELD)
            write_held(out, flow, place.channel);
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
