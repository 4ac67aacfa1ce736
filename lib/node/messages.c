/* SPDX-License-Identifier: MIT */
/*
 * The messages that host code sends, and the handlers that it is called by.
 *
 * Path:    gravel.h -> messages.c -> host_buffers.c, sender.c, job.c.
 * Threads: any, and handlers where gravel.h says so.
 */
#include "base/clock.h"
#include "base/piece.h"
#include "node/node.h"
#include "transport/names.h"

#include <inttypes.h>
#include <string.h>

int gravel_call_handler(void *context, uint32_t handler, uint32_t source,
                        const uint64_t args[GRAVEL_AM_MAX_ARGS], uint64_t *answer)
{
    struct gravel *gravel = context;
    const struct gravel_handler *entry = &gravel->endpoints.handlers[handler];
    gravel_in_handler_of(gravel);
    atomic_store_explicit(&gravel->in_handler, handler + 1, memory_order_relaxed); /* H13 */
    gravel_counter_add(&gravel->handler_steps, 1);                                 /* H13 */
    int result = entry->answer ? entry->answer(gravel, entry->user, source, args, answer)
                               : entry->function(gravel, entry->user, source, args);
    atomic_store_explicit(&gravel->in_handler, 0, memory_order_relaxed); /* H13 */
    gravel_counter_add(&gravel->handler_steps, 1);                       /* H13 */
    gravel_in_handler_of(NULL);
    return result;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Whether a message may be sent there. */
static int check_node(struct gravel *gravel, const char *call, uint32_t node)
{
    GRAVEL_TRY(gravel_enter(gravel, call, GRAVEL_ANYWHERE));
    if (node < gravel_n_nodes(gravel))
        return gravel_leave(gravel, 0);
    return gravel_fail(GRAVEL_ERANGE, "%s: node %u does not exist (there are %u)", call, node,
                       gravel_n_nodes(gravel));
}

/* Whether they may go there or come from there. */
static int check_bytes(struct gravel *gravel, const char *call, uint64_t offset, const void *data,
                       uint64_t bytes, uint32_t node)
{
    GRAVEL_TRY(check_node(gravel, call, node));
    if (bytes)
        GRAVEL_TRY(gravel_require(call, "data", data));
    if (bytes)
        GRAVEL_TRY(gravel_node_refuse_bytes(gravel, call, offset, bytes));
    if (gravel->config.check)
        gravel_guards_touch(&gravel->guards, offset, bytes, call);
    return 0;
}

int gravel_node_append(struct gravel *gravel, const struct gravel_columns *columns)
{
    uint32_t refused;
    struct gravel_sender *sender;
    GRAVEL_TRY(gravel_node_enter_sender(gravel, &sender));
    int code = gravel_sender_append(sender, columns, gravel_clock_ns(), &refused);
    gravel_node_leave_sender(gravel);
    return code ? gravel_node_fail_frame(gravel) : 0;
}

/* Completes the header of a frame for bytes that go to `offset`. @return where they are written */
static unsigned char *lay_out_bytes(struct gravel_buffer *buffer, uint64_t offset, uint64_t bytes)
{
    struct gravel_bytes_frame *frame = (struct gravel_bytes_frame *)buffer->frame;
    frame->offset = offset;
    frame->frame.bytes = (uint32_t)(sizeof *frame + bytes);
    frame->frame.n_messages = 1;
    return frame->data;
}

static int put_piece(struct gravel *gravel, uint32_t node, uint64_t offset, const void *data,
                     uint64_t bytes)
{
    struct gravel_sender *sender;
    GRAVEL_TRY(gravel_node_enter_sender(gravel, &sender));
    struct gravel_buffer *buffer = gravel_sender_frame(sender, GRAVEL_FRAME_BYTES, node);
    if (buffer) {
        memcpy(lay_out_bytes(buffer, offset, bytes), data, bytes);
        gravel_sender_ship_frame(sender, buffer);
    }
    gravel_node_leave_sender(gravel);
    return buffer ? 0 : gravel_node_fail_frame(gravel);
}

static uint64_t most_piece(const struct gravel *gravel)
{
    return gravel->config.buffer_bytes - sizeof(struct gravel_bytes_frame);
}

int gravel_put(struct gravel *gravel, uint64_t offset, const void *data, uint64_t bytes,
               uint32_t node)
{
    int code = check_bytes(gravel, "gravel_put", offset, data, bytes, node);
    for (uint64_t done = 0, piece; done < bytes && !code; done += piece) {
        piece = gravel_piece_bytes(offset + done, bytes - done, most_piece(gravel));
        code = put_piece(gravel, node, offset + done, (const unsigned char *)data + done, piece);
    }
    return code;
}

/* Bytes of a local heap, and the copies of a batch. */
struct sending {
    struct gravel *gravel;
    uint64_t from, to, bytes;
    uint32_t heap, n;
    struct gravel_memory_piece copies[GRAVEL_BATCH_BUFFERS];
};

static uint64_t begin_copy(void *context, struct gravel_buffer *buffer, uint64_t done)
{
    struct sending *sending = context;
    const uint64_t to = sending->to + done, bytes = gravel_piece_bytes(to, sending->bytes - done,
                                                                       most_piece(sending->gravel));
    sending->copies[sending->n++] =
        (struct gravel_memory_piece){sending->from + done, bytes, lay_out_bytes(buffer, to, bytes)};
    return bytes;
}

static int end_copies(void *context)
{
    struct sending *sending = context;
    const uint32_t n = sending->n;
    sending->n = 0;
    return gravel_memory_fetch(&sending->gravel->memory, sending->heap, sending->copies, n);
}

int gravel_node_put_heap(struct gravel *gravel, const char *call, uint32_t heap, uint64_t from,
                         uint64_t to, uint64_t bytes, uint32_t node)
{
    struct sending sending = {
        .gravel = gravel, .from = from, .to = to, .bytes = bytes, .heap = heap};
    const struct gravel_filling filling = {.n = bytes,
                                           .node = node,
                                           .kind = GRAVEL_FRAME_BYTES,
                                           .begin = begin_copy,
                                           .end = end_copies,
                                           .context = &sending};
    GRAVEL_TRY(check_node(gravel, call, node));
    return gravel_node_fill(gravel, &filling);
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
    if (op != GRAVEL_INC)
        GRAVEL_TRY(gravel_require("gravel_update", "value", value));
    if (gravel->config.check)
        gravel_guards_touch(&gravel->guards, offset, GRAVEL_TYPE_BYTES(type), "gravel_update");
    _Alignas(8) unsigned char bits[8] = {0};
    if (op != GRAVEL_INC)
        memcpy(bits, value, GRAVEL_TYPE_BYTES(type));
    const struct gravel_columns columns = {
        .key.command = GRAVELP_COMMAND(op, type) | GRAVELP_COMMAND_WIDE,
        .n = 1,
        .nodes = &node,
        .index = (const unsigned char *)&offset,
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
