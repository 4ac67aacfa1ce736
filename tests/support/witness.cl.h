/* SPDX-License-Identifier: MIT */
/*
 * The witness of witness.h in OpenCL C. Joined before the kernels of a test.
 *
 * Path: kernels of handlers with keys -> this.
 */
#ifndef GRAVEL_TEST_WITNESS_CL_H
#define GRAVEL_TEST_WITNESS_CL_H

#include "gravel.cl.h"

/* Hold the key of `table`, an offset of struct guarded_key [], for some steps, and count n. */
void hold(struct gravel_call call, ulong key, ulong number, ulong table, uint steps, uint n)
{
    volatile global uint *words =
        (volatile global uint *)((global uint4 *)gravel_call_local(call, table) + key);
    words[0] = (uint)number;
    for (uint i = 0; i < steps; i++)
        words[3] = words[3] * 5 + 1;
    if (words[0] != (uint)number)
        words[2] = words[2] + 1;
    words[1] = words[1] + n;
}

#endif
