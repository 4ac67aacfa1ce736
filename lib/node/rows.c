/* SPDX-License-Identifier: MIT */
/*
 * Messages that lie on the device packed by destination: rows, copied straight to where they travel from.
 *
 * Path:    accumulate/flush.c -> this -> host_sender -> network thread.
 * Threads: any but a handler's.
 */
#include "base/clock.h"
#include "node/node.h"
#include "opencl/objects.h"
#include "opencl/wait.h"

/* Of the host's buffers, of which one a node may be open: what is left circulates. */
#define PIECES_AT_ONCE (GRAVEL_HOST_BUFFERS - 1)

/* Buffers that are filled by copies which are waited for together. */
struct batch {
    struct gravel_buffer *buffers[PIECES_AT_ONCE];
    uint32_t n;
    cl_event copied; /* the last copy's */
};

/* Messages of the next of the pieces, of one size, in which `left` travel; even but for the last. */
static uint32_t next_piece(const struct gravel_buffer *buffer, uint32_t command, uint32_t left)
{
    uint32_t most = gravel_buffer_fits(buffer->capacity, command) & ~1u;
    most = most ? most : 1;
    uint32_t n_pieces = (left + most - 1) / most, n = (left + n_pieces - 1) / n_pieces;
    return n_pieces == 1 || most == 1 ? n : (n + 1) & ~1u;
}

static cl_int copy_row(struct batch *batch, const struct gravel_packed *packed, uint64_t at,
                       void *to, uint64_t bytes)
{
    cl_event copied = NULL;
    if (bytes == 0)
        return CL_SUCCESS;
    cl_int error = clEnqueueReadBuffer(packed->queue, packed->rows.memory, CL_FALSE, at, bytes, to,
                                       0, NULL, &copied);
    if (error == CL_SUCCESS) {
        gravel_cl_event_release(batch->copied);
        batch->copied = copied;
    }
    return error;
}

static cl_int copy_piece(struct batch *batch, const struct gravel_packed *packed, uint32_t done,
                         struct gravel_buffer *buffer, uint32_t n)
{
    const uint32_t command = packed->key.command;
    const uint64_t index_bytes = GRAVELP_INDEX_BYTES(command),
                   value_bytes = GRAVELP_VALUE_BYTES(command);
    gravel_buffer_lay_out(buffer, &packed->key, n);
    cl_int error = copy_row(batch, packed, packed->rows.indices + done * index_bytes,
                            gravel_buffer_index(buffer), n * index_bytes);
    return error != CL_SUCCESS ? error
                               : copy_row(batch, packed, packed->rows.values + done * value_bytes,
                                          gravel_buffer_value(buffer, 0), n * value_bytes);
}

/* @param done  [in, out] messages that have a buffer. @return why copies were not enqueued. */
static cl_int fill_batch(struct gravel_sender *sender, struct batch *batch,
                         const struct gravel_packed *packed, uint32_t *done)
{
    cl_int error = CL_SUCCESS;
    while (batch->n < PIECES_AT_ONCE && *done < packed->n && error == CL_SUCCESS) {
        struct gravel_buffer *buffer =
            gravel_sender_frame(sender, GRAVEL_FRAME_MESSAGES, packed->node);
        if (!buffer)
            break;
        uint32_t n = next_piece(buffer, packed->key.command, packed->n - *done);
        batch->buffers[batch->n++] = buffer;
        error = copy_piece(batch, packed, *done, buffer, n);
        *done += n;
    }
    return error;
}

/* Buffers that a copy may still write to stay. */
static void end_batch(struct gravel_sender *sender, struct batch *batch, int code)
{
    for (uint32_t i = 0; i < batch->n && !gravel_wait_gave_up(code); i++) {
        if (code) {
            gravel_pool_return(batch->buffers[i]);
            continue;
        }
        gravel_buffer_complete(batch->buffers[i]);
        gravel_sender_ship_frame(sender, batch->buffers[i]);
    }
}

/* @return the batch's end; also of copies that began before one that could not be enqueued. */
static int wait_for_batch(struct gravel *gravel, const struct gravel_packed *packed,
                          struct batch *batch, cl_int error)
{
    static const char what[] = "fetching packed messages";
    int code = gravel_check_cl(what, error), waited = 0;
    if (batch->copied)
        waited =
            gravel_wait_command(&gravel->device, packed->queue, CL_SUCCESS, batch->copied, what);
    return waited ? waited : code;
}

int gravel_node_send_packed(struct gravel *gravel, const struct gravel_packed *packed)
{
    int code = 0;
    for (uint32_t done = 0; done < packed->n && !code;) {
        struct batch batch = {.n = 0};
        pthread_mutex_lock(&gravel->network.host_lock);
        struct gravel_sender *sender = gravel->network.host_sender;
        code = wait_for_batch(gravel, packed, &batch, fill_batch(sender, &batch, packed, &done));
        end_batch(sender, &batch, code);
        pthread_mutex_unlock(&gravel->network.host_lock);
        gravel_network_wake(&gravel->network);
        if (batch.n == 0)
            code = gravel_node_fail_frame(gravel);
    }
    return code;
}

void gravel_node_leave_packed(struct gravel *gravel, const struct gravel_packed *packed,
                              struct gravel_buffer *headers)
{
    gravel_buffer_reset(headers, GRAVEL_FRAME_MESSAGES, gravel->network.transport->node,
                        packed->node);
    gravel_buffer_point(headers, &packed->key, packed->n, &packed->rows);
    gravel_buffer_complete(headers);
    pthread_mutex_lock(&gravel->network.host_lock);
    gravel_sender_ship_frame(gravel->network.host_sender, headers);
    pthread_mutex_unlock(&gravel->network.host_lock);
    gravel_network_wake(&gravel->network);
}
