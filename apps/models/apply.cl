/* SPDX-License-Identifier: MIT */
/*
 * The coprocessor model, the owner's half: apply an inbox to the heap.
 *
 * A work-group for each source walks its queue, a work-item a message. Words are shared, so each is replaced by compare
 * and swap. On a CPU, and on a device without 64-bit atomics, one work-item applies all by plain stores instead.
 *
 * Path:    coprocessor.c launches it when all of the inbox has come.
 * Memory:  nothing else changes the heap while it runs.
 * Source:  Orr 2016, section 3.1.
 */
#include "gravel.cl.h"

#include "layout/next.h"

#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

#if defined(GRAVELP_SERIAL_GROUP) || !defined(cl_khr_int64_base_atomics)
#define IS_ALONE 1
#define SWAP_uint(word, old, next) (*(word) = (next), (old))
#define SWAP_ulong SWAP_uint
#else
#define IS_ALONE 0
#define SWAP_uint atomic_cmpxchg
#define SWAP_ulong atom_cmpxchg
#endif

/* The bits of a word of each type. */
#define BITS_int uint
#define BITS_uint uint
#define BITS_long ulong
#define BITS_ulong ulong
#define BITS_float uint
#define BITS_double ulong

/* put_int(at, value), add_float(at, value) ...: replace the word at that place. */
#define DEFINE_REPLACE(OP, op, TYPE, type) \
    DEFINE_REPLACE_BITS(op##_##type, GRAVELP_NEXT_##op, type, BITS_##type)
#define DEFINE_REPLACE_BITS(name, NEXT, type, BITS) DEFINE_REPLACE_WORD(name, NEXT, type, BITS)
#define DEFINE_REPLACE_WORD(name, NEXT, type, BITS)                                      \
    GRAVELP_INLINE void name(global uchar *at, type value)                               \
    {                                                                                    \
        volatile global BITS *word = (volatile global BITS *)at;                         \
        BITS seen = *word, old;                                                          \
        do {                                                                             \
            old = seen;                                                                  \
            seen = SWAP_##BITS(word, old, as_##BITS(NEXT(type, as_##type(old), value))); \
        } while (seen != old);                                                           \
    }
#define DEFINE_INC(TYPE, type) DEFINE_REPLACE(INC, inc, TYPE, type)

GRAVEL_VALUE_OPERATIONS(DEFINE_REPLACE)
GRAVEL_INC_TYPES(DEFINE_INC)
#ifdef GRAVEL_HAS_DOUBLE
GRAVEL_DOUBLE_OPERATIONS(DEFINE_REPLACE)
#endif

#define CASE(OP, op, TYPE, type)                                                        \
    case GRAVELP_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE):                                   \
        op##_##type(word, ((global const type *)(run + BOX_VALUES(command, n, 0)))[i]); \
        break;
#define CASE_INC(TYPE, type)                         \
    case GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_##TYPE): \
        inc_##type(word, 0);                         \
        break;

/* Message i of a run of n. Active messages are the host's. */
GRAVELP_INLINE void apply_one(global uchar *heap, global const uchar *run, uint command, uint n,
                              uint i)
{
    uint index = ((global const uint *)(run + BOX_INDICES))[GRAVELP_INDEX_BYTES(command) ? i : 0];
    global uchar *word = heap + ((global const struct box_run *)run)->base +
                         (ulong)index * GRAVELP_VALUE_BYTES(command);
    switch (command) {
        GRAVEL_VALUE_OPERATIONS(CASE)
        GRAVEL_INC_TYPES(CASE_INC)
#ifdef GRAVEL_HAS_DOUBLE
        GRAVEL_DOUBLE_OPERATIONS(CASE)
#endif
    }
}

/* Apply a queue that holds n_bytes: its messages from number `first`, every step-th. */
GRAVELP_INLINE void apply_queue(global uchar *heap, global const uchar *queue, uint n_bytes,
                                uint first, uint step)
{
    for (uint at = 0; at < n_bytes;) {
        global const uchar *run = queue + at;
        struct box_run head = *(global const struct box_run *)run;
        for (uint i = first; i < head.n; i += step)
            apply_one(heap, run, head.command, head.n, i);
        at += BOX_RUN_BYTES(head.command, head.n);
    }
}

/*
 * Global size: a work-group for each source. heap: which of this process's. inbox: its heap offset.
 */
kernel void apply(GRAVEL_ARENA, uint heap, ulong inbox, uint n_sources, uint queue_bytes)
{
    global uchar *words = (global uchar *)gravel_arena_ + gravel_arena_->heap_offset +
                          heap * gravel_arena_->heap_bytes;
    global const uchar *box = words + inbox;
    global const uint *n_bytes = (global const uint *)box;
    uint source = (uint)(get_global_id(0) / get_local_size(0));
    if (!IS_ALONE)
        apply_queue(words, box + BOX_QUEUE(source, queue_bytes), n_bytes[source],
                    (uint)get_local_id(0), (uint)get_local_size(0));
    else if (get_global_id(0) == 0)
        for (source = 0; source < n_sources; source++)
            apply_queue(words, box + BOX_QUEUE(source, queue_bytes), n_bytes[source], 0, 1);
}
