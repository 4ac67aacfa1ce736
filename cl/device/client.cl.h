/* SPDX-License-Identifier: MIT */
/*
 * Clients: work-groups that take the launch's work-items, a virtual group after another, and send to servers of this
 * node and to other nodes.
 *
 * Path:    server.cl.h -> this -> outbox.cl.h, send.cl.h.
 * Memory:  G1 within the group; the counter of virtual groups is relaxed: it says all.
 */
#ifndef GRAVELP_CLIENT_CL_H
#define GRAVELP_CLIENT_CL_H

#include "outbox.cl.h"

#define GRAVELP_NO_ITEM ((ulong)-1)
#if defined(GRAVELP_IS_ALONE)
#define GRAVELP_OWN_NODE(g) 0
#else
#define GRAVELP_OWN_NODE(g) ((g).arena->node)
#endif

/* ---- virtual groups ---------------------------------------------------------------------------- */

/*
 * Leader: whether the group's packages would wait for room that only the end of the kernel makes: on step drain, and
 * where servers run beside their clients, for then the network thread may wait for its turn to serve.
 */
GRAVELP_INLINE bool gravelp_client_must_end(global struct gravelp_arena *arena)
{
    global struct gravelp_queue_words *words =
        gravelp_queue_words(arena, gravelp_queue_of_group(arena));
#if !defined(GRAVELP_RESIDENT)
    if (arena->wait_ms != 0)
        return false;
#endif
    return gravelp_load_relaxed(&words->reserved) - gravelp_load_relaxed(&words->consumed) >=
           (arena->n_slots + 1) /
               2; /* relaxed: how many, and the host takes them between kernels */
}

/* Leader: the first work-item of the next virtual group, or GRAVELP_NO_ITEM. */
GRAVELP_INLINE ulong gravelp_client_next(struct gravel_group g)
{
    global struct gravelp_arena *arena = g.arena;
    global struct gravelp_servers *servers = gravelp_servers(arena);
    if (g.outbox->is_server)
        return GRAVELP_NO_ITEM;
    if (arena->servers_offset == 0 || servers->launch == GRAVELP_LAUNCH_NONE) {
        gravelp_fault(arena, GRAVELP_FAULT_ROLE, 0, 0, 0);
        return GRAVELP_NO_ITEM;
    }
    if (gravelp_load_relaxed(&servers->is_full) || gravelp_client_must_end(arena))
        return GRAVELP_NO_ITEM;
    uint next = gravelp_device_fetch_add_relaxed(&servers->next, 1);
    ulong first = (ulong)next * gravelp_n_lanes();
    return next < servers->stop_at && first < servers->n_items ? first : GRAVELP_NO_ITEM;
}

/* Every work-item of the group: its item of the next virtual group; GRAVELP_NO_ITEM for all of them at the end. */
GRAVELP_INLINE ulong gravelp_client_take(struct gravel_group g)
{
    gravelp_group_meet_apart(g.arena); /* G1: all know the group before */
    if (gravelp_is_leader())
        g.outbox->first = gravelp_client_next(g);
    gravelp_group_meet(g.arena); /* G1: the group is known */
    return g.outbox->first == GRAVELP_NO_ITEM ? GRAVELP_NO_ITEM
                                              : g.outbox->first + gravelp_lane_id();
}

GRAVELP_INLINE uint gravelp_client_has(struct gravel_group g, ulong item)
{
    return item != GRAVELP_NO_ITEM && item < gravelp_servers(g.arena)->n_items;
}

/* ---- messages ---------------------------------------------------------------------------------- */

/*
 * Every work-item of the group: messages for this node to its servers, for other nodes as any message. Where there is
 * no other node, the few for nodes that do not exist go one by one, and are refused.
 */
GRAVELP_INLINE void gravelp_client_send(struct gravel_group g, uint active, uint command,
                                        struct gravelp_values values, ulong node)
{
    GRAVELP_ADDRESS(g, command, values, node);
    const bool is_here = node == GRAVELP_OWN_NODE(g);
#if defined(GRAVELP_SERIAL_GROUP)
    gravelp_outbox_add(g, active, command, values, is_here, node);
#else
    gravelp_outbox_add(g, active && is_here, command, values);
#endif
#if !defined(GRAVELP_IS_ALONE)
    gravelp_send_wg_if(g, active && !is_here, command, 0, GRAVELP_NO_REPLY, 0, values, node);
#elif !defined(GRAVELP_SERIAL_GROUP)
    if (active && !is_here)
        gravelp_send_wi(g, command, 0, GRAVELP_NO_REPLY, 0, values, node);
#endif
}

#endif
