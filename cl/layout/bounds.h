/* SPDX-License-Identifier: MIT */
/*
 * Checked mode's table of allocations, for handlers and kernels that ask whether an index is inside (gravel_call_at,
 * gravel_local_at).
 *
 *     bounds = struct gravelp_bounds, in the arena before the slots; there is none without checked mode
 *
 * The host writes the oldest of its tables, and makes it `current`. A handler searches the table that was current when
 * it began. gravel_free writes one behind its barrier, gravel_alloc one in front of its own, so an alloc behind a free
 * has no barrier between the two: of two tables it would write the one that such a handler searches. Of three tables
 * that one comes next, behind the barrier.
 *
 * Path:    lib/memory/memory.c writes it -> call.cl.h -> a fault of the node.
 */
#ifndef GRAVELP_BOUNDS_H
#define GRAVELP_BOUNDS_H

#include "base.h"

#define GRAVELP_BOUNDS_MOST 1024u /* allocations; of more only the heap's end is a bound */
#define GRAVELP_BOUNDS_TABLES 3u
#define GRAVELP_SPARE_BYTES 1024u

struct gravelp_bounds_span {
    gravelp_u64 offset, bytes; /* heap offsets offset to offset + bytes - 1 */
};

struct gravelp_bounds {
    /* Host line. */
    gravelp_u32 current; /* V1, V2: which of the tables counts */
    /* Of each table: spans; more than GRAVELP_BOUNDS_MOST: it is not filled. */
    gravelp_u32 n[GRAVELP_BOUNDS_TABLES];
    gravelp_u32 padding[12];

    gravelp_u8 spare[GRAVELP_SPARE_BYTES]; /* what a handler gets instead of an element outside */
    /* By rising offset. */
    struct gravelp_bounds_span spans[GRAVELP_BOUNDS_TABLES][GRAVELP_BOUNDS_MOST];
};

#endif
