/* SPDX-License-Identifier: MIT */
/*
 * Flows of applications. See flow.h.
 */
#include "frame/flow.h"
#include "frame/die.h"

#include <inttypes.h>
#include <string.h>

error_t flow_take_form(struct argp_state *state, const struct app_option *option, const char *value,
                       void *field)
{
    bool *is_plain = field;
    *is_plain = strcmp(value, "plain") == 0;
    return *is_plain || strcmp(value, "flow") == 0
               ? 0
               : option_refuse(state, option, "there is no '%s', but flow and plain", value);
}

struct gravel_flow *flow_open(struct node *node, const struct gravel_graph *graph)
{
    struct gravel_graph grouped = *graph;
    struct gravel_flow *flow = NULL;
    grouped.group_items = node->group_items;
    TRY(gravel_flow_create(&flow, node->gravel, &grouped));
    return flow;
}

static struct gravel_flow_stats read_stats(struct gravel_flow *flow)
{
    struct gravel_flow_stats stats;
    TRY(gravel_flow_stats_read(flow, &stats, sizeof stats));
    return stats;
}

/* What it has counted so far is of the warm-up, in which the device's compiler worked. */
void flow_describe(struct gravel_flow *flow, struct trials *trials)
{
    if (!flow)
        return;
    trials_add_number(trials, "flow_bytes", read_stats(flow).bytes);
    TRY(gravel_flow_stats_reset(flow));
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

void flow_tell(struct gravel_flow *flow, struct trials *trials)
{
    if (!flow)
        return;
    struct gravel_flow_stats stats = read_stats(flow);
    trials_say(trials,
               "  %" PRIu64 " elements in %" PRIu64 " rounds, %" PRIu64
               " of a single group; lanes %.0f %% active; scheduler %.1f %% of the time\n",
               stats.elements, stats.rounds, stats.small_rounds,
               100 * ratio(stats.elements, stats.lanes),
               100 * ratio(stats.scheduler_ns, stats.run_ns));
#define ADD_FIELD(field, unit, help) trials_add_number(trials, "flow_" #field, stats.field);
    GRAVEL_FLOW_STATS_FIELDS(ADD_FIELD)
#undef ADD_FIELD
}

uint64_t flow_check(struct trials *trials, double work, uint64_t result, flow_serial *serial,
                    const void *self)
{
    double begin = trials_clock();
    uint64_t expected = serial(self);
    flow_tell_serial(trials, trials_clock() - begin, work);
    return result != expected;
}

void flow_tell_serial(struct trials *trials, double seconds, double work)
{
    trials_say(trials, "  serial: %f s, %.2f M %s\n", seconds, 1e-6 * work / seconds, trials->unit);
    trials_add_real(trials, "serial_seconds", seconds);
}

void flow_close(struct gravel_flow *flow, struct node *node)
{
    TRY(gravel_flow_destroy(flow));
    node_close(node);
}
