/* SPDX-License-Identifier: MIT */
/*
 * Kernels of clients and servers: a critical section is a message to the work-group that owns the datum.
 *
 *     void insert(struct gravel_call call, ulong bucket, ulong node)       registered with n_args 2, n_keys 1
 *     {
 *         global uint *head = gravel_call_local(call, call.constants[0]);
 *         global uint *next = gravel_call_local(call, call.constants[1]);
 *         next[node] = head[bucket];
 *         head[bucket] = (uint)node;
 *     }
 *     kernel void build(GRAVEL_ARENA, global const uint *keys)
 *     {
 *         GRAVEL_SERVER_OPEN(g);
 *         GRAVEL_SERVE(g, item, active)
 *             gravel_am2_wg_if(g, active, GRAVEL_HANDLER(insert), bucket_of(active ? keys[item] : 0), item,
 *                              gravel_node(g));
 *     }
 *
 * Work-groups take virtual groups of work-items until none is left; the kernel asks for no global id.
 *
 * Path:    gravel.cl.h -> this -> device/outbox.cl.h, device/serving.cl.h.
 * Memory:  G1 within the group; the counter of virtual groups is relaxed: nothing else is read by it.
 * Source:  Wang, Fussell, Lin, Fast Fine-Grained Global Synchronization on GPUs, ASPLOS 2019.
 */
#ifndef GRAVEL_SERVER_CL_H
#define GRAVEL_SERVER_CL_H

#include "serving.cl.h"

#define GRAVELP_NO_ITEM ((ulong)-1)

/* ---- virtual groups ---------------------------------------------------------------------------- */

/*
 * Leader: whether the group's packages would wait for room that only the end of the kernel makes: on step drain, and
 * where servers run concurrently with clients, for then the network thread may wait for the lock on serving.
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
    const bool is_here = node == GRAVELP_NODE(g.arena);
    gravelp_outbox_add(g, active && is_here, command, values);
#if !defined(GRAVELP_IS_ALONE)
    gravelp_send_wg_if(g, active && !is_here, command, 0, GRAVELP_NO_REPLY, 0, values, node);
#else
    if (active && !is_here)
        gravelp_send_wi(g, command, 0, GRAVELP_NO_REPLY, 0, values, node);
#endif
}

/* ---- kernels of clients and servers ------------------------------------------------------------ */

/*
 * Opens the kernel instead of GRAVEL_OPEN. In the kernel's own text after it, gravel_amN_wg and gravel_amN_wg_if with
 * a handler that has a key go to the servers of this device if `node` is this node.
 */
#define GRAVEL_SERVER_OPEN(g)                                 \
    GRAVELP_LOCAL(GRAVELP_CLIENT, gravelp_client, outbox);    \
    GRAVEL_OPEN(g);                                           \
    enum { gravelp_in_server_ = 1 };                          \
    g.outbox = (local struct gravelp_outbox *)gravelp_client; \
    gravelp_outbox_open(g)

/*
 * Every work-item of the group: the kernel's one loop. It declares `item`, a ulong, the work-item's number of the
 * launch's n_items, and `active`, the predicate for _wg_if calls: 1 where there is such an item. No break, no return.
 * Clients read what served handlers wrote in the next launch, or by a handler.
 */
#define GRAVEL_SERVE(g, item, active)                                                       \
    for (uint gravelp_serves_ = gravelp_serve_begin((g)); gravelp_serves_;                  \
         gravelp_serves_ = gravelp_serve_end((g)))                                          \
        for (ulong item = gravelp_client_take((g)), active = gravelp_client_has((g), item); \
             item != GRAVELP_NO_ITEM;                                                       \
             item = gravelp_client_take((g)), active = gravelp_client_has((g), item))

/* ---- calls --------------------------------------------------------------------------------------- */

/*
 * A handler with one key and max_pending sends a message to a handler with one key on this node, in a
 * gravel_server_launch. Any work-item may call; it never waits. The handler of the message sees what the caller stored
 * before. At most max_pending messages of the caller's handler may wait at one server; a full ring is a fault.
 */
#define gravel_serve_am1(call, handler, a0) GRAVELP_SERVE_AM(call, handler, 1, a0, 0, 0, 0)
#define gravel_serve_am2(call, handler, a0, a1) GRAVELP_SERVE_AM(call, handler, 2, a0, a1, 0, 0)
#define gravel_serve_am3(call, handler, a0, a1, a2) \
    GRAVELP_SERVE_AM(call, handler, 3, a0, a1, a2, 0)
#define gravel_serve_am4(call, handler, a0, a1, a2, a3) \
    GRAVELP_SERVE_AM(call, handler, 4, a0, a1, a2, a3)

/* Only a program of gravel_server_build knows the handlers. */
#ifndef GRAVELP_IS_SERVED
#define GRAVELP_IS_SERVED(handler, n_args) 1
#endif
#define GRAVELP_SERVE_AM(call, handler, n_args, ...)                                        \
    do {                                                                                    \
        typedef char gravel_error_no_handler_with_one_key_and_so_many_arguments             \
            [GRAVELP_IS_SERVED(handler, n_args) ? 1 : -1] __attribute__((unused));          \
        gravelp_serve_send((call).arena, (call).sends, GRAVELP_COMMAND_AM(handler, n_args), \
                           GRAVELP_VALUES(0, __VA_ARGS__));                                 \
    } while (0)

/* In a program of gravel_server_build, which says what handlers have keys; in checked mode all go to the host. */
enum { gravelp_in_server_ = 0 };
#if defined(GRAVELP_IS_KEYED) && (!defined(GRAVEL_CHECK) || !GRAVEL_CHECK)
#undef GRAVELP_SEND_WG
#undef GRAVELP_SEND_WG_IF
#define GRAVELP_IS_FOR_SERVERS(command)                                \
    (gravelp_in_server_ && GRAVELP_COMMAND_OP(command) == GRAVEL_AM && \
     GRAVELP_IS_KEYED(GRAVELP_COMMAND_HANDLER(command)))
#define GRAVELP_SEND_WG_IF(g, active, command, base, reply, index, values, node) \
    (GRAVELP_IS_FOR_SERVERS(command)                                             \
         ? gravelp_client_send(g, active, command, values, node)                 \
         : (void)gravelp_send_wg_if(g, active, command, base, reply, index, values, node))
#define GRAVELP_SEND_WG(g, command, base, reply, index, values, node) \
    (GRAVELP_IS_FOR_SERVERS(command)                                  \
         ? gravelp_client_send(g, 1, command, values, node)           \
         : (void)gravelp_send_wg(g, command, base, reply, index, values, node))
#endif

#endif
