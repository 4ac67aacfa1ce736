/* SPDX-License-Identifier: MIT */
/*
 * What a node buffer looks like on the wire.
 *
 *     buffer = struct gravel_frame | run | run | ...
 *     run    = struct gravel_run | indices [n] | values [n] | values [n] ... | zero padding to 8 bytes
 *              with struct gravel_signal_run instead for commands with a signal (GRAVELP_HAS_SIGNAL)
 *     run    = struct gravel_signal_run | text | records [n][words] | zero padding to 8 bytes; in a frame of records
 *
 * A run is all messages of one operation on one base. Indices are elements after base, of 4 bytes or 8 (far commands;
 * requests) or 16 (far requests), values 4 or 8; each array starts at a multiple of its element size, or of 8.
 * Byte order is the machine's; nodes that differ in it refuse each other when they open.
 *
 * Path:    buffer.c writes it -> lib/network -> lib/resolve/decode.c checks it.
 * Source:  Orr 2016, figure A-2.
 */
#ifndef GRAVEL_TRANSPORT_WIRE_H
#define GRAVEL_TRANSPORT_WIRE_H

#include "layout/command.h"

#define GRAVEL_FRAME_MAGIC 0x4752u
#define GRAVEL_FRAME_VERSION 8u
/* In front of what is sent as bytes: another number on machines of the other byte order. */
#define GRAVEL_BYTE_ORDER 0x0102030405060708ull

/* Limits of one frame: the largest node buffer there can be, and as many of the smallest messages as it holds.
 * Active messages without arguments take no room, so a writer must mind the second. */
#define GRAVEL_FRAME_MAX_BYTES (1u << 26)
#define GRAVEL_FRAME_MAX_MESSAGES (1u << 24)

/* Kinds of frame. Only these carry runs; the network thread sends and reads all other kinds. */
#define GRAVEL_FRAME_MESSAGES 1u
#define GRAVEL_FRAME_RECORDS 12u /* runs of records alone */

struct gravel_frame {
    gravelp_u16 magic;
    gravelp_u8 version;
    gravelp_u8 kind;
    gravelp_u32 round;  /* that its sender has ended: number of the last exchange, lower half */
    gravelp_u32 source; /* node that sent the frame */
    gravelp_u32 bytes;  /* of the whole frame, this header included */
    gravelp_u64 sequence;
    /* number of this MESSAGES frame among those from source to this node, from 0 */
    gravelp_u32 n_messages; /* sum of the runs' n_messages */
    gravelp_u32 destination;
};

struct gravel_run {
    gravelp_u32 command;
    gravelp_u32 n_messages; /* at least 1 */
    gravelp_u64 base;
    /* [bytes] heap offset of index 0, aligned to the type; 0 of an active message */
};

struct gravel_signal_run {
    struct gravel_run run;
    gravelp_u64 result; /* as in struct gravelp_package; offsets mean the same at every node */
    gravelp_u64 signal;
};

GRAVELP_STATIC_ASSERT(sizeof(struct gravel_frame) == 32, "wire layout");
GRAVELP_STATIC_ASSERT(sizeof(struct gravel_run) == 16, "wire layout");
GRAVELP_STATIC_ASSERT(sizeof(struct gravel_signal_run) == 32, "wire layout");

#define GRAVEL_ALIGN8(bytes) (((gravelp_u64)(bytes) + 7u) & ~(gravelp_u64)7u)
/* Offset of the indices from the start of a run: behind its text, which only records have. */
#define GRAVEL_RUN_INDICES(command)                                                               \
    (GRAVELP_HAS_SIGNAL(command) ? sizeof(struct gravel_signal_run) + GRAVELP_TEXT_BYTES(command) \
                                 : sizeof(struct gravel_run))
/* Offset of value row `row` from the start of a run of n messages. */
#define GRAVEL_RUN_VALUES(command, n, row)                                 \
    (GRAVEL_RUN_INDICES(command) +                                         \
     (GRAVELP_VALUE_BYTES(command) == 8u                                   \
          ? GRAVEL_ALIGN8((gravelp_u64)GRAVELP_INDEX_BYTES(command) * (n)) \
          : (gravelp_u64)GRAVELP_INDEX_BYTES(command) * (n)) +             \
     (gravelp_u64)(row)*GRAVELP_VALUE_BYTES(command) * (n))
/* Element of message i of rows that have indices, and the position of its answer, if it is a request. */
static inline struct gravelp_far_request gravel_element_at(gravelp_u32 command, const void *indices,
                                                           gravelp_u32 i)
{
    const gravelp_u64 *near = (const gravelp_u64 *)indices;
    if (!GRAVELP_IS_REQUEST(command))
        return (struct gravelp_far_request){
            GRAVELP_INDEX_BYTES(command) == 8 ? near[i] : ((const gravelp_u32 *)indices)[i], 0};
    if (command & GRAVELP_COMMAND_FAR && GRAVELP_IS_CALL(command))
        return (struct gravelp_far_request){0, near[i]};
    return command & GRAVELP_COMMAND_FAR
               ? ((const struct gravelp_far_request *)indices)[i]
               : (struct gravelp_far_request){GRAVELP_REQUEST_INDEX(near[i]),
                                              GRAVELP_REQUEST_POSITION(near[i])};
}

/* Bytes of a whole run, padding included. */
#define GRAVEL_RUN_BYTES(command, n) \
    GRAVEL_ALIGN8(GRAVEL_RUN_VALUES(command, n, GRAVELP_N_VALUES(command)))

#endif
