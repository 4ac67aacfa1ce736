/* SPDX-License-Identifier: MIT */
/*
 * The coprocessor model, the owner's half: apply an inbox to the heap.
 *
 * A work-group for each source walks its queue, a work-item a message, by atomic operations.
 *
 * Path:    coprocessor.c launches it when all of the inbox has come.
 * Memory:  nothing else changes the heap while it runs.
 * Source:  Orr 2016, section 3.1.
 */
#include "boxes.h"

#ifndef GRAVELP_HAS_LONG_UPDATES
#error \
    "the coprocessor models apply messages by atomic operations of 64 bits, which this device has not"
#endif

/* Applies message i of a run of n. Active messages are the host's. */
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
    gravelp_apply(command, word, value, 0);
}

/* Global size: a work-group for each source. heap: which of this process's. inbox: its heap offset. */
kernel void apply(GRAVEL_ARENA, uint heap, ulong inbox, uint queue_bytes)
{
    global uchar *words = (global uchar *)gravel_arena_ + gravel_arena_->heap_offset +
                          heap * gravel_arena_->heap_bytes;
    global const uchar *box = words + inbox;
    uint source = (uint)(get_global_id(0) / get_local_size(0)),
         n_bytes = ((global const uint *)box)[source];
    for (uint at = 0; at < n_bytes;) {
        global const uchar *run = box + BOX_QUEUE(source, queue_bytes) + at;
        struct box_run head = *(global const struct box_run *)run;
        for (uint i = (uint)get_local_id(0); i < head.n; i += (uint)get_local_size(0))
            apply_one(words, run, head.command, head.n, i);
        at += BOX_RUN_BYTES(head.command, head.n);
    }
}
