/* SPDX-License-Identifier: MIT */
/*
 * The network threads' own frames; struct gravel_frame comes first in each.
 *
 * Path:    control.c of one node -> transport -> control.c of another.
 */
#ifndef GRAVEL_TRANSPORT_FRAMES_H
#define GRAVEL_TRANSPORT_FRAMES_H

#include "layout/rounds.h"
#include "transport/wire.h"

#include <stdbool.h>

/* Counted for termination, as are messages: they change the state of their receiver. */
#define GRAVEL_FRAME_BYTES 2u   /* host put: store bytes; counts as one message */
#define GRAVEL_FRAME_REFUSAL 3u /* a buffer of yours was refused */
/* Not counted. */
#define GRAVEL_FRAME_FLUSH 4u     /* asks for a report when the receiver is here */
#define GRAVEL_FRAME_ACK 5u       /* I have resolved all your frames up to a sequence number */
#define GRAVEL_FRAME_GET 6u       /* send me bytes */
#define GRAVEL_FRAME_REPLY 7u     /* here they are */
#define GRAVEL_FRAME_HEARTBEAT 8u /* I live */
#define GRAVEL_FRAME_DEATH 9u     /* a node has failed; give up */
#define GRAVEL_FRAME_NOTE 10u     /* a frame lies in shared memory; only transports see it */
#define GRAVEL_FRAME_CREDIT 11u   /* so many of your frames of records are written */
#define GRAVEL_FRAME_ROUND 13u    /* a node's part of a round of kernels that stay */

/* Of a frame of records (kind 12: wire.h) [bytes]: one holds any record with its text. */
#define GRAVEL_RECORDS_LEAST_BYTES 2048u
#define GRAVEL_RECORDS_MOST_BYTES (1u << 16)

/* Returns whether a barrier, which ends when as many have been resolved as were sent, counts them. */
static inline bool gravel_frame_is_counted(uint16_t kind)
{
    return kind <= GRAVEL_FRAME_REFUSAL || kind == GRAVEL_FRAME_RECORDS;
}

/* Returns whether frames are numbered by themselves: they wait for no other frame. */
static inline bool gravel_frame_is_life(uint16_t kind)
{
    return kind == GRAVEL_FRAME_HEARTBEAT || kind == GRAVEL_FRAME_DEATH;
}

#define GRAVEL_FRAME_TEXT_BYTES 512u

/* A piece of what a node brings to the end of a round; all pieces have the same numbers. */
struct gravel_round_frame {
    struct gravel_frame frame;
    uint64_t number; /* of the round, from 1 */
    uint64_t sum;    /* counted */
    uint32_t flags;
    uint32_t n;     /* messages in all pieces */
    uint32_t first; /* number of this piece's first */
    uint32_t padding;
    struct gravelp_round_message messages[];
};

struct gravel_bytes_frame {
    struct gravel_frame frame;
    uint64_t offset; /* heap offset [bytes]; frame.bytes says how many follow */
    unsigned char data[];
};

/* Of a refusal, and of news of a death. */
struct gravel_error_frame {
    struct gravel_frame frame;
    int32_t code;
    char text[GRAVEL_FRAME_TEXT_BYTES];
};

struct gravel_heartbeat_frame {
    struct gravel_frame frame;
    uint64_t n_rounds;  /* of collective calls that the sender has begun */
    uint32_t late_node; /* whom it waits for in the last one, plus 1; 0: none that it knows */
    uint32_t padding;
};

struct gravel_ack_frame {
    struct gravel_frame frame;
    uint64_t acked; /* frames resolved [count] */
};

struct gravel_credit_frame {
    struct gravel_frame frame;
    uint64_t n_written; /* frames of records, of all that the receiver has sent [count] */
};

struct gravel_get_frame {
    struct gravel_frame frame;
    uint64_t id; /* of the request, at its sender */
    uint64_t offset;
    uint64_t bytes;
    uint64_t position; /* [bytes] of the piece in the whole request; comes back in the reply */
};

struct gravel_reply_frame {
    struct gravel_frame frame;
    uint64_t id;
    uint64_t position;
    int64_t code; /* 0, or why there are no bytes */
    unsigned char data[];
};

/* Replaces a frame that lib/transport/handover.c hands over: its header, except for kind and bytes. */
struct gravel_note_frame {
    struct gravel_frame frame;
    uint64_t offset; /* from the start of the sender's segment [bytes] */
    uint64_t bytes;  /* of the frame */
};

#endif
