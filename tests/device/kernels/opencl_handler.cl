/* SPDX-License-Identifier: MIT */
/*
 * Handlers in OpenCL C. table: heap offset of uint [4096].
 *
 * Path: test_opencl_handler.c -> this -> cl/gravel.cl.h
 */
#include "gravel.cl.h"

void tally(struct gravel_call call, ulong table, ulong key)
{
    volatile global uint *counters = gravel_call_local(call, table);
    atomic_inc(&counters[key]);
}

/* Increments a word after n divisions that wait for each other. */
void turn(struct gravel_call call, ulong at, ulong n)
{
    global uint *word = gravel_call_local(call, at);
    uint turned = 1;
    for (ulong i = 0; i < n; i++)
        turned = 0xfffffffdu / (turned | 1) + (uint)i;
    *word += 1 + (turned == 0xffffffffu);
}

void nothing(struct gravel_call call)
{
    (void)call;
}
