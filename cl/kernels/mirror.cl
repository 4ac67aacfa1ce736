/* SPDX-License-Identifier: MIT */
/*
 * Words of an array to and from the blocks in which they travel.
 *
 * Offsets are from the arena's start [bytes]. lib/mirror/create.c defines GRAVELP_MIRROR_TYPE, the array's type;
 * GRAVELP_MIRROR_NEXT, what a word becomes; GRAVELP_MIRROR_NEUTRAL, what changes no word.
 *
 * Path:    lib/mirror/share.c enqueues these on the caller's queue, before and after a block travels.
 * Memory:  plain loads and stores: the ends of kernels order them, and each work-item has words of its own.
 * Source:  Dathathri et al., Gluon, PLDI 2018.
 */
#include "layout/next.h"

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define NEXT_(next, type, old, value) next(type, old, value)
#define NEXT(old, value) NEXT_(GRAVELP_MIRROR_NEXT, GRAVELP_MIRROR_TYPE, old, value)

typedef GRAVELP_MIRROR_TYPE word;

/* What changes no word. */
#define LEAST_int INT_MIN
#define LEAST_uint 0u
#define LEAST_long LONG_MIN
#define LEAST_ulong 0ul
#define GREATEST_int INT_MAX
#define GREATEST_uint UINT_MAX
#define GREATEST_long LONG_MAX
#define GREATEST_ulong ULONG_MAX
#define NEUTRAL_put 0
#define NEUTRAL_add 0
#define NEUTRAL_min JOINED(GREATEST_, GRAVELP_MIRROR_TYPE)
#define NEUTRAL_max JOINED(LEAST_, GRAVELP_MIRROR_TYPE)
#define NEUTRAL_and ~(word)0
#define NEUTRAL_or 0
#define NEUTRAL_xor 0

/* Global size at least n; block: [n] copies of the array's elements `indices` [n]. */
kernel void gather(global uchar *arena, ulong array, ulong block, global const uint *indices,
                   uint n)
{
    size_t i = get_global_id(0);
    if (i < n)
        ((global word *)(arena + block))[i] = ((global const word *)(arena + array))[indices[i]];
}

/* Global size at least n; slots: [n] */
kernel void clear(global uchar *arena, ulong slots, uint n)
{
    size_t i = get_global_id(0);
    if (i < n)
        ((global word *)(arena + slots))[i] = GRAVELP_MIRROR_NEUTRAL;
}

/*
 * Global size at least n. targets: [n] elements of the array, each once. places: for target i those from starts[i] to
 * starts[i + 1] - 1 say which values of `block` are for it, in the order of nodes.
 */
kernel void combine(global uchar *arena, ulong array, ulong block, global const uint *targets,
                    uint n, global const uint *starts, global const uint *places)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    global const word *values = (global const word *)(arena + block);
    global word *target = (global word *)(arena + array) + targets[i];
    word sum = *target;
    for (uint k = starts[i]; k < starts[i + 1]; k++)
        sum = NEXT(sum, values[places[k]]);
    *target = sum;
}
