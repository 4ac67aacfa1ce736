/* SPDX-License-Identifier: MIT */
/*
 * Messages that go where their keys live: the program says of which node a key is, by GRAVEL_NODE_OF(key, n), n being
 * the number of nodes, in its text before the include.
 *
 * A transaction goes to the node of its lesser key, that of the lesser node: there it waits for the first of its
 * locks.
 *
 * Path:    send.cl.h, outbox.cl.h -> this.
 */
#ifndef GRAVELP_BY_KEY_CL_H
#define GRAVELP_BY_KEY_CL_H

#include "queue.cl.h"

/* How many nodes there are. A constant, if the program was built for a node alone: then no key is divided by it. */
#if defined(GRAVELP_IS_ALONE)
#define GRAVELP_N_NODES(arena) ((void)(arena), 1u)
#else
#define GRAVELP_N_NODES(arena) ((arena)->n_nodes)
#endif

/* As the node of a message whose handler has keys: where they live. In programs of gravel_server_build, which know
 * what handlers have keys; in other programs there is no such node, and the message is refused. Not 0xffffffff, which
 * programs have for "none", and the host for GRAVEL_ALL_NODES: a message to that node is refused. */
#if defined(GRAVEL_NODE_OF)
#define GRAVEL_BY_KEY 0xfffffffeu
#else
#define GRAVEL_BY_KEY gravel_error_define_GRAVEL_NODE_OF_before_the_include
#endif

#if defined(GRAVEL_NODE_OF) && defined(GRAVELP_IS_KEYED)

GRAVELP_INLINE ulong gravelp_node_of(ulong key, uint n_nodes)
{
    (void)n_nodes;
    return GRAVEL_NODE_OF(key, n_nodes);
}

/* Any work-item: the node to send to. */
GRAVELP_INLINE ulong gravelp_send_to(struct gravel_group g, uint command, ulong first, ulong second,
                                     ulong node)
{
    const uint handler = GRAVELP_COMMAND_HANDLER(command);
    if (node != GRAVEL_BY_KEY || !GRAVELP_IS_CALL(command & ~GRAVELP_COMMAND_CHECKED) ||
        !GRAVELP_IS_KEYED(handler))
        return node;
    const uint n_nodes = GRAVELP_N_NODES(g.arena);
    const ulong of_first = gravelp_node_of(first, n_nodes);
    const ulong of_second = GRAVELP_IS_PAIR(handler) ? gravelp_node_of(second, n_nodes) : of_first;
    return of_first < of_second ? of_first : of_second;
}

/* Any work-item: whether a message for this node has all its keys here. */
GRAVELP_INLINE bool gravelp_has_keys_here(struct gravel_group g, uint command, ulong first,
                                          ulong second)
{
    const uint n_nodes = GRAVELP_N_NODES(g.arena);
    return !GRAVELP_IS_PAIR(GRAVELP_COMMAND_HANDLER(command)) ||
           gravelp_node_of(first, n_nodes) == gravelp_node_of(second, n_nodes);
}

/* Any work-item: replace GRAVEL_BY_KEY by a node. */
#define GRAVELP_ADDRESS(g, command, values, node) \
    node = gravelp_send_to(g, command, (values).value[0], (values).value[1], node)
#define GRAVELP_HAS_KEYS_HERE(g, command, values) \
    gravelp_has_keys_here(g, command, (values).value[0], (values).value[1])

#else

#define GRAVELP_ADDRESS(g, command, values, node) (void)0
#define GRAVELP_HAS_KEYS_HERE(g, command, values) true

#endif

#endif
