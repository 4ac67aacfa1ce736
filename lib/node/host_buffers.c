/* SPDX-License-Identifier: MIT */
/*
 * The node buffers of calls that host code makes. See host_buffers.h.
 */
#include "node/host_buffers.h"

#include "base/counter.h"
#include "opencl/wait.h"

static int lock(struct gravel *gravel)
{
    return gravel_node_lock(gravel, &gravel->network.host_lock, "another thread, which sends");
}

int gravel_node_enter_sender(struct gravel *gravel, struct gravel_sender **sender)
{
    if (gravel_node_is_in_handler(gravel)) {
        gravel_counter_add(&gravel->network.n_handler_calls, 1); /* U12 */
        *sender = gravel->network.handler_sender;
        return 0;
    }
    GRAVEL_TRY(lock(gravel));
    gravel_counter_add(&gravel->network.n_host_calls, 1); /* U12 */
    *sender = gravel->network.host_sender;
    return 0;
}

void gravel_node_leave_sender(struct gravel *gravel)
{
    if (gravel_node_is_in_handler(gravel))
        return;
    pthread_mutex_unlock(&gravel->network.host_lock);
    gravel_network_wake(&gravel->network);
}

int gravel_node_flush_host(struct gravel *gravel)
{
    GRAVEL_TRY(lock(gravel));
    gravel_sender_flush(gravel->network.host_sender);
    pthread_mutex_unlock(&gravel->network.host_lock);
    return 0;
}

int gravel_node_fail_frame(struct gravel *gravel)
{
    return gravel_leave(gravel, gravel_fail(GRAVEL_ENOMEM, "no memory for a node buffer"));
}

struct gravel_buffer *gravel_batch_take(struct gravel_batch *batch, struct gravel_sender *sender,
                                        uint16_t kind, uint32_t node)
{
    struct gravel_buffer *buffer =
        batch->n < GRAVEL_BATCH_BUFFERS ? gravel_sender_frame(sender, kind, node) : NULL;
    if (buffer)
        batch->buffers[batch->n++] = buffer;
    return buffer;
}

void gravel_batch_end(struct gravel_batch *batch, struct gravel_sender *sender, int code)
{
    for (uint32_t i = 0; i < batch->n && !gravel_wait_gave_up(code); i++)
        if (code)
            gravel_pool_return(batch->buffers[i]);
        else
            gravel_sender_ship_frame(sender, batch->buffers[i]);
}
