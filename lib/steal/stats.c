/* SPDX-License-Identifier: MIT */
/*
 * What groups have counted.
 *
 * Path:    gravel_steal_stats_read -> join.c -> this.
 */
#include "base/error.h"
#include "base/growing.h"
#include "steal/steal.h"

/* Returns the tasks in a deque, and those that are offered from it. */
static uint64_t left_in(const struct gravel_steal *steal, uint32_t group)
{
    const struct gravelp_deque *deque = &steal->deques[group];
    if (gravel_steal_is_list(steal))
        return 0;
    return (uint64_t)(deque->tail - deque->head) +
           (deque->offer == GRAVELP_OFFER_MADE ? deque->n_offered : 0);
}

static void add(const struct gravel_steal *steal, uint32_t group, struct gravel_steal_stats *stats)
{
    const struct gravelp_steal_counts *counts = &steal->deques[group].counts;
    stats->done += counts->done;
    stats->stolen += counts->stolen;
    stats->failed += counts->failed;
    stats->offers += counts->offers;
    stats->looks += counts->looks;
    stats->most = counts->done > stats->most ? counts->done : stats->most;
    stats->left += left_in(steal, group);
}

struct gravel_steal_stats gravel_steal_totals(const struct gravel_steal *steal)
{
    struct gravel_steal_stats stats = {.left = steal->head.n_tasks - steal->head.next};
    for (uint32_t i = 0; i < steal->options.n_groups; i++)
        add(steal, i, &stats);
    return stats;
}

int gravel_steal_stats_read(struct gravel_steal *steal, struct gravel_steal_stats *stats,
                            size_t bytes, uint32_t group)
{
    static const char call[] = "gravel_steal_stats_read";
    struct gravel_steal_stats own = {0};
    GRAVEL_TRY(gravel_steal_enter(steal, call));
    GRAVEL_TRY(gravel_require(call, "stats", stats));
    if (group != GRAVEL_ALL_GROUPS && group >= steal->options.n_groups)
        return gravel_fail(GRAVEL_EINVAL, "%s: group %u of %u", call, group,
                           steal->options.n_groups);
    GRAVEL_TRY(gravel_growing_give(call, stats, bytes, &own, sizeof own));
    int code = gravel_steal_join(steal);
    if (group == GRAVEL_ALL_GROUPS)
        own = gravel_steal_totals(steal);
    else
        add(steal, group, &own);
    gravel_growing_give(call, stats, bytes, &own, sizeof own);
    return code;
}

int gravel_steal_stats_reset(struct gravel_steal *steal)
{
    GRAVEL_TRY(gravel_steal_enter(steal, "gravel_steal_stats_reset"));
    int code = gravel_steal_join(steal);
    for (uint32_t i = 0; i < steal->options.n_groups; i++)
        steal->deques[i].counts = (struct gravelp_steal_counts){0};
    int written = steal->kernel ? 0 : gravel_steal_write_deques(steal);
    return code ? code : written;
}
