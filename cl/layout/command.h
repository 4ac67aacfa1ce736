/* SPDX-License-Identifier: MIT */
/*
 * The command word of a package: how it names an operation, and what follows from it for the rows.
 *
 * Path:    a kernel's call writes a command -> aggregator copies it -> lib/resolve looks it up; records -> lib/spool.
 */
#ifndef GRAVELP_COMMAND_H
#define GRAVELP_COMMAND_H

#include "base.h"
#include "gravel/operation.h"

/*
 * Command word: operation in bits 0-7, type (of a call: of its arguments) in bits 8-10, bit 11 set if element numbers
 * are 64-bit ones and not of 32 bits (far), bit 12 always 0, number of active-message arguments in bits 13-15, handler
 * in 16-31; of a record: GRAVELP_COMMAND_RECORD.
 * The 64-bit index of a request is an element number (GRAVELP_REQUEST_INDEX) and, in the upper half, the element
 * number of the answer after `result` (GRAVELP_REQUEST_POSITION); that of a far one is both, 64 bits each. An active
 * message that is answered has no element, 0.
 */
#define GRAVELP_COMMAND(op, type) ((gravelp_u32)(op) | (gravelp_u32)(type) << 8)
#define GRAVELP_COMMAND_FAR (1u << 11)
#define GRAVELP_COMMAND_RESERVED (1u << 12)
/* Or-ed to a handler's number where kernels name it: its arguments are uint, and not ulong. */
#define GRAVELP_HANDLER_UINT 0x10000u
#define GRAVELP_COMMAND_CALL(op, handler, n_args)                                       \
    (GRAVELP_COMMAND(op, (handler)&GRAVELP_HANDLER_UINT ? GRAVEL_UINT : GRAVEL_ULONG) | \
     (gravelp_u32)(n_args) << 13 | (gravelp_u32)(handler) << 16)
#define GRAVELP_COMMAND_AM(handler, n_args) GRAVELP_COMMAND_CALL(GRAVEL_AM, handler, n_args)
#define GRAVELP_COMMAND_ASK(handler, n_args) GRAVELP_COMMAND_CALL(GRAVEL_ASK, handler, n_args)
/* Or-ed to the operation: one work-item's arrival at a call of many, in checked mode (cl/device/check.cl.h). */
#define GRAVELP_COMMAND_CHECKED 0x80u
#define GRAVELP_COMMAND_OP(command) ((command)&0xffu)
#define GRAVELP_COMMAND_TYPE(command) ((command) >> 8 & 0x7u)
#define GRAVELP_COMMAND_N_ARGS(command) ((command) >> 13 & 0x7u)
#define GRAVELP_COMMAND_HANDLER(command) ((command) >> 16)
#define GRAVELP_IS_REQUEST(command) \
    (((command)&GRAVEL_FETCH) != 0 && GRAVELP_COMMAND_OP(command) <= GRAVEL_ASK)
/* Whether a handler is called. */
#define GRAVELP_IS_CALL(command) \
    (GRAVELP_COMMAND_OP(command) == GRAVEL_AM || GRAVELP_COMMAND_OP(command) == GRAVEL_ASK)
/* Whether packages and runs of this command name a signal. */
#define GRAVELP_HAS_SIGNAL(command) (GRAVELP_COMMAND_OP(command) >= GRAVEL_PUT_SIGNAL)
#define GRAVELP_REQUEST(index, position) \
    ((gravelp_u64)(gravelp_u32)(index) | (gravelp_u64)(position) << 32)
#define GRAVELP_REQUEST_INDEX(request) ((gravelp_u32)(request))
#define GRAVELP_REQUEST_POSITION(request) ((gravelp_u32)((request) >> 32))

/* The index of a far request. */
struct gravelp_far_request {
    gravelp_u64 index, position;
};

/*
 * Records are messages of 1 to 60 words of 4 bytes that stay out of the heap. A thread of the host deals with them; a
 * line of text is one.
 *
 *     package = header | node row [n] | records [n][words] | text        the stride is n, not rounded
 *
 * The words of a record stand together, and are one value of 4 to 240 bytes. The text is the same for all records of a
 * package. The header's base is 0, its signal GRAVEL_NO_SIGNAL; its result has the types of a line's arguments, four
 * bits each, the first one's lowest.
 */
#define GRAVELP_RECORD_MAX_WORDS 60u
#define GRAVELP_TEXT_UNIT 16u /* [bytes] of a text, or a multiple, with zeros behind it */
#define GRAVELP_TEXT_MAX_BYTES 1008u

/* Command word: operation and type as of any other, words in bits 13-18, units of text in 19-24, stream in 25-31. */
#define GRAVELP_COMMAND_RECORD(stream, n_words, text_bytes)                             \
    (GRAVELP_COMMAND(GRAVEL_APPEND, GRAVEL_UINT) | (gravelp_u32)(n_words) << 13 |       \
     (gravelp_u32)(((text_bytes) + GRAVELP_TEXT_UNIT - 1u) / GRAVELP_TEXT_UNIT) << 19 | \
     (gravelp_u32)(stream) << 25)
#define GRAVELP_IS_RECORD(command) (GRAVELP_COMMAND_OP(command) == GRAVEL_APPEND)
#define GRAVELP_RECORD_WORDS(command) ((command) >> 13 & 0x3fu)
#define GRAVELP_RECORD_STREAM(command) ((command) >> 25)
#define GRAVELP_TEXT_BYTES(command) \
    (GRAVELP_IS_RECORD(command) ? ((command) >> 19 & 0x3fu) * GRAVELP_TEXT_UNIT : 0u)
/* Whether bits that only others use are 0, and there are words. */
#define GRAVELP_IS_SANE_RECORD(command)                                    \
    (((command)&0x1fffu) == GRAVELP_COMMAND(GRAVEL_APPEND, GRAVEL_UINT) && \
     GRAVELP_RECORD_WORDS(command) > 0 &&                                  \
     GRAVELP_RECORD_WORDS(command) <= GRAVELP_RECORD_MAX_WORDS)

/* Stream 0: lines. A line's record begins with the global ids of its work-item: 64, 32 and 32 bits of them. */
#define GRAVELP_LINES 0u
#define GRAVELP_TAG_WORDS 4u

/* Types of a line's arguments. */
#define GRAVELP_ARGUMENT_NONE 0u
#define GRAVELP_ARGUMENT_INT 1u
#define GRAVELP_ARGUMENT_UINT 2u
#define GRAVELP_ARGUMENT_LONG 3u
#define GRAVELP_ARGUMENT_ULONG 4u
#define GRAVELP_ARGUMENT_FLOAT 5u
#define GRAVELP_ARGUMENT_DOUBLE 6u
#define GRAVELP_ARGUMENT_STRING 7u
#define GRAVELP_ARGUMENT_POINTER 12u /* to anything but char: its address, as a ulong */
#define GRAVELP_STRING_WORDS 8u
/* Words of an argument of a type: 1; 2, the lower half first; or a string's 8, which is cut there, or ends at a 0. */
#define GRAVELP_ARGUMENT_WORDS(type) (0x82122110u >> 4u * ((type)&7u) & 0xfu)

/*
 * Bytes of one index: none for an active message or a record, 8 if far or a request, 16 if both, else 4. A far active
 * message that is answered has 8, the answer's index; one that is not is not sent on (GRAVELP_NODE_FAR), and has 8 too.
 */
#define GRAVELP_INDEX_BYTES(command)                                               \
    ((command)&GRAVELP_COMMAND_FAR              ? GRAVELP_FAR_INDEX_BYTES(command) \
     : GRAVELP_COMMAND_OP(command) == GRAVEL_AM ? 0u                               \
     : GRAVELP_IS_RECORD(command)               ? 0u                               \
     : (command)&GRAVEL_FETCH                   ? 8u                               \
                                                : 4u)
#define GRAVELP_FAR_INDEX_BYTES(command) \
    (((command)&GRAVEL_FETCH) != 0 && !GRAVELP_IS_CALL(command) ? 16u : 8u)
/*
 * Values that follow the index (arguments of an active message), and bytes of each. Every request has one at
 * least: the answer is stored over the first; that of an active message has its own, behind the arguments, for
 * groups read the first argument of all messages, the key, while some are answered.
 */
#define GRAVELP_N_VALUES(command)                                                       \
    (GRAVELP_COMMAND_OP(command) == GRAVEL_AM    ? GRAVELP_COMMAND_N_ARGS(command)      \
     : GRAVELP_COMMAND_OP(command) == GRAVEL_ASK ? GRAVELP_COMMAND_N_ARGS(command) + 1u \
     : GRAVELP_COMMAND_OP(command) == GRAVEL_INC ? 0u                                   \
     : GRAVELP_COMMAND_OP(command) == GRAVEL_CAS ? 2u                                   \
                                                 : 1u)
/* Instead of where answers go: nowhere, for the messages do not ask. */
#define GRAVELP_NO_ANSWERS 0xffffffffu
/* Which value row has the answers of requests. */
#define GRAVELP_ANSWER_ROW(command) \
    (GRAVELP_COMMAND_OP(command) == GRAVEL_ASK ? GRAVELP_COMMAND_N_ARGS(command) : 0u)
#define GRAVELP_VALUE_BYTES(command)                                 \
    (GRAVELP_IS_RECORD(command) ? 4u * GRAVELP_RECORD_WORDS(command) \
                                : GRAVEL_TYPE_BYTES(GRAVELP_COMMAND_TYPE(command)))
/* Bytes of one message without its destination: what travels on the wire. */
#define GRAVELP_MESSAGE_BYTES(command) \
    (GRAVELP_INDEX_BYTES(command) + GRAVELP_N_VALUES(command) * GRAVELP_VALUE_BYTES(command))

GRAVELP_STATIC_ASSERT(GRAVEL_TYPE_BYTES(GRAVEL_INT) == 4 && GRAVEL_TYPE_BYTES(GRAVEL_UINT) == 4 &&
                          GRAVEL_TYPE_BYTES(GRAVEL_LONG) == 8 &&
                          GRAVEL_TYPE_BYTES(GRAVEL_ULONG) == 8 &&
                          GRAVEL_TYPE_BYTES(GRAVEL_FLOAT) == 4 &&
                          GRAVEL_TYPE_BYTES(GRAVEL_DOUBLE) == 8,
                      "type sizes");

#endif
