/* SPDX-License-Identifier: MIT */
/*
 * Messages that lie on the device packed by destination: rows, copied straight to where they travel from.
 *
 * Path:    accumulate/flush.c -> this -> host_buffers.c -> network thread.
 * Threads: any but a handler's.
 */
#include "base/piece.h"
#include "node/node.h"
#include "opencl/wait.h"
#include "pump/device_aggregator.h"

struct sending {
    struct gravel *gravel;
    const struct gravel_packed *packed;
    cl_event copied; /* the batch's last copy; NULL: none has begun */
    cl_int error;    /* why a copy was not enqueued */
};

static uint64_t begin(void *context, struct gravel_buffer *buffer, uint64_t done)
{
    struct sending *sending = context;
    const struct gravel_packed *packed = sending->packed;
    const uint32_t command = packed->key.command,
                   n = gravel_piece_messages(packed->n - (uint32_t)done,
                                             gravel_buffer_fits(buffer->capacity, command));
    struct gravel_rows rows = packed->rows;
    rows.indices += done * GRAVELP_INDEX_BYTES(command);
    rows.values += done * GRAVELP_VALUE_BYTES(command);
    gravel_buffer_lay_out(buffer, &packed->key, n);
    if (sending->error == CL_SUCCESS)
        sending->error = gravel_rows_copy(packed->queue, &rows, buffer, &sending->copied);
    gravel_buffer_complete(buffer);
    return n;
}

/* Waits also for copies that began before one that could not be enqueued. */
static int end(void *context)
{
    static const char what[] = "fetching packed messages";
    struct sending *sending = context;
    int waited = sending->copied
                     ? gravel_wait_command(&sending->gravel->device, sending->packed->queue,
                                           CL_SUCCESS, sending->copied, what)
                     : 0;
    sending->copied = NULL;
    return waited ? waited : gravel_check_cl(what, sending->error);
}

int gravel_node_send_packed(struct gravel *gravel, const struct gravel_packed *packed)
{
    struct sending sending = {.gravel = gravel, .packed = packed};
    const struct gravel_filling filling = {.n = packed->n,
                                           .node = packed->node,
                                           .kind = GRAVEL_FRAME_MESSAGES,
                                           .begin = begin,
                                           .end = end,
                                           .context = &sending};
    return gravel_node_fill(gravel, &filling);
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
