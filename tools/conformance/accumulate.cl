/* SPDX-License-Identifier: MIT */
/*
 * A kernel for each type: an active work-item adds its value to its word by the accumulator.
 *
 * Path:  words.c fills arrays -> these kernels -> the accumulator -> words.c compares.
 */
#include "gravel.cl.h"
#include "accumulator.cl.h"

#define ACCUMULATES(type)                                                                    \
    kernel void accumulate_##type##_wi(GRAVEL_ARENA, ulong base, global const uint *active,  \
                                       global const uint *nodes, global const uint *indices, \
                                       global const type *values, GRAVEL_ACCUMULATOR(a))     \
    {                                                                                        \
        GRAVEL_OPEN(g);                                                                      \
        size_t i = get_global_id(0);                                                         \
        (void)base;                                                                          \
        if (active[i])                                                                       \
            gravel_accumulate_##type##_wi(g, a, indices[i], values[i], nodes[i]);            \
    }

ACCUMULATES(int)
ACCUMULATES(uint)
ACCUMULATES(float)
#ifdef GRAVELP_HAS_LONG_UPDATES
ACCUMULATES(long)
ACCUMULATES(ulong)
#ifdef GRAVEL_HAS_DOUBLE
ACCUMULATES(double)
#endif
#endif
