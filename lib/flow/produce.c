/* SPDX-License-Identifier: MIT */
/*
 * Producers: kernels that are no nodes, and add elements between runs. A launch of one is admitted as a round is: what
 * its work-items make at most has to fit.
 *
 * Path:    gravel_flow_produce -> this -> launch.c; cl/flow.cl.h, GRAVEL_FLOW_PRODUCE.
 * Threads: the one that makes the flow's calls.
 * Source:  Orr 2016, section 4.2.2 (graphs have kernel nodes besides those of channels).
 */
#include "base/error.h"
#include "flow/flow.h"
#include "layout/choose.h"

#include <inttypes.h>

/* How far tails may get: by what is declared, and else not at all. */
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
    int code = gravel_flow_launch(flow, kernel, n_items, &begin_ns);
    if (!code)
        code = gravel_flow_check_faults(flow, NULL, n_items);
    struct gravelp_view view = gravelp_view_of(flow->memory.control);
    for (uint32_t c = 0; c < flow->graph.n_channels; c++)
        gravelp_view_note_peak(view, c);
    gravel_flow_tell(flow);
    flow->failed = code;
    return code;
}
