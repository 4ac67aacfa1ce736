/* SPDX-License-Identifier: MIT */
/*
 * A kernel for each type and form of wait. Each work-group has a word of its own heap; work-item 0 of those that are to
 * change it puts `after` there, and all wait. seen[i] is the word as the work-item finds it then, 0 if the wait failed.
 *
 * Path:  waits.c fills words and arguments -> these kernels -> waits.c.
 */
#include "gravel.cl.h"

#define PARAMETERS(type) \
    GRAVEL_ARENA, ulong words, uint changes, uint compare, type after, type bound, global type *seen

#define START(type)                                                         \
    GRAVEL_OPEN(g);                                                         \
    uint i = (uint)get_global_id(0), group = (uint)(i / get_local_size(0)); \
    ulong offset = words + sizeof(type) * group;

#define END(type) seen[i] = holds ? *(global const type *)gravel_local(g, offset) : 0;

#define WAITS(type)                                                                       \
    kernel void wait_##type(PARAMETERS(type))                                             \
    {                                                                                     \
        START(type)                                                                       \
        gravel_put_##type##_wg_if(g, changes &&get_local_id(0) == 0, words, group, after, \
                                  gravel_node(g));                                        \
        bool holds = gravel_wait_until_##type##_wg(g, offset, compare, bound);            \
        END(type)                                                                         \
    }                                                                                     \
    kernel void wait_##type##_wi(PARAMETERS(type))                                        \
    {                                                                                     \
        START(type)                                                                       \
        if (changes && get_local_id(0) == 0)                                              \
            gravel_put_##type##_wi(g, words, group, after, gravel_node(g));               \
        bool holds = gravel_wait_until_##type##_wi(g, offset, compare, bound);            \
        END(type)                                                                         \
    }

WAITS(int)
WAITS(uint)
#ifdef GRAVEL_HAS_LONG_WAITS
WAITS(long)
WAITS(ulong)
#endif
