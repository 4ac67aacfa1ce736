/* SPDX-License-Identifier: MIT */
/*
 * The messages that host code sends, and the handlers that it is called by.
 *
 * Path:    gravel.h -> messages.c -> host_buffers.c, job.c.
 * Threads: any, and handlers where gravel.h says so.
 */
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
    return gravel_node_put(gravel, offset, data, bytes, node);
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
