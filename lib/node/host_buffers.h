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

/* Node buffers for one node that copies fill: a batch of them at a time, whose copies are waited for together. */
struct gravel_filling {
    uint64_t n;    /* of what is sent */
    uint32_t node; /* that it goes to */
    uint16_t kind; /* of the frames: GRAVEL_FRAME_... */
    /* lays a buffer out for what comes after the first `done`, and begins its copy. @return how much it takes */
    uint64_t (*begin)(void *context, struct gravel_buffer *buffer, uint64_t done);
    /* waits for the batch's copies. @return 0, or why it is not sent; given up (opencl/wait.h): the buffers stay */
    int (*end)(void *context);
    void *context;
};

/** Sends all of it, behind what has been sent to the node. @return 0; GRAVEL_ENOMEM; the node's failure; as `end`. */
int gravel_node_fill(struct gravel *gravel, const struct gravel_filling *filling);

#endif
