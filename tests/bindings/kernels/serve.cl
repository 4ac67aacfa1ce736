/* SPDX-License-Identifier: MIT */
/*
 * Clients and a handler with keys: each client adds to a bucket. Built with or without SCALE.
 *
 * Path: test_tasks.py, tests/cxx/test_cxx.cpp -> this
 */
#include "gravel.cl.h"
#ifndef SCALE
#define SCALE 1
#endif

void insert(struct gravel_call call, ulong bucket, ulong amount)
{
    global uint *sums = gravel_call_local(call, call.constants[0]);
    sums[bucket] += (uint)amount * SCALE;
}
kernel void serve(GRAVEL_ARENA, uint n_buckets, uint amount)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(insert), item % n_buckets, amount * SCALE,
                         gravel_node(g));
    }
}
