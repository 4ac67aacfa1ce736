/* SPDX-License-Identifier: MIT */
/*
 * A kernel of rounds: in each, an active work-item sends its message, by the call that CALL names; with IS_INC it has no value.
 *
 * Path:  words.c fills arrays, and builds this for each operation and type -> words.c compares.
 */
#include "gravel.cl.h"

#ifdef IS_INC
#define SEND(i) CALL(r.group, base, indices[i], nodes[i])
#else
#define SEND(i) CALL(r.group, base, indices[i], values[i], nodes[i])
#endif

kernel void send(GRAVEL_ARENA, GRAVEL_ROUND, ulong base, global const uint *active,
                 global const uint *nodes, global const uint *indices, global const TYPE *values,
                 uint n)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, all)
        {
            uint n_sent = 0;
            for (uint i = gravel_round_item(r); i < n; i += gravel_round_items(r))
                if (active[i]) {
                    SEND(i);
                    n_sent++;
                }
            gravel_round_count_wg(r, n_sent);
        }
    }
}
