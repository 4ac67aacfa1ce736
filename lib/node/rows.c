/* SPDX-License-Identifier: MIT */
/*
 * Messages that lie on the device packed by destination: rows, copied straight to where they travel from.
 *
 * Path:    accumulate/flush.c -> this -> host_buffers.c -> network thread.
 * Threads: any but a handler's.
 */
#include "base/piece.h"
#include "node/host_buffers.h"
#include "opencl/wait.h"
#include "pump/device_aggregator.h"

/* Buffers, and the last of the copies that fill them. */
struct pieces {
    struct gravel_batch batch;
    cl_event copied;
};

/* @param done  [in, out] messages that have a buffer. @return why copies were not enqueued. */
static cl_int fill_pieces(struct gravel_sender *sender, struct pieces *pieces,
                          const struct gravel_packed *packed, uint32_t *done)
{
    const uint32_t command = packed->key.command;
    struct gravel_rows rows = packed->rows;
    cl_int error = CL_SUCCESS;
    rows.indices += (uint64_t)*done * GRAVELP_INDEX_BYTES(command);
    rows.values += (uint64_t)*done * GRAVELP_VALUE_BYTES(command);
    while (*done < packed->n && error == CL_SUCCESS) {
        struct gravel_buffer *buffer =
            gravel_batch_take(&pieces->batch, sender, GRAVEL_FRAME_MESSAGES, packed->node);
        if (!buffer)
            break;
        uint32_t n =
            gravel_piece_messages(packed->n - *done, gravel_buffer_fits(buffer->capacity, command));
        gravel_buffer_lay_out(buffer, &packed->key, n);
        error = gravel_rows_copy(packed->queue, &rows, buffer, &pieces->copied);
        gravel_buffer_complete(buffer);
        rows.indices += (uint64_t)n * GRAVELP_INDEX_BYTES(command);
        rows.values += (uint64_t)n * GRAVELP_VALUE_BYTES(command);
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
        GRAVEL_TRY(gravel_node_enter_sender(gravel, &sender));
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
    GRAVEL_TRY(gravel_node_enter_sender(gravel, &sender));
    gravel_buffer_reset(headers, GRAVEL_FRAME_MESSAGES, gravel->network.transport->node,
                        packed->node);
    gravel_buffer_point(headers, &packed->key, packed->n, &packed->rows);
    gravel_buffer_complete(headers);
    gravel_sender_ship_frame(sender, headers);
    gravel_node_leave_sender(gravel);
    return 0;
}
