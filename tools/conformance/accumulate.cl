/* SPDX-License-Identifier: MIT */
/*
 * A kernel for each type: an active work-item adds its value to its word by the accumulator; a long also by fixed point.
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
#else
#define gravel_accumulate_fixed_double_wi gravel_accumulate_fixed_float_wi
#endif

/* Adds a long 16 bits at a time: the lowest with a fraction that is rounded away, the highest in halves, which are in range. */
kernel void accumulate_fixed_wi(GRAVEL_ARENA, ulong base, global const uint *active,
                                global const uint *nodes, global const uint *indices,
                                global const long *values, GRAVEL_ACCUMULATOR(a))
{
    GRAVEL_OPEN(g);
    size_t i = get_global_id(0);
    long value = values[i], low = value & 0xffff, high = value >> 48;
    uint index = indices[i], node = nodes[i];
    (void)base;
    if (active[i]) {
        gravel_accumulate_fixed_float_wi(g, a, index, low + (low & 1 ? -0.25f : 0.5f), 0, node);
        gravel_accumulate_fixed_double_wi(g, a, index, value >> 16 & 0xffff, 16, node);
        gravel_accumulate_fixed_float_wi(g, a, index, value >> 32 & 0xffff, 32, node);
        gravel_accumulate_fixed_float_wi(g, a, index, high >> 1, 48, node);
        gravel_accumulate_fixed_double_wi(g, a, index, high - (high >> 1), 48, node);
    }
}
#endif
