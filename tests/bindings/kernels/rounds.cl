/* SPDX-License-Identifier: MIT */
/* Rounds 0 to n - 1 count: one work-item of each process increments word [number of the round] of every node. */
#include "gravel.cl.h"

kernel void steps(GRAVEL_ARENA, GRAVEL_ROUND, ulong words, uint n)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, tell)
        {
            const uint number = (uint)gravel_round_number(r);
            if (number < n && gravel_round_item(r) == 0) {
                for (uint node = 0; node < gravel_n_nodes(r.group); node++)
                    gravel_inc_uint_wi(r.group, words, number, node);
                gravel_round_count_wi(r, 1);
            }
        }
    }
}
