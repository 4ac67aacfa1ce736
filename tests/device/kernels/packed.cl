/* SPDX-License-Identifier: MIT */
/*
 * Each work-item adds 1 to a word of node 1.
 *
 * Path: test_packed.c -> this -> cl/accumulator.cl.h
 */
#include "gravel.cl.h"
#include "accumulator.cl.h"

kernel void add(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a))
{
    GRAVEL_OPEN(g);
    gravel_accumulate_uint_wi(g, a, get_global_id(0), 1, 1);
}
