/* SPDX-License-Identifier: MIT */
/*
 * The node buffers of calls that host code makes: the sender that the calling thread may use, and batches of its
 * buffers that copies from the device fill together.
 *
 * Path:    messages.c, rows.c -> host_buffers.c -> sender.c.
 * Owner:   buffers of a batch are the caller's from gravel_batch_take to gravel_batch_end.
 * Threads: any, and handlers; a sender and its batch are one thread's from enter to leave.
 */
#ifndef GRAVEL_NODE_HOST_BUFFERS_H
#define GRAVEL_NODE_HOST_BUFFERS_H

#include "node/node.h"

/** Take the sender this thread may use, locked if it is shared. @return 0; as gravel_node_lock: leave nothing. */
int gravel_node_enter_sender(struct gravel *gravel, struct gravel_sender **sender);
void gravel_node_leave_sender(struct gravel *gravel);

/** Ship what host calls have sent. @return 0; as gravel_node_lock. */
int gravel_node_flush_host(struct gravel *gravel);

/** Return why there is no node buffer: the node's failure, or GRAVEL_ENOMEM. */
int gravel_node_fail_frame(struct gravel *gravel);

/* Of GRAVEL_HOST_BUFFERS a node, of which one a node may be open: what is left circulates. */
#define GRAVEL_BATCH_BUFFERS (GRAVEL_HOST_BUFFERS - 1)

/* Buffers that are filled by copies which are waited for together; empty as it begins: n is 0. */
struct gravel_batch {
    struct gravel_buffer *buffers[GRAVEL_BATCH_BUFFERS];
    uint32_t n;
};

/**
 * The batch's next buffer, an empty frame, which ships behind all that has been sent to the node.
 *
 * @param kind  GRAVEL_FRAME_...
 * @return      NULL if the batch is full; or without memory, or if the node has failed.
 */
struct gravel_buffer *gravel_batch_take(struct gravel_batch *batch, struct gravel_sender *sender,
                                        uint16_t kind, uint32_t node);

/**
 * Ship the buffers, whose headers are complete, or give them back. Those that a copy may still write to stay.
 *
 * @param code  what the wait for the copies came to: 0 ships.
 */
void gravel_batch_end(struct gravel_batch *batch, struct gravel_sender *sender, int code);

#endif
