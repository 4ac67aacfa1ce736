/* SPDX-License-Identifier: MIT */
/*
 * A single update.
 *
 * Path: test_objects.c -> this -> cl/accumulator.cl.h
 */
#include "gravel.cl.h"
#include "accumulator.cl.h"

kernel void one(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a), ulong index, uint value, ulong node)
{
    GRAVEL_OPEN(g);
    gravel_accumulate_uint_wi(g, a, index, value, node);
}
