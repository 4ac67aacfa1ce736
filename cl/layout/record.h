/* SPDX-License-Identifier: MIT */
/*
 * Records: messages of 1 to 60 words of 4 bytes that stay out of the heap. A thread of the host deals with them; a line
 * of text is one.
 *
 *     package = header | node row [n] | records [n][words] | text        the stride is n, not rounded
 *
 * The words of a record stand together, and are one value of 4 to 240 bytes. The text is the same for all records of a
 * package. The header's base is 0, its signal GRAVEL_NO_SIGNAL; its result has the types of a line's arguments, four
 * bits each, the first one's lowest.
 *
 * Path:    cl/device/send.cl.h writes them -> aggregator -> frames of records -> lib/spool.
 */
#ifndef GRAVELP_RECORD_H
#define GRAVELP_RECORD_H

#define GRAVELP_RECORD_MAX_WORDS 60u
#define GRAVELP_TEXT_UNIT 16u /* [bytes] a text has so many, or a multiple, with zeros behind it */
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

#endif
