/* SPDX-License-Identifier: MIT */
/*
 * For the kernels around handlers written in OpenCL C, whose text lib/resolve/on_device/call_program.c writes.
 *
 * Path:    lib/resolve/on_device/call_program.c -> this -> the user's handler, which gets a struct gravel_call.
 */
#ifndef GRAVELP_CALL_CL_H
#define GRAVELP_CALL_CL_H

#include "transaction.cl.h"

/* rows: the run's arguments, row after row, from `rows_at` of the frame on [bytes]; heap: in the arena [bytes]. */
#define GRAVELP_CALL_RUN                                                                 \
    GRAVEL_ARENA, global const uchar *frame, uint rows_at, uint n_messages, uint source, \
        uint node, ulong heap
#define GRAVELP_CALL                                                                               \
    ((struct gravel_call){(global uchar *)gravel_arena_ + heap, gravel_arena_->heap_bytes, node,   \
                          gravel_arena_->n_nodes, source, gravel_arena_->constants, gravel_arena_, \
                          0})
#define GRAVELP_CALL_NUMBER ((size_t)get_global_id(0))
#define GRAVELP_CALL_ROW(row) ((global const ulong *)(frame + rows_at) + (size_t)(row)*n_messages)
#define GRAVELP_CALL_ARGUMENT(row, number) (GRAVELP_CALL_ROW(row)[number])

/*
 * What stands before the call, a statement, in the kernel of a handler without a key, and of one with a key, whose
 * work-groups share out the keys. `number` is the message's.
 */
#define GRAVELP_CALL_EACH(number)              \
    const size_t number = GRAVELP_CALL_NUMBER; \
    if (number < n_messages)
#define GRAVELP_CALL_SERVED(number) \
    GRAVELP_SERVICE;                \
    GRAVELP_SERVE(number, GRAVELP_CALL_ROW(0), n_messages)

/* Of a handler with two keys, whose kernel is one group. */
#define GRAVELP_CALL_PAIRS(number) \
    GRAVELP_TRANSACTIONS;          \
    GRAVELP_SERVE_PAIRS(number, GRAVELP_CALL_ROW(0), GRAVELP_CALL_ROW(1), n_messages)

#endif
