/* SPDX-License-Identifier: MIT */
/*
 * A flow whose task counts at the next node, and pushes itself again. word: heap offset of a uint.
 *
 * Path: works.c -> this -> cl/flow.cl.h
 */
#include "gravel.cl.h"

struct again {
    uint left;
};
GRAVEL_RECORD(again)

kernel void run(GRAVEL_ARENA, GRAVEL_FLOW, ulong word, uint next)
{
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, again) {
            struct again it = gravel_read_again_wi(f);
            gravel_inc_uint_wg_if(f.group, f.active, word, 0, next);
            gravel_push_again_wg_if(f, f.active && it.left, (struct again){it.left - 1});
        }
    }
}
