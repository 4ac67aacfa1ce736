/* SPDX-License-Identifier: MIT */
/*
 * Kernels whose messages gravel-info --measure times. words: heap offset of uint [1 << 20], of which words[0] is the
 * signal of an ask; n: messages of a work-item, except in a round.
 *
 * Path: measure.c -> this -> words of the next node.
 */
#include "gravel.cl.h"

#define PARAMETERS GRAVEL_ARENA, ulong words, uint node, uint n
#define INDEX(i, k) (1 + ((i) + (k)) * 2654435761u % 1000003u)

kernel void nothing(PARAMETERS)
{
    GRAVEL_OPEN(g);
    (void)g, (void)words, (void)node, (void)n;
}

kernel void send(PARAMETERS)
{
    GRAVEL_OPEN(g);
    for (uint k = 0; k < n; k++)
        gravel_put_uint_wg(g, words, INDEX((uint)get_global_id(0), k), k, node);
}

/* One work-item of each group sends: a slot of the queue has one message. */
kernel void send_alone(PARAMETERS)
{
    GRAVEL_OPEN(g);
    for (uint k = 0; k < n; k++)
        gravel_put_uint_wg_if(g, get_local_id(0) == 0, words, INDEX((uint)get_global_id(0), k), k,
                              node);
}

kernel void ask(PARAMETERS)
{
    GRAVEL_OPEN(g);
    struct gravel_reply reply = {words + 4, words};
    const uint before = *(global const uint *)gravel_local(g, words);
    for (uint k = 1; k <= n; k++) {
        gravel_get_uint_wg(g, words, 2, reply, 0, node);
        if (!gravel_wait_until_uint_wg(g, words, GRAVEL_CMP_EQ, before + k))
            return;
    }
}

#ifdef GRAVEL_ROUND
/* In each round n work-items send a message each. */
GRAVEL_ROUND_KERNEL void stay(GRAVEL_ARENA, GRAVEL_ROUND, ulong words, uint node, uint n)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, send)
        {
            uint n_sent = 0;
            for (uint i = gravel_round_item(r); i < n; i += gravel_round_items(r), n_sent++)
                gravel_inc_uint_wi(r.group, words, INDEX(i, 0), node);
            gravel_round_count_wg(r, n_sent);
        }
    }
}
#endif
