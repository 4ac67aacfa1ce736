/* SPDX-License-Identifier: MIT */
/*
 * Rounds of a node: the object, its kernel, and how its launches go.
 *
 * Path:    gravel/rounds.h -> create.c; run.c -> node/launch.c, waits.c.
 * Owner:   the caller of gravel_rounds_create.
 */
#ifndef GRAVEL_ROUNDS_ROUNDS_H
#define GRAVEL_ROUNDS_ROUNDS_H

#include "gravel/rounds.h"
#include "layout/rounds.h"
#include "node/object.h"

struct gravel_rounds {
    /* Its memory is struct gravelp_rounds, of which the words that a launch changes are 0 before each; its kernel 0 the
     * phases. */
    struct gravel_object object;
    struct gravel_scheduling scheduling; /* of launches; by the host: each is a phase */
    uint32_t group_items, n_groups;
    uint32_t n_phases;     /* of the kernel that is launched by the phase; 0: not counted yet */
    uint32_t slice_rounds; /* that a launch which stays has at most */
    uint64_t n_changes;    /* of the allocation table, when the kernel got it */
    uint64_t sum, number;  /* counted in the last round; of the next one, if a run continues */
    /* Of several nodes, each of its own process. */
    uint64_t nodes_at;          /* heap offset of what they meet by, of all rounds; 0: none */
    uint32_t room;              /* messages of a round to each other node */
    uint32_t *counts;           /* [n_nodes] of messages */
    uint32_t *ahead;            /* [n_nodes] bytes of messages that are read with a report */
    struct gravel_pinned image; /* of the report and the answer */
    struct gravel_rounds_stats stats;
};

static inline bool gravel_rounds_stay(const struct gravel_rounds *rounds)
{
    return rounds->scheduling.scheduler == GRAVEL_SCHEDULER_RESIDENT;
}

#endif
