/* SPDX-License-Identifier: MIT */
/*
 * A flow's counters as any thread may read them, also beside a run: a copy that the thread which runs the flow renews
 * between rounds.
 *
 * Path:    create.c, elements.c, host.c, produce.c -> told.c -> gravel_flow_stats_read, gravel_flow_channel_read.
 * Owner:   the flow.
 * Threads: one tells; any reads. The lock is held for copies in memory only.
 */
#include "flow/flow.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/growing.h"
#include "layout/choose.h"

#include <stdlib.h>
#include <string.h>

void gravel_flow_tell(struct gravel_flow *flow)
{
    const uint32_t *peaks = gravelp_view_of(flow->memory.control).peaks;
    uint64_t run_ns = flow->run_begin_ns ? gravel_clock_ns() - flow->run_begin_ns : 0;
    pthread_mutex_lock(&flow->lock);
    memcpy(flow->told.peaks, peaks, flow->graph.n_channels * sizeof *peaks);
    flow->told.stats = flow->stats;
    flow->told.stats.run_ns += run_ns;
    flow->told.stats.scheduler_ns += run_ns; /* less what launches took, which is subtracted */
    pthread_mutex_unlock(&flow->lock);
}

int gravel_flow_stats_read(struct gravel_flow *flow, struct gravel_flow_stats *stats, size_t bytes)
{
    struct gravel_flow_stats own;
    GRAVEL_TRY(gravel_flow_enter(flow, "gravel_flow_stats_read", GRAVEL_ANYWHERE));
    GRAVEL_TRY(gravel_require("gravel_flow_stats_read", "stats", stats));
    pthread_mutex_lock(&flow->lock);
    own = flow->told.stats;
#define SUBTRACT(field, unit, help) own.field -= flow->told.base.field;
    GRAVEL_FLOW_STATS_FIELDS(SUBTRACT)
#undef SUBTRACT
    pthread_mutex_unlock(&flow->lock);
    return gravel_growing_give("gravel_flow_stats_read", stats, bytes, &own, sizeof own);
}

int gravel_flow_stats_reset(struct gravel_flow *flow)
{
    GRAVEL_TRY(gravel_flow_enter(flow, "gravel_flow_stats_reset", GRAVEL_ANYWHERE));
    pthread_mutex_lock(&flow->lock);
    flow->told.base = flow->told.stats;
    flow->told.base.bytes = 0; /* of the memory, which stays */
    pthread_mutex_unlock(&flow->lock);
    return 0;
}

int gravel_flow_channel_read(struct gravel_flow *flow, const char *channel, uint32_t *width,
                             uint32_t *peak)
{
    GRAVEL_TRY(gravel_flow_enter(flow, "gravel_flow_channel_read", GRAVEL_ANYWHERE));
    uint32_t c = gravel_flow_graph_find(&flow->graph, channel);
    if (c == flow->graph.n_channels)
        return gravel_fail(GRAVEL_EINVAL, "gravel_flow_channel_read: no channel '%s'",
                           channel ? channel : "(NULL)");
    if (width)
        *width = flow->graph.channels[c].width;
    pthread_mutex_lock(&flow->lock);
    if (peak)
        *peak = flow->told.peaks[c];
    pthread_mutex_unlock(&flow->lock);
    return 0;
}
