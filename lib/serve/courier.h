/* SPDX-License-Identifier: MIT */
/*
 * What messages with keys that wait ask of the network thread: to send frames and answers, and to report. So this room
 * knows of no network, and a test stands for one (tests/unit/test_grant.c).
 *
 * Path:    transactions.c, grant.c, line.c -> courier.h -> network/start.c.
 * Owner:   a frame is the courier's as soon as it is put.
 * Threads: the network thread.
 */
#ifndef GRAVEL_SERVE_COURIER_H
#define GRAVEL_SERVE_COURIER_H

#include "transport/transport.h"
#include "transport/wire.h"

struct gravel_heap;

struct gravel_courier {
    const struct gravel_transport *transport; /* which node this is, and of how many */
    struct gravel_heap *heap;
    const struct gravel_failure *failure;
    uint64_t patience_ns; /* of those who wait for this node: a death has spread by then */
    uint32_t most_bytes;  /* of a frame */
    void *context;
    /** A frame of `bytes`, zeroed behind its header. @return NULL: no memory, and the node has failed. */
    struct gravel_buffer *(*frame)(void *context, uint16_t kind, uint32_t node, uint32_t bytes);
    void (*put)(void *context, struct gravel_buffer *buffer);
    /** Send the answers of a run of requests: network/reply.c. */
    void (*answer)(void *context, const struct gravel_signal_run *run, uint32_t source,
                   const void *requests, const unsigned char *answers);
    /** Tell this node and `source` that messages to `destination` were not applied. */
    void (*refuse)(void *context, int code, const char *text, uint32_t source,
                   uint32_t destination);
    /** The node fails. */
    void (*fail)(void *context, int code, const char *text);
};

#endif
