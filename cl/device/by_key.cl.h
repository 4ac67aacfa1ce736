/* SPDX-License-Identifier: MIT */
/*
 * Messages that go where their keys live: the program says of which node a key is, by GRAVEL_NODE_OF(key, n), n being
 * the number of nodes, in its text before the include. A transaction runs at the node of both its keys, or is a fault.
 *
 * Path:    send.cl.h, outbox.cl.h -> this; call.cl.h checks a transaction's keys.
 */
#ifndef GRAVELP_BY_KEY_CL_H
#define GRAVELP_BY_KEY_CL_H

#include "queue.cl.h"

/* This node's number, and how many there are. Constants, if the program was built for a node alone: then no key is
 * divided by the latter. */
#if defined(GRAVELP_IS_ALONE)
#define GRAVELP_NODE(arena) ((void)(arena), 0u)
#define GRAVELP_N_NODES(arena) ((void)(arena), 1u)
#else
#define GRAVELP_NODE(arena) ((arena)->node)
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

#if defined(GRAVEL_NODE_OF)
GRAVELP_INLINE ulong gravelp_node_of(ulong key, uint n_nodes)
{
    (void)n_nodes;
    return GRAVEL_NODE_OF(key, n_nodes);
}
#endif

#if defined(GRAVEL_NODE_OF) && defined(GRAVELP_IS_KEYED)
/* Any work-item: the node to send to. */
GRAVELP_INLINE ulong gravelp_send_to(struct gravel_group g, uint command, ulong key, ulong node)
{
    const bool is_by_key = node == GRAVEL_BY_KEY &&
                           GRAVELP_IS_CALL(command & ~GRAVELP_COMMAND_CHECKED) &&
                           GRAVELP_IS_KEYED(GRAVELP_COMMAND_HANDLER(command));
    return is_by_key ? gravelp_node_of(key, GRAVELP_N_NODES(g.arena)) : node;
}

/* Any work-item: replace GRAVEL_BY_KEY by the node of the first key. */
#define GRAVELP_ADDRESS(g, command, values, node) \
    node = gravelp_send_to(g, command, (values).value[0], node)
#else
#define GRAVELP_ADDRESS(g, command, values, node) (void)0
#endif

#endif
