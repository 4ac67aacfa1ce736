/* SPDX-License-Identifier: MIT */
/*
 * The messages that host code sends, in node buffers of its own.
 *
 * Path:    gravel.h, accumulate/flush.c, mirror/share.c -> messages.c -> sender.c, job.c -> network thread.
 * Threads: any, and handlers, which have a sender of their own, where gravel.h says so.
 */
#include "node/node.h"

#include "base/clock.h"
#include "base/counter.h"
#include "base/rounding.h"
#include "opencl/wait.h"
#include "pump/block.h"
#include "transport/names.h"

#include <inttypes.h>
#include <string.h>

/* ---- senders ------------------------------------------------------------------------------------ */

static int lock(struct gravel *gravel)
{
    return gravel_node_lock(gravel, &gravel->network.host_lock, "another thread, which sends");
}

/* Takes the sender this thread may use, locked if it is shared; the thread's until leave_sender. */
static int enter_sender(struct gravel *gravel, struct gravel_sender **sender)
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

static void leave_sender(struct gravel *gravel)
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

/* Returns why there is no node buffer. */
static int fail_frame(struct gravel *gravel)
{
    return gravel_leave(gravel, gravel_fail_memory("a node buffer", gravel->config.buffer_bytes));
}

int gravel_node_append(struct gravel *gravel, const struct gravel_columns *columns)
{
    uint32_t refused;
    struct gravel_sender *sender;
    GRAVEL_TRY(enter_sender(gravel, &sender));
    int code = gravel_sender_append(sender, columns, gravel_clock_ns(), &refused);
    leave_sender(gravel);
    return code ? fail_frame(gravel) : 0;
}

/* ---- what has node buffers of its own --------------------------------------------------------------- */

/* Of GRAVEL_HOST_BUFFERS a node, of which one a node may be open: what is left circulates. */
#define BATCH_BUFFERS (GRAVEL_HOST_BUFFERS - 1)

/* What goes to a node: bytes of the host, bytes of a local heap, or packed messages. Copies of the device fill a batch
 * of node buffers at a time, and are waited for together. */
struct sending {
    struct gravel *gravel;
    uint32_t node, heap;
    uint64_t n; /* bytes, or messages */
    const unsigned char *data;
    const struct gravel_packed *packed;
    uint64_t from, to;      /* heap offsets of bytes */
    cl_command_queue queue; /* of the copies, in order */
    cl_event copied;        /* the batch's last copy; NULL: none has begun */
    cl_int error;           /* why a copy was not enqueued */
};

/* Lays a buffer out for the bytes behind the first `done`, and begins their copy. @return how many it takes */
static uint64_t begin_bytes(struct sending *sending, struct gravel_buffer *buffer, uint64_t done)
{
    struct gravel_bytes_frame *frame = (struct gravel_bytes_frame *)buffer->frame;
    const uint64_t at = sending->to + done,
                   bytes =
                       gravel_piece_bytes(at, sending->n - done, buffer->capacity - sizeof *frame);
    frame->offset = at;
    frame->frame.bytes = (uint32_t)(sizeof *frame + bytes);
    frame->frame.n_messages = 1;
    if (sending->data)
        memcpy(frame->data, sending->data + done, bytes);
    else if (sending->error == CL_SUCCESS)
        sending->error =
            gravel_memory_begin_read(&sending->gravel->memory, sending->heap, sending->from + done,
                                     frame->data, bytes, &sending->copied);
    return bytes;
}

/* Does the same for packed messages. */
static uint64_t begin_messages(struct sending *sending, struct gravel_buffer *buffer, uint64_t done)
{
    const struct gravel_packed *packed = sending->packed;
    const uint32_t command = packed->key.command,
                   n = gravel_piece_messages((uint32_t)(sending->n - done),
                                             gravel_buffer_fits(buffer->capacity, command));
    struct gravel_rows rows = packed->rows;
    rows.indices += done * GRAVELP_INDEX_BYTES(command);
    rows.values += done * GRAVELP_VALUE_BYTES(command);
    gravel_buffer_lay_out(buffer, &packed->key, n, NULL);
    if (sending->error == CL_SUCCESS)
        sending->error = gravel_rows_copy(sending->queue, &rows, buffer, &sending->copied);
    gravel_buffer_complete(buffer);
    return n;
}

/* Waits for a batch's copies, also for those that began before one that could not be enqueued, and ships its buffers,
 * or gives them back. Those that a copy may still write to stay. */
static int end_batch(struct sending *sending, struct gravel_sender *sender,
                     struct gravel_buffer *const *buffers, uint32_t n)
{
    static const char what[] = "fetching what is sent";
    int code = sending->copied ? gravel_wait_command(&sending->gravel->device, sending->queue,
                                                     CL_SUCCESS, sending->copied, what)
                               : 0;
    sending->copied = NULL;
    if (!code)
        code = gravel_check_cl(what, sending->error);
    for (uint32_t i = 0; i < n && !gravel_wait_gave_up(code); i++)
        if (code)
            gravel_pool_return(buffers[i]);
        else
            gravel_sender_ship_frame(sender, buffers[i]);
    return code;
}

/* Sends all of it, behind what has been sent to the node. @return 0; GRAVEL_ENOMEM; GRAVEL_ECL; the node's failure */
static int send_all(struct sending *sending)
{
    const uint32_t most = sending->data ? 1 : BATCH_BUFFERS;
    int code = 0;
    for (uint64_t done = 0; done < sending->n && !code;) {
        struct gravel_buffer *buffers[BATCH_BUFFERS];
        struct gravel_sender *sender;
        uint32_t n = 0;
        GRAVEL_TRY(enter_sender(sending->gravel, &sender));
        while (done < sending->n && n < most &&
               (buffers[n] = gravel_sender_frame(
                    sender, sending->packed ? GRAVEL_FRAME_MESSAGES : GRAVEL_FRAME_BYTES,
                    sending->node)))
            done += (sending->packed ? begin_messages : begin_bytes)(sending, buffers[n++], done);
        code = end_batch(sending, sender, buffers, n);
        leave_sender(sending->gravel);
        if (n == 0)
            code = fail_frame(sending->gravel);
    }
    return code;
}

int gravel_node_put_heap(struct gravel *gravel, uint32_t heap, uint64_t from, uint64_t to,
                         uint64_t bytes, uint32_t node)
{
    struct sending sending = {.gravel = gravel,
                              .node = node,
                              .heap = heap,
                              .n = bytes,
                              .from = from,
                              .to = to,
                              .queue = gravel->memory.copies};
    return send_all(&sending);
}

int gravel_node_send_packed(struct gravel *gravel, const struct gravel_packed *packed,
                            struct gravel_buffer *headers)
{
    struct sending sending = {.gravel = gravel,
                              .node = packed->node,
                              .n = packed->n,
                              .packed = packed,
                              .queue = gravel->copies};
    struct gravel_sender *sender;
    if (!headers)
        return send_all(&sending);
    GRAVEL_TRY(enter_sender(gravel, &sender));
    gravel_buffer_reset(headers, GRAVEL_FRAME_MESSAGES, gravel->network.transport->node,
                        packed->node);
    gravel_buffer_lay_out(headers, &packed->key, packed->n, &packed->rows);
    gravel_buffer_complete(headers);
    gravel_sender_ship_frame(sender, headers);
    leave_sender(gravel);
    return 0;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Checks that a message may be sent to a node. */
static int check_node(struct gravel *gravel, const char *call, uint32_t node)
{
    GRAVEL_TRY(gravel_enter(gravel, call, GRAVEL_ANYWHERE));
    if (node < gravel_n_nodes(gravel))
        return gravel_leave(gravel, 0);
    return gravel_fail(GRAVEL_ERANGE, "%s: node %u does not exist (there are %u)", call, node,
                       gravel_n_nodes(gravel));
}

/* Checks that bytes may be copied to or from a node's heap. */
static int check_bytes(struct gravel *gravel, const char *call, uint64_t offset, const void *data,
                       uint64_t bytes, uint32_t node)
{
    GRAVEL_TRY(check_node(gravel, call, node));
    if (bytes == 0)
        return 0;
    GRAVEL_TRY(gravel_require(call, "data", data));
    GRAVEL_TRY(gravel_node_refuse_bytes(gravel, call, offset, bytes));
    if (gravel->config.check)
        gravel_guards_touch(&gravel->guards, offset, bytes, call);
    return 0;
}

int gravel_put(struct gravel *gravel, uint64_t offset, const void *data, uint64_t bytes,
               uint32_t node)
{
    GRAVEL_TRY(check_bytes(gravel, "gravel_put", offset, data, bytes, node));
    struct sending sending = {
        .gravel = gravel, .node = node, .n = bytes, .data = data, .to = offset};
    return send_all(&sending);
}

int gravel_get(struct gravel *gravel, uint64_t offset, void *data, uint64_t bytes, uint32_t node)
{
    GRAVEL_TRY(gravel_enter(gravel, "gravel_get", GRAVEL_WAITS));
    int code = check_bytes(gravel, "gravel_get", offset, data, bytes, node);
    if (code || bytes == 0)
        return code;
    if ((code = gravel_node_flush_host(gravel)))
        return code;
    struct gravel_job job = {
        .kind = GRAVEL_JOB_GET, .node = node, .offset = offset, .bytes = bytes, .data = data};
    return gravel_leave(gravel, gravel_network_run(&gravel->network, &job));
}

int gravel_update(struct gravel *gravel, uint32_t op, uint32_t type, uint64_t offset,
                  const void *value, uint32_t node)
{
    char named[GRAVEL_NAMED_BYTES];
    GRAVEL_TRY(check_node(gravel, "gravel_update", node));
    if (!gravel_has_operation(op, type))
        return gravel_fail(GRAVEL_EINVAL, "gravel_update: there is no %s",
                           gravel_name_operation(named, op, type));
    _Alignas(8) unsigned char bits[8] = {0};
    if (op != GRAVEL_INC) {
        GRAVEL_TRY(gravel_require("gravel_update", "value", value));
        memcpy(bits, value, GRAVEL_TYPE_BYTES(type));
    }
    if (gravel->config.check)
        gravel_guards_touch(&gravel->guards, offset, GRAVEL_TYPE_BYTES(type), "gravel_update");
    struct gravel_span span;
    gravel_heap_lock_shared(gravel->heap);
    const bool is_known = gravel_heap_span(gravel->heap, offset, &span);
    gravel_heap_unlock_shared(gravel->heap);
    /* Updates of one allocation share a run; what is in none, or between two words, the other node refuses. */
    const uint32_t size = GRAVEL_TYPE_BYTES(type);
    const uint64_t base = is_known && offset % size == 0 ? span.offset : offset;
    const uint64_t index = (offset - base) / size;
    const uint32_t far = index > UINT32_MAX ? GRAVELP_COMMAND_FAR : 0, near = (uint32_t)index;
    const struct gravel_columns columns = {
        .key = {.command = GRAVELP_COMMAND(op, type) | far, .base = base},
        .n = 1,
        .nodes = &node,
        .index = far ? (const void *)&index : (const void *)&near,
        .values = {bits},
    };
    return gravel_node_append(gravel, &columns);
}

int gravel_am(struct gravel *gravel, uint32_t handler, const uint64_t *args, uint32_t n_args,
              uint32_t node)
{
    GRAVEL_TRY(check_node(gravel, "gravel_am", node));
    if (handler >= gravel->endpoints.n_handlers)
        return gravel_fail(GRAVEL_EHANDLER, "gravel_am: handler %u out of range (%u registered)",
                           handler, gravel->endpoints.n_handlers);
    const struct gravel_handler *called = &gravel->endpoints.handlers[handler];
    if (n_args)
        GRAVEL_TRY(gravel_require("gravel_am", "args", args));
    if (called->blocks)
        return gravel_fail(GRAVEL_EINVAL,
                           "gravel_am: handler %s blocks: kernels alone ask it (gravel_askN)",
                           called->name);
    if (n_args != called->n_args)
        return gravel_fail(GRAVEL_EINVAL, "gravel_am: handler %s takes %u arguments, not %u",
                           called->name, called->n_args, n_args);
    const bool is_narrow = gravel_handler_is_narrow(called);
    uint32_t words[GRAVEL_AM_MAX_ARGS];
    struct gravel_columns columns = {
        .key.command = GRAVELP_COMMAND_AM(gravel_handler_number(called, handler), n_args),
        .n = 1,
        .nodes = &node};
    for (uint32_t i = 0; i < n_args; i++) {
        if (is_narrow && args[i] > UINT32_MAX)
            return gravel_fail(GRAVEL_EINVAL,
                               "gravel_am: handler %s takes arguments of 4 bytes, and argument %u "
                               "is %" PRIu64,
                               called->name, i, args[i]);
        words[i] = (uint32_t)args[i];
        columns.values[i] = is_narrow ? (const void *)&words[i] : (const void *)&args[i];
    }
    return gravel_node_append(gravel, &columns);
}

/* ---- sessions ------------------------------------------------------------------------------------ */

/* While a session lasts, node buffers of this node do not age: aggregate/sender.c asks. Source: OpenSHMEM 1.6. */

/* Begins a session, or ends one: the last one's end ships what a fence ships, without a wait. */
static int change(struct gravel *gravel, const char *call, bool begins)
{
    GRAVEL_TRY(gravel_enter(gravel, call, GRAVEL_WAITS));
    GRAVEL_TRY(lock(gravel));
    const uint32_t n =
        atomic_load_explicit(&gravel->network.n_sessions, memory_order_relaxed); /* A7 */
    if (begins || n)
        atomic_store_explicit(&gravel->network.n_sessions, begins ? n + 1 : n - 1,
                              memory_order_relaxed); /* A7 */
    if (!begins && n == 1) {
        for (uint32_t i = 0; i < gravel->config.n_aggregators; i++)
            gravel_aggregator_flush(&gravel->aggregators[i]);
        gravel_sender_flush(gravel->network.host_sender);
        gravel_network_wake(&gravel->network);
    }
    pthread_mutex_unlock(&gravel->network.host_lock);
    GRAVEL_TRY(gravel_leave(gravel, 0));
    return begins || n ? 0 : gravel_fail(GRAVEL_EINVAL, "%s: no session has been begun", call);
}

int gravel_session_begin(struct gravel *gravel)
{
    return change(gravel, "gravel_session_begin", true);
}

int gravel_session_end(struct gravel *gravel)
{
    return change(gravel, "gravel_session_end", false);
}
