/* SPDX-License-Identifier: MIT */
/*
 * Updates of each type, of few elements and of many; and a single one. The host defines WIDE where the device has types of
 * 8 bytes.
 *
 * Path: accumulator_adds.c -> this -> cl/accumulator.cl.h
 */
#include "gravel.cl.h"
#include "accumulator.cl.h"

#define ADDS(type)                                                                        \
    kernel void adds_##type(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a), uint n, uint c)          \
    {                                                                                     \
        GRAVEL_OPEN(g);                                                                   \
        uint i = (uint)get_global_id(0), mixed = (i * 2654435761u + c * 40503u) >> 4;     \
        uint index = i % 7 ? mixed / 64 % 2500 : i % 3;                                   \
        type value = (type)((i * 37 + c * 11) % 1000);                                    \
        if (i < n)                                                                        \
            gravel_accumulate_##type##_wi(g, a, index, value, mixed % gravel_n_nodes(g)); \
    }
ADDS(int)
ADDS(uint)
ADDS(float)
#ifdef WIDE
ADDS(long)
ADDS(ulong)
ADDS(double)
#endif

kernel void one(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a), ulong index, uint value, ulong node)
{
    GRAVEL_OPEN(g);
    gravel_accumulate_uint_wi(g, a, index, value, node);
}
