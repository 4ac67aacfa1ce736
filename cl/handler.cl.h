/* SPDX-License-Identifier: MIT */
/*
 * What a handler written in OpenCL C gets: it runs on the device of the node that an active message is for.
 *
 *     #include "gravel.cl.h"
 *
 *     // Message: one more of `key`, in the table of n_keys counters at heap offset `table`.
 *     void tally(struct gravel_call call, ulong table, ulong key)
 *     {
 *         global uint *counters = gravel_call_local(call, table);
 *         atomic_inc(&counters[key]);
 *     }
 *
 * A handler is a function of the name under which it is registered (gravel.h: struct gravel_handler with function
 * NULL, its text in device_source of the bindings). It returns nothing and takes a struct gravel_call and as many
 * ulong as it was registered with, 0 to 4. Kernels send to it as to any: gravel_am2(g, GRAVEL_HANDLER(tally), ...).
 *
 * Every message is a work-item. A handler sees every message applied before its run; the messages of a run (many,
 * from one node to one handler) may be run at once and in any order, so they share words by atomics. It has no
 * work-group: no barrier, no local memory. It sends nothing: the calls of message.cl.h want a struct gravel_group,
 * which there is none of, and so do not compile. It must end.
 *
 * Path:    message.cl.h -> handler.cl.h -> the user's handlers; lib/resolve/device_calls.c makes their kernels.
 * Memory:  what it stores is visible after a quiet or barrier that covers its message, as with any message.
 */
#ifndef GRAVEL_HANDLER_CL_H
#define GRAVEL_HANDLER_CL_H

#include "message.cl.h"

/* What a handler knows of its message. */
struct gravel_call {
    global uchar *heap; /* of the node the message is for */
    ulong heap_bytes;
    uint node; /* that node's number */
    uint n_nodes;
    uint source; /* node that sent the message */
};

/* The node's own part of the symmetric heap at an offset. */
GRAVEL_INLINE global void *gravel_call_local(struct gravel_call call, ulong offset)
{
    return call.heap + offset;
}

/* ---- for the kernels around handlers, which device_calls.c writes ---------------------------- */

/* rows: the run's arguments, row after row, from `rows_at` of the frame on [bytes]; heap: in the arena [bytes]. */
#define GRAVEL_CALL_RUN                                                                  \
    GRAVEL_ARENA, global const uchar *frame, uint rows_at, uint n_messages, uint source, \
        uint node, ulong heap
#define GRAVEL_CALL                                                                              \
    ((struct gravel_call){(global uchar *)gravel_arena_ + heap, gravel_arena_->heap_bytes, node, \
                          gravel_arena_->n_nodes, source})
#define GRAVEL_CALL_NUMBER ((size_t)get_global_id(0))
#define GRAVEL_CALL_ARGUMENT(row) \
    (((global const ulong *)(frame + rows_at))[(size_t)(row)*n_messages + GRAVEL_CALL_NUMBER])

#endif
