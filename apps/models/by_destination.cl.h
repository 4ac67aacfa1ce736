/* SPDX-License-Identifier: MIT */
/*
 * A work-group sorts its messages by destination: how many go to each node, and each one's number among them.
 *
 * It is a counting sort whose last step, to move the messages, is left to the caller, which writes them to their positions
 * anyway. The host defines MODEL_NODES.
 *
 * Path:    coalesced.cl.h and coprocessor.cl.h -> this -> gravel.cl.h
 * Memory:  counts and ranks are local, between barriers of the group.
 * Source:  Orr 2016, section 3.3.
 */
#include "gravel.cl.h"

struct model_scratch {
    struct gravelp_scratch gravel; /* the first member, and what GRAVEL_OPEN hands out */
    uint n_to[MODEL_NODES];        /* messages of this call for each node */
    uint at[MODEL_NODES];          /* where they go in its queue (coprocessor) */
};

#undef GRAVEL_OPEN
#define GRAVEL_OPEN(g)                                               \
    local struct model_scratch model_scratch_;                       \
    struct gravel_group g = {gravel_arena_, &model_scratch_.gravel}; \
    gravelp_open(g)

GRAVELP_INLINE local struct model_scratch *model_scratch(struct gravel_group g)
{
    return (local struct model_scratch *)g.scratch;
}

/* This work-item's number among the group's messages to the same node; GRAVELP_INACTIVE if it sends none. */
GRAVELP_INLINE uint model_rank(struct gravel_group g)
{
    return g.scratch->lanes[gravelp_lane_index()];
}

/* Each node is one work-item's to care for: the leader's if the group runs on one thread. */
#ifdef GRAVELP_SERIAL_GROUP
#define MODEL_FOR_MY_NODES(d) \
    if (gravelp_is_leader())  \
        for (uint d = 0; d < MODEL_NODES; d++)
#else
#define MODEL_FOR_MY_NODES(d) \
    for (uint d = (uint)gravelp_lane_id(); d < MODEL_NODES; d += gravelp_n_lanes())
#endif

/* Every work-item of the group. When it returns, all know n_to and their ranks, until the next call. */
GRAVELP_INLINE void model_sort(struct gravel_group g, uint active, uint node)
{
    local uint *n_to = model_scratch(g)->n_to;
    bool is_sent = active && node < MODEL_NODES;
    gravelp_barrier_group(); /* no work-item needs the last call's counts */
    MODEL_FOR_MY_NODES(d)
    n_to[d] = 0;
    gravelp_barrier_group(); /* the counts are 0 */
    gravelp_lane_set(g.scratch, is_sent ? atomic_inc(&n_to[node]) : GRAVELP_INACTIVE);
    gravelp_barrier_group(); /* counts and ranks are known */
}
