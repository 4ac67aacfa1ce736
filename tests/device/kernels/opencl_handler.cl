/* SPDX-License-Identifier: MIT */
/*
 * Handlers in OpenCL C. table: heap offset of uint [4096]. draw: answers the numbers of a key one after the other, by a plain
 * load and store; of NUMBER.
 *
 * Path: test_opencl_handler.c -> this -> cl/gravel.cl.h
 */
#include "gravel.cl.h"

#if !defined(NUMBER)
#define NUMBER ulong
#endif

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

NUMBER draw(struct gravel_call call, NUMBER key, NUMBER table)
{
    volatile global uint *number = (volatile global uint *)gravel_call_local(call, table) + key;
    const uint drawn = *number;
    uint n_same = 0;
    for (uint i = 0; i < 30000; i++) /* for others to come between */
        n_same += *number == drawn;
    *number = drawn + 1;
    return (NUMBER)((n_same == 30000 ? drawn : 0xffff) | call.node << 16 | (uint)key << 24);
}
