/* SPDX-License-Identifier: MIT */
/*
 * Held channels in a kernel: elements (CEs) that the last of their arrivals enqueues, and that stay until they are
 * freed.
 *
 * A CE is named by its free-running index, so that a name that is kept too long differs from the name of the CE that
 * has its column in a later lap.
 *
 * Path:    gravel_hold, gravel_arrive, gravel_tfree of flow.cl.h -> this -> channel.cl.h.
 * Memory:  all is relaxed (K8, K9): what arrivals stored is read by the CE's node, and the room of freed CEs is used,
 *          in later rounds.
 * Source:  Orr 2016, section 4.1 (enq, deq, tfree); the joins are ours.
 */
#ifndef GRAVELP_HELD_CL_H
#define GRAVELP_HELD_CL_H

#include "channel.cl.h"

#ifdef GRAVELP_FLOW_SIGN

GRAVELP_INLINE bool gravelp_is_held(uint channel)
{
    return gravelp_channels[channel].kind == GRAVEL_HELD;
}

GRAVELP_INLINE uint gravelp_state_of(uint channel, gravel_ce ce, uint joins)
{
    return gravelp_held_state(gravelp_channels[channel].width, ce, joins);
}
GRAVELP_INLINE global uint *gravelp_held_states(struct gravel_flow_group f, uint channel)
{
    return gravelp_rows(f) + gravelp_channels[channel].states;
}

/* A work-item that has reserved a CE: how many arrivals it waits for. */
GRAVELP_INLINE void gravelp_held_begin(struct gravel_flow_group f, uint channel, gravel_ce ce,
                                       uint joins)
{
    if (joins > GRAVEL_MOST_JOINS)
        gravelp_flow_fault(f.flow, GRAVELP_FLOW_FAULT_JOINS, channel, joins, GRAVEL_MOST_JOINS);
    else if (ce < GRAVELP_NO_CE)
        gravelp_device_store_relaxed(gravelp_held_states(f, channel) + gravelp_column(channel, ce),
                                     gravelp_state_of(channel, ce, joins)); /* K8 */
}

/* Any work-item: one arrival. @return whether it is the last, so that the CE is to be enqueued. */
GRAVELP_INLINE bool gravelp_held_arrive(struct gravel_flow_group f, uint channel, gravel_ce ce)
{
    global uint *state = gravelp_held_states(f, channel) + gravelp_column(channel, ce);
    uint last = gravelp_state_of(channel, ce, 1);
    if (ce >= GRAVELP_NO_CE)
        return false;
    uint left = gravelp_device_fetch_add_relaxed(state, 0xffffffffu); /* K8 */
    if (left - last >= GRAVEL_MOST_JOINS)
        gravelp_flow_fault(f.flow, GRAVELP_FLOW_FAULT_JOIN, channel, left, last);
    return left == last;
}

/* Any work-item: enqueue a CE at a position. */
GRAVELP_INLINE void gravelp_held_enqueue(struct gravel_flow_group f, uint channel, gravel_ce ce,
                                         uint position)
{
    global uint *ring = gravelp_held_states(f, channel) + gravelp_channels[channel].width;
    GRAVELP_ROW_STORE(ring + gravelp_column(channel, position), ce & GRAVELP_CE_MASK); /* K8 */
}

/* Any work-item: free a CE that has been enqueued. */
GRAVELP_INLINE void gravelp_held_free(struct gravel_flow_group f, uint channel, gravel_ce ce)
{
    uint width = gravelp_channels[channel].width, enqueued = gravelp_state_of(channel, ce, 0);
    if (ce >= GRAVELP_NO_CE)
        return;
    uint state = gravelp_device_fetch_add_relaxed(gravelp_held_states(f, channel) +
                                                      gravelp_column(channel, ce),
                                                  GRAVELP_JOINS_FREED); /* K9 */
    if (state != enqueued)
        gravelp_flow_fault(f.flow, GRAVELP_FLOW_FAULT_FREE, channel, state, enqueued);
    else
        gravelp_device_fetch_add_relaxed(
            gravelp_flow_words(f.flow, f.flow->done_at + gravelp_channels[channel].done +
                                           gravelp_held_done_of(width, ce)),
            1); /* K9 */
}

/* The CE of the round that a work-item has. */
GRAVELP_INLINE gravel_ce gravelp_held_taken(struct gravel_flow_group f, uint channel)
{
    return GRAVELP_ROW_LOAD(gravelp_held_states(f, channel) + gravelp_channels[channel].width +
                            gravelp_column(channel, f.index)); /* K8 */
}

#endif

#endif
