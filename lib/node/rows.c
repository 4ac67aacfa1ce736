/* SPDX-License-Identifier: MIT */
/*
 * Messages that lie on the device packed by destination: rows, copied straight to where they travel from.
 *
 * Path:    accumulate/flush.c -> this -> host_buffers.c -> network thread.
 * Threads: any but a handler's.
 */
#include "node/host_buffers.h"
#include "opencl/objects.h"
#include "opencl/wait.h"

/* Buffers, and the last of the copies that fill them. */
struct pieces {
    struct gravel_batch batch;
    cl_event copied;
};

/* Messages of the next of the pieces, of one size, in which `left` travel; even but for the last. */
static uint32_t next_piece(const struct gravel_buffer *buffer, uint32_t command, uint32_t left)
{
    uint32_t most = gravel_buffer_fits(buffer->capacity, command) & ~1u;
    most = most ? most : 1;
    uint32_t n_pieces = (left + most - 1) / most, n = (left + n_pieces - 1) / n_pieces;
    return n_pieces == 1 || most == 1 ? n : (n + 1) & ~1u;
}

static cl_int copy_row(struct pieces *pieces, const struct gravel_packed *packed, uint64_t at,
                       void *to, uint64_t bytes)
{
    cl_event copied = NULL;
    if (bytes == 0)
        return CL_SUCCESS;
    cl_int error = clEnqueueReadBuffer(packed->queue, packed->rows.memory, CL_FALSE, at, bytes, to,
                                       0, NULL, &copied);
    if (error == CL_SUCCESS) {
        gravel_cl_event_release(pieces->copied);
        pieces->copied = copied;
    }
    return error;
}

static cl_int copy_piece(struct pieces *pieces, const struct gravel_packed *packed, uint32_t done,
                         struct gravel_buffer *buffer, uint32_t n)
{
    const uint32_t command = packed->key.command;
    const uint64_t index_bytes = GRAVELP_INDEX_BYTES(command),
                   value_bytes = GRAVELP_VALUE_BYTES(command);
    gravel_buffer_lay_out(buffer, &packed->key, n);
    unsigned char *indices = gravel_buffer_index(buffer);
    unsigned char *values = gravel_buffer_value(buffer, 0);
    gravel_buffer_complete(buffer);
    cl_int error = copy_row(pieces, packed, packed->rows.indices + done * index_bytes, indices,
                            n * index_bytes);
    return error != CL_SUCCESS ? error
                               : copy_row(pieces, packed, packed->rows.values + done * value_bytes,
                                          values, n * value_bytes);
}

/* @param done  [in, out] messages that have a buffer. @return why copies were not enqueued. */
static cl_int fill_pieces(struct gravel_sender *sender, struct pieces *pieces,
                          const struct gravel_packed *packed, uint32_t *done)
{
    cl_int error = CL_SUCCESS;
    while (*done < packed->n && error == CL_SUCCESS) {
        struct gravel_buffer *buffer =
            gravel_batch_take(&pieces->batch, sender, GRAVEL_FRAME_MESSAGES, packed->node);
        if (!buffer)
            break;
        uint32_t n = next_piece(buffer, packed->key.command, packed->n - *done);
        error = copy_piece(pieces, packed, *done, buffer, n);
        *done += n;
    }
    return error;
}

/* @return the copies' end; also of copies that began before one that could not be enqueued. */
static int wait_for(struct gravel *gravel, const struct gravel_packed *packed,
                    struct pieces *pieces, cl_int error)
{
    static const char what[] = "fetching packed messages";
    int code = gravel_check_cl(what, error), waited = 0;
    if (pieces->copied)
        waited =
            gravel_wait_command(&gravel->device, packed->queue, CL_SUCCESS, pieces->copied, what);
    return waited ? waited : code;
}

int gravel_node_send_packed(struct gravel *gravel, const struct gravel_packed *packed)
{
    int code = 0;
    for (uint32_t done = 0; done < packed->n && !code;) {
        struct pieces pieces = {.copied = NULL};
        struct gravel_sender *sender;
        code = gravel_node_enter_sender(gravel, &sender);
        if (code)
            return code;
        code = wait_for(gravel, packed, &pieces, fill_pieces(sender, &pieces, packed, &done));
        gravel_batch_end(&pieces.batch, sender, code);
        gravel_node_leave_sender(gravel);
        if (pieces.batch.n == 0)
            code = gravel_node_fail_frame(gravel);
    }
    return code;
}

int gravel_node_leave_packed(struct gravel *gravel, const struct gravel_packed *packed,
                             struct gravel_buffer *headers)
{
    struct gravel_sender *sender;
    const int code = gravel_node_enter_sender(gravel, &sender);
    if (code)
        return code;
    gravel_buffer_reset(headers, GRAVEL_FRAME_MESSAGES, gravel->network.transport->node,
                        packed->node);
    gravel_buffer_point(headers, &packed->key, packed->n, &packed->rows);
    gravel_buffer_complete(headers);
    gravel_sender_ship_frame(sender, headers);
    gravel_node_leave_sender(gravel);
    return 0;
}
