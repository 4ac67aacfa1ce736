/* SPDX-License-Identifier: MIT */
/*
 * What calls of the form HISTORY_HANDLER do: the same as an operation, by a handler that the device runs. One has atomics,
 * one a key: of the word, by its index.
 *
 * Path: interpret.cl, run.c -> this -> the heap
 */
#include "gravel.cl.h"

ulong or_word(struct gravel_call call, ulong words, ulong index, ulong value)
{
    volatile global uint *word = (volatile global uint *)gravel_call_local(call, words) + index;
    return atomic_or(word, (uint)value);
}

ulong swap_word(struct gravel_call call, ulong index, ulong words, ulong value)
{
    global ulong *word = (global ulong *)gravel_call_local(call, words) + index;
    const ulong before = *word;
    *word = value;
    return before;
}
