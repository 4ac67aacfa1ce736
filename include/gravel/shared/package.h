/* SPDX-License-Identifier: MIT */
/*
 * The work-group-level package: what one work-group sends with one synchronization, in one queue slot.
 *
 *     slot = header, one cache line | node row | index row | value row 0 | value row 1 ...
 *
 * Rows hold one element per message, `stride` elements apart from row to row, so that neighbouring
 * work-items write neighbouring words (column-major in the dissertation's words: a column is one message).
 * Operation, base and handler are uniform over the group and stand once, in the header.
 *
 * Path:    queue.cl.h fills a slot -> lib/queue/package.h reads it -> lib/aggregate bins it.
 * Source:  Orr 2016, sections 5.2.1 and A.2.3; the lap-carrying publish word replaces its full bit.
 */
#ifndef GRAVEL_SHARED_PACKAGE_H
#define GRAVEL_SHARED_PACKAGE_H

#include "operation.h"

struct gravel_package {
    /* Ticket + 1 of the package in the slot; atomic. Written by the leader only (P2), read by the host
     * (C1), reset by nobody: a ticket is used once in 2^32 packages, so an old lap never looks new. */
    gravel_u32 published;
    gravel_u32 command;    /* GRAVEL_COMMAND of every message in the package */
    gravel_u32 n_messages; /* columns in use, 0 < n_messages <= stride */
    gravel_u32
        stride; /* [elements] from one row to the next; a multiple of 16, so rows are aligned */
    gravel_u64 base;   /* [bytes] heap offset that index 0 stands for; 0 if indices are wide */
    gravel_u64 result; /* [bytes] own heap offset that place 0 of a request's answers stands for */
    gravel_u64
        signal; /* [bytes] heap offset of the uint that counts answers here, or puts there; or GRAVEL_NO_SIGNAL */
    gravel_u64 padding[3];
};

GRAVEL_STATIC_ASSERT(sizeof(struct gravel_package) == GRAVEL_CACHELINE, "header is one line");

#define GRAVEL_PACKAGE_STRIDE(n_messages) ((gravel_u32)((n_messages) + 15u) & ~15u)

/* Byte offsets of the rows from the start of the slot. */
#define GRAVEL_NODE_ROW ((gravel_u32)sizeof(struct gravel_package))
#define GRAVEL_INDEX_ROW(stride) (GRAVEL_NODE_ROW + 4u * (stride))
#define GRAVEL_VALUE_ROW(command, stride, row) \
    (GRAVEL_INDEX_ROW(stride) +                \
     (GRAVEL_INDEX_BYTES(command) + (row)*GRAVEL_VALUE_BYTES(command)) * (stride))

/* Bytes one message takes in a slot, destination included. */
#define GRAVEL_COLUMN_BYTES(command) (4u + GRAVEL_MESSAGE_BYTES(command))
/* Most messages of this command that a slot holds, a multiple of 16. */
#define GRAVEL_SLOT_COLUMNS(slot_bytes, command) \
    ((((slot_bytes)-GRAVEL_NODE_ROW) / GRAVEL_COLUMN_BYTES(command)) & ~15u)
/* The smallest slot: 16 messages of the widest kind. */
#define GRAVEL_SLOT_MIN_BYTES (GRAVEL_NODE_ROW + 16u * (4u + 8u * GRAVEL_AM_MAX_ARGS))

#endif
