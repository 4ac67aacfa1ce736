/* SPDX-License-Identifier: MIT */
/*
 * The command word of a package: how it names an operation, and what follows from it for the rows.
 *
 * Path:    a kernel's call writes a command -> aggregator copies it -> lib/resolve looks it up.
 */
#ifndef GRAVELP_COMMAND_H
#define GRAVELP_COMMAND_H

#include "base.h"
#include "gravel/operation.h"
#include "record.h"

/*
 * Command word: operation in bits 0-7, type (of a call: of its arguments) in bits 8-10, bit 11 set if element numbers
 * are 64-bit ones and not of 32 bits (far), bit 12 always 0, number of active-message arguments in bits 13-15, handler
 * in 16-31; of a record: record.h.
 * The 64-bit index of a request is an element number (GRAVELP_REQUEST_INDEX) and, in the upper half, the element
 * number of the answer after `result` (GRAVELP_REQUEST_PLACE); that of a far one is both, 64 bits each. An active
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
/* Whether packages and runs of this command tell a signal. */
#define GRAVELP_HAS_SIGNAL(command) (GRAVELP_COMMAND_OP(command) >= GRAVEL_PUT_SIGNAL)
#define GRAVELP_REQUEST(index, place) \
    ((gravelp_u64)(gravelp_u32)(index) | (gravelp_u64)(place) << 32)
#define GRAVELP_REQUEST_INDEX(request) ((gravelp_u32)(request))
#define GRAVELP_REQUEST_PLACE(request) ((gravelp_u32)((request) >> 32))

/* The index of a far request. */
struct gravelp_far_request {
    gravelp_u64 index, place;
};

/*
 * Bytes of one index: none for an active message or a record, 8 if far or a request, 16 if both, else 4. A far active
 * message that is answered has 8, its place; one that is not is not sent on (GRAVELP_NODE_FAR), and has 8 too.
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
 * least: the answer takes the place of the first; that of an active message has its own, behind the arguments, for
 * who shares out keys reads the first argument of all messages while others are answered.
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
