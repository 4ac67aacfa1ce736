/* SPDX-License-Identifier: MIT */
/*
 * A round in a kernel: which channel element each work-item processes.
 *
 * With scheduler host a launch is one round: work-item i of the launch has the round's i-th CE, and no loop is around
 * the nodes.
 *
 * Path:    GRAVEL_FLOW_OPEN, GRAVEL_ROUNDS and GRAVEL_NODE of flow.cl.h -> this -> channel.cl.h.
 * Memory:  the round was written before the launch.
 * Source:  Orr 2016, section 4.2 (channel-flow graphs).
 */
#ifndef GRAVELP_ROUND_CL_H
#define GRAVELP_ROUND_CL_H

#include "channel.cl.h"

#ifdef GRAVELP_FLOW_SIGN

/* Every work-item: its part of the round. A kernel of another graph has none. */
GRAVELP_INLINE struct gravel_flow_group
gravelp_round_open(struct gravel_group group, global struct gravelp_flow *flow,
                   local struct gravelp_flow_scratch *scratch)
{
    bool is_known = flow->version == GRAVELP_FLOW_VERSION && flow->sign == GRAVELP_FLOW_SIGN;
    uint item = (uint)get_global_id(0);
    if (!is_known && gravelp_is_leader())
        gravelp_flow_fault(flow, GRAVELP_FLOW_FAULT_SIGN, 0, flow->sign, GRAVELP_FLOW_SIGN);
    return (struct gravel_flow_group){group,
                                      flow,
                                      scratch,
                                      is_known ? flow->round.channel : GRAVELP_FLOW_N_CHANNELS,
                                      flow->round.level,
                                      flow->round.first + item,
                                      is_known && item < flow->round.n};
}

#endif

#endif
