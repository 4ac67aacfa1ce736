/* SPDX-License-Identifier: MIT */
/*
 * The coprocessor model, the owner's half: apply an inbox to the heap.
 *
 * A work-group for each source walks its queue, a work-item a message, by atomic operations. On a CPU, and on a device
 * without 64-bit atomics, one work-item applies all by plain stores instead.
 *
 * Path:    coprocessor.c launches it when all of the inbox has come.
 * Memory:  nothing else changes the heap while it runs.
 * Source:  Orr 2016, section 3.1.
 */
#include "gravel.cl.h"

#include "layout/next.h"

#if defined(GRAVELP_SERIAL_GROUP) || !defined(GRAVELP_HAS_LONG_UPDATES)
#define IS_ALONE 1
#define STORE(command, type, next)                               \
    case command: {                                              \
        volatile global type *at = (volatile global type *)word; \
        *at = next;                                              \
        break;                                                   \
    }
#define STORE_VALUE(OP, op, TYPE, type)                      \
    STORE(GRAVELP_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE), type, \
          GRAVELP_NEXT_##op(type, *at, GRAVELP_FROM_##type(value)))
#define STORE_INC(TYPE, type) \
    STORE(GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_##TYPE), type, GRAVELP_NEXT_inc(type, *at, 1))

GRAVELP_INLINE void apply_value(uint command, global uchar *word, ulong value)
{
    switch (command) {
        GRAVEL_VALUE_OPERATIONS(STORE_VALUE)
        GRAVEL_INC_TYPES(STORE_INC)
#ifdef GRAVEL_HAS_DOUBLE
        GRAVEL_DOUBLE_OPERATIONS(STORE_VALUE)
#endif
    }
}
#else
#define IS_ALONE 0
#define apply_value(command, word, value) gravelp_apply(command, word, value, 0)
#endif

/* Message i of a run of n. Active messages are the host's. */
GRAVELP_INLINE void apply_one(global uchar *heap, global const uchar *run, uint command, uint n,
                              uint i)
{
    uint index = ((global const uint *)(run + BOX_INDICES))[GRAVELP_INDEX_BYTES(command) ? i : 0];
    global uchar *word = heap + ((global const struct box_run *)run)->base +
                         (ulong)index * GRAVELP_VALUE_BYTES(command);
    global const uchar *values = run + BOX_VALUES(command, n, 0);
    ulong value = 0;
    if (GRAVELP_N_VALUES(command))
        value = GRAVELP_VALUE_BYTES(command) == 8 ? ((global const ulong *)values)[i]
                                                  : ((global const uint *)values)[i];
    apply_value(command, word, value);
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
