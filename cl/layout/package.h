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
 * Path:    queue.cl.h fills a slot -> lib/memory/package.h reads it -> lib/aggregate bins it.
 * Source:  Orr 2016, sections 5.2.1 and A.2.3; the lap-carrying publish word replaces its full bit.
 */
#ifndef GRAVELP_PACKAGE_H
#define GRAVELP_PACKAGE_H

#include "command.h"

/* Checked mode: an arrival at a call. */
struct gravelp_arrival {
    gravelp_u32 group; /* number of the work-group among those that use its queue */
    gravelp_u32 call;  /* of the work-item's calls in its scope | scope: GRAVELP_ARRIVAL_SCOPE */
    gravelp_u32 site;  /* line of source | GRAVELP_ARRIVAL_MEMBERS */
    gravelp_u32 name;  /* GRAVELP_HASH of the kernel's */
    gravelp_u64 item;  /* global ids of the group's first work-item, in 32, 16 and 16 bits */
};
#define GRAVELP_ARRIVAL_MOST 0xffffu /* such an id, of 16 bits, or a larger one */
/* 0: the work-group; else 1 + number of the sub-group. */
#define GRAVELP_ARRIVAL_CALL(call, scope) (((call)&0xfffffu) | (gravelp_u32)(scope) << 20)
#define GRAVELP_ARRIVAL_SCOPE(call) ((call) >> 20)
/* members: work-items that must make the call. */
#define GRAVELP_ARRIVAL_SITE(line, members) (((line)&0xffffu) | (gravelp_u32)(members) << 16)
#define GRAVELP_ARRIVAL_LINE(site) ((site)&0xffffu)
#define GRAVELP_ARRIVAL_MEMBERS(site) ((site) >> 16)
/* Fowler-Noll-Vo, character by character. */
#define GRAVELP_HASH_BEGIN 2166136261u
#define GRAVELP_HASH(hash, character) (((hash) ^ (gravelp_u32)(character)) * 16777619u)

struct gravelp_package {
    /* Ticket + 1 of the package in the slot; atomic. Written by the leader only (P2), read by the host
     * (C1), never reset: a ticket is used once in 2^32 packages, so an old lap never looks new. */
    gravelp_u32 published;
    gravelp_u32 command;    /* GRAVELP_COMMAND of every message in the package */
    gravelp_u32 n_messages; /* columns in use, 0 < n_messages <= stride */
    gravelp_u32 stride;     /* [elements] from one row to the next: GRAVELP_STRIDE */
    gravelp_u64 base;       /* [bytes] heap offset of index 0 */
    gravelp_u64 result;     /* [bytes] own heap offset of position 0 of answers */
    gravelp_u64 signal;     /* [bytes] heap offset of the uint that counts answers or puts */
    struct gravelp_arrival arrival; /* where the command is GRAVELP_COMMAND_CHECKED */
};

GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_package) == GRAVELP_CACHELINE, "header is one line");

/*
 * In the node row: no node, for a number of this message has more bits than its row. Of a far message, which has room,
 * that is the node, and it is the index; of any other one the header's arrival has, in `call` which number and in
 * `item` its value, of one of the package's messages; `group` is the writer's claim (F4).
 */
#define GRAVELP_NODE_FAR 0xfffffffdu
#define GRAVELP_FAR_INDEX 1u
#define GRAVELP_FAR_POSITION 2u
#define GRAVELP_FAR_NODE 3u

/* So that rows are aligned. */
#define GRAVELP_PACKAGE_STRIDE(n_messages) ((gravelp_u32)((n_messages) + 15u) & ~15u)

/* The stride of a package of this command. Checked mode sends packages of no message, whose text needs room. */
#define GRAVELP_STRIDE(command, n_messages)                                   \
    (GRAVELP_IS_RECORD(command) ? (gravelp_u32)((n_messages) + !(n_messages)) \
                                : GRAVELP_PACKAGE_STRIDE(n_messages))

/* Byte offsets of the rows from the start of the slot. */
#define GRAVELP_NODE_ROW ((gravelp_u32)sizeof(struct gravelp_package))
#define GRAVELP_INDEX_ROW(stride) (GRAVELP_NODE_ROW + 4u * (stride))
#define GRAVELP_VALUE_ROW(command, stride, row) \
    (GRAVELP_INDEX_ROW(stride) +                \
     (GRAVELP_INDEX_BYTES(command) + (row)*GRAVELP_VALUE_BYTES(command)) * (stride))

/* Of records: their text. */
#define GRAVELP_TEXT_ROW(command, stride) GRAVELP_VALUE_ROW(command, stride, 1u)

/* Bytes one message takes in a slot, destination included. */
#define GRAVELP_COLUMN_BYTES(command) (4u + GRAVELP_MESSAGE_BYTES(command))
/* Bytes of a package. */
#define GRAVELP_PACKAGE_BYTES(command, stride) \
    (GRAVELP_NODE_ROW + GRAVELP_TEXT_BYTES(command) + (stride)*GRAVELP_COLUMN_BYTES(command))
/* Most messages of this command that a slot holds, a multiple of 16; of records any number, also none. */
#define GRAVELP_SLOT_COLUMNS(slot_bytes, command)                     \
    (GRAVELP_IS_RECORD(command)                                       \
         ? ((slot_bytes) < GRAVELP_PACKAGE_BYTES(command, 0u)         \
                ? 0u                                                  \
                : ((slot_bytes)-GRAVELP_PACKAGE_BYTES(command, 0u)) / \
                      GRAVELP_COLUMN_BYTES(command))                  \
         : (((slot_bytes)-GRAVELP_NODE_ROW) / GRAVELP_COLUMN_BYTES(command)) & ~15u)
/* The smallest slot: 16 messages of the widest kind. */
#define GRAVELP_WIDEST GRAVELP_COMMAND_ASK(0, GRAVEL_ASK_MAX_ARGS)
#define GRAVELP_SLOT_MIN_BYTES (GRAVELP_NODE_ROW + 16u * GRAVELP_COLUMN_BYTES(GRAVELP_WIDEST))

/* A slot that holds any record. */
#define GRAVELP_WIDEST_RECORD \
    GRAVELP_COMMAND_RECORD(GRAVELP_LINES, GRAVELP_RECORD_MAX_WORDS, GRAVELP_TEXT_MAX_BYTES)
#define GRAVELP_SLOT_RECORD_BYTES GRAVELP_PACKAGE_BYTES(GRAVELP_WIDEST_RECORD, 1u)

/* Packages of a queue that are applied where they lie, at most (cl/kernels/resolve.cl): a round's few. */
#define GRAVELP_IN_PLACE_MOST 16u

/* A short frame as a kernel's argument, which a driver need not copy first: 256 messages of 8 bytes, with headers. */
#define GRAVELP_GIVEN_BYTES 2560u
#define GRAVELP_GIVEN_LEAST 4096u /* [bytes] of all arguments that a device must support */
struct gravelp_given {
    gravelp_u32 words[GRAVELP_GIVEN_BYTES / 4u];
};

/* From a part of n messages of a block (lib/pump/block.h) to the next: even, so that copies begin at 8 bytes. */
#define GRAVELP_BLOCK_PART(n) (((n) + 1u) & ~1u)

#endif
