/* SPDX-License-Identifier: MIT */
/*
 * Words of an array to and from the blocks in which they travel.
 *
 * Offsets are from the arena's start [bytes]. lib/mirror/create.c defines GRAVELP_MIRROR_TYPE, the array's type;
 * GRAVELP_MIRROR_NEXT, what a word becomes.
 *
 * Path:    lib/mirror/share.c enqueues these on the caller's queue, before and after a block travels.
 * Memory:  plain loads and stores: the ends of kernels order them, and each work-item has words of its own.
 * Source:  Dathathri et al., Gluon, PLDI 2018.
 */
#include "layout/next.h"

#define NEXT_(next, type, old, value) next(type, old, value)
#define NEXT(old, value) NEXT_(GRAVELP_MIRROR_NEXT, GRAVELP_MIRROR_TYPE, old, value)

typedef GRAVELP_MIRROR_TYPE word;

/* Global size at least n; block: [n] copies of the array's elements `indices` [n]. */
kernel void gather(global uchar *arena, ulong array, ulong block, global const uint *indices,
                   uint n)
{
    size_t i = get_global_id(0);
    if (i < n)
        ((global word *)(arena + block))[i] = ((global const word *)(arena + array))[indices[i]];
}

/* Global size at least n; slots: [n]; neutral: the bits of what changes no word. */
kernel void clear(global uchar *arena, ulong slots, ulong neutral, uint n)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    if (sizeof(word) == 8)
        ((global ulong *)(arena + slots))[i] = neutral;
    else
        ((global uint *)(arena + slots))[i] = (uint)neutral;
}

/*
 * Global size at least n. Lists: targets [n] of [n_given], elements of the array, each once; starts [n + 1] of
 * [n_given + 1]; positions [n_given]: for target i those from starts[i] to starts[i + 1] - 1 say which values of
 * `block` are for it, in the order of nodes.
 */
kernel void combine(global uchar *arena, ulong array, ulong block, global const uint *targets,
                    uint n, ulong n_given)
{
    global const uint *starts = targets + n_given, *positions = starts + n_given + 1;
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    global const word *values = (global const word *)(arena + block);
    global word *target = (global word *)(arena + array) + targets[i];
    word sum = *target;
    for (uint k = starts[i]; k < starts[i + 1]; k++)
        sum = NEXT(sum, values[positions[k]]);
    *target = sum;
}
