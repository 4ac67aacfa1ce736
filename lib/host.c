/* SPDX-License-Identifier: MIT */
/*
 * What host code does with an open node: memory, waits, messages.
 *
 * Path:    gravel.h -> host.c -> aggregator.c, sender.c, job.c; kernels.c has programs and launches.
 * Threads: any, and handlers where gravel.h says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"
#include "wait/clock.h"

/* Set while the network thread runs a handler: whom it runs for. */
static _Thread_local const struct gravel *handler_of;

static uint32_t n_nodes_of(const struct gravel *gravel)
{
    return gravel->network.transport->n_nodes;
}

static bool is_loopback(const struct gravel *gravel)
{
    return gravel->network.transport->is_loopback;
}

uint32_t gravel_node(const struct gravel *gravel)
{
    return handler_of == gravel ? gravel->network.resolving_node
                                : gravel->network.transport->node;
}

uint32_t gravel_n_nodes(const struct gravel *gravel)
{
    return n_nodes_of(gravel);
}

const struct gravel_config *gravel_config(const struct gravel *gravel)
{
    return &gravel->config;
}

const char *gravel_step(const struct gravel *gravel)
{
    return gravel_step_name(gravel->device.step);
}

cl_context gravel_cl_context(const struct gravel *gravel)
{
    return gravel->device.context;
}

cl_device_id gravel_cl_device(const struct gravel *gravel)
{
    return gravel->device.id;
}

cl_command_queue gravel_cl_queue(const struct gravel *gravel)
{
    return gravel->device.queue;
}

int gravel_call_handler(void *context, uint32_t handler, uint32_t source,
                        const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    struct gravel *gravel = context;
    const struct gravel_handler *entry = &gravel->handlers[handler];
    handler_of = gravel;
    int result = entry->function(gravel, entry->user, source, args);
    handler_of = NULL;
    return result;
}

static int refuse_in_handler(const char *call)
{
    return gravel_fail(GRAVEL_EINVAL, "%s waits and cannot be called by a handler", call);
}

/* ---- waits ------------------------------------------------------------------------------------- */

/* What the node's threads noted goes before what the call itself met: it is the cause. */
static int conclude(struct gravel *gravel, int code)
{
    int noted = gravel_failure_report(&gravel->failure);
    return noted ? noted : code;
}

int gravel_node_wait_for_kernels(struct gravel *gravel)
{
    const struct gravel_launches_limit limit = {.aborted = &gravel->aborted,
                                                .timeout_ms = gravel->config.timeout_ms,
                                                .kernel_limit_ms = gravel->config.kernel_limit_ms};
    return gravel_launches_wait(&gravel->launches, &limit);
}

/* Wait for our kernels, and see to it that everything sent so far has been shipped. */
static int settle(struct gravel *gravel)
{
    uint32_t n = gravel->config.n_aggregators, flushes[64];
    int code = gravel_node_wait_for_kernels(gravel);
    if (code)
        gravel_log(gravel, "%s", gravel_last_error()); /* the call may return an earlier cause */
    else if (gravel->pump)
        code = gravel_pump_settle(gravel->pump);
    for (uint32_t i = 0; i < n; i++)
        flushes[i] = gravel_aggregator_flush(&gravel->aggregators[i]);
    for (uint32_t i = 0; i < n; i++)
        gravel_aggregator_flush_wait(&gravel->aggregators[i], flushes[i]);
    pthread_mutex_lock(&gravel->network.host_lock);
    gravel_sender_flush(gravel->network.host_sender);
    pthread_mutex_unlock(&gravel->network.host_lock);
    return code;
}

int gravel_fence(struct gravel *gravel)
{
    if (handler_of)
        return refuse_in_handler("gravel_fence");
    return conclude(gravel, settle(gravel));
}

int gravel_quiet(struct gravel *gravel)
{
    if (handler_of)
        return refuse_in_handler("gravel_quiet");
    uint64_t begin_ns = gravel_clock_ns();
    int code = settle(gravel);
    uint64_t *targets = calloc(n_nodes_of(gravel), sizeof *targets);
    if (!targets)
        return gravel_fail(GRAVEL_ENOMEM, "gravel_quiet for %u nodes", n_nodes_of(gravel));
    struct gravel_job job = {.kind = GRAVEL_JOB_QUIET, .targets = targets};
    int waited = gravel_network_run(&gravel->network, &job);
    free(targets);
    gravel_trace_span(gravel->trace, "quiet", begin_ns, gravel_clock_ns());
    return conclude(gravel, code ? code : waited);
}

int gravel_barrier(struct gravel *gravel)
{
    if (handler_of)
        return refuse_in_handler("gravel_barrier");
    uint64_t begin_ns = gravel_clock_ns();
    int code = settle(gravel);
    struct gravel_job job = {.kind = GRAVEL_JOB_BARRIER};
    int waited = gravel_network_run(&gravel->network, &job);
    gravel_trace_span(gravel->trace, "barrier", begin_ns, gravel_clock_ns());
    return conclude(gravel, code ? code : waited);
}

int gravel_reduce(struct gravel *gravel, uint32_t op, uint32_t type, void *values, uint32_t n)
{
    if (handler_of)
        return refuse_in_handler("gravel_reduce");
    if ((op != GRAVEL_ADD && op != GRAVEL_MIN && op != GRAVEL_MAX) ||
        (type != GRAVEL_LONG && type != GRAVEL_ULONG && type != GRAVEL_DOUBLE) || !values ||
        n == 0 || n > 64)
        return gravel_fail(GRAVEL_EINVAL, "gravel_reduce: operation %u, type %u, %u values", op,
                           type, n);
    struct gravel_job job = {
        .kind = GRAVEL_JOB_REDUCE, .op = op, .type = type, .values = values, .n = n};
    int code = gravel_network_run(&gravel->network, &job);
    if (!code)
        return 0;
    int noted = gravel_failure_report(&gravel->failure);
    return noted ? noted : code;
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* A collective argument must be the same at every node. */
static int same_everywhere(struct gravel *gravel, const char *call, uint64_t value)
{
    uint64_t values[2] = {value, ~value};
    int code = gravel_reduce(gravel, GRAVEL_MIN, GRAVEL_ULONG, values, 2);
    if (!code && values[0] != ~values[1])
        code = gravel_fail(GRAVEL_EMISMATCH, "%s: nodes gave %llu to %llu", call,
                           (unsigned long long)values[0], (unsigned long long)~values[1]);
    return code;
}

static int fail_heap(struct gravel *gravel, uint64_t bytes, int code)
{
    struct gravel_heap_room room;
    gravel_heap_room(gravel->heap, &room);
    if (code != GRAVEL_EHEAP)
        return gravel_fail(code, "gravel_alloc: books of the symmetric heap");
    return gravel_fail(GRAVEL_EHEAP,
                       "gravel_alloc: asked %llu bytes; %llu of %llu are free, %llu in one piece "
                       "(GRAVEL_HEAP sets the size)",
                       (unsigned long long)bytes, (unsigned long long)room.free_bytes,
                       (unsigned long long)room.total_bytes,
                       (unsigned long long)room.largest_bytes);
}

/* Clear an allocation in every local heap. */
static int zero(struct gravel *gravel, uint64_t offset, uint64_t bytes)
{
    uint32_t n_heaps = is_loopback(gravel) ? n_nodes_of(gravel) : 1;
    int code = 0;
    for (uint32_t heap = 0; heap < n_heaps && !code; heap++)
        code = gravel_memory_zero(&gravel->memory, heap, offset, bytes);
    return code;
}

int gravel_alloc(struct gravel *gravel, uint64_t bytes, uint64_t *offset)
{
    if (handler_of)
        return refuse_in_handler("gravel_alloc");
    if (!offset || bytes == 0)
        return gravel_fail(GRAVEL_EINVAL, "gravel_alloc: %llu bytes, offset at %p",
                           (unsigned long long)bytes, (void *)offset);
    int code = same_everywhere(gravel, "gravel_alloc", bytes);
    if (code)
        return code;
    code = gravel_heap_alloc(gravel->heap, bytes, offset);
    if (code)
        return fail_heap(gravel, bytes, code);
    code = zero(gravel, *offset, bytes);
    int waited = gravel_barrier(gravel);
    return code ? code : waited;
}

int gravel_free(struct gravel *gravel, uint64_t offset)
{
    if (handler_of)
        return refuse_in_handler("gravel_free");
    int code = gravel_barrier(gravel);
    if (!code)
        code = same_everywhere(gravel, "gravel_free", offset);
    if (!code && gravel_heap_free(gravel->heap, offset))
        code = gravel_fail(GRAVEL_EINVAL, "gravel_free: no allocation starts at offset %llu",
                           (unsigned long long)offset);
    return code;
}

bool gravel_is_local(const struct gravel *gravel, uint32_t node)
{
    return is_loopback(gravel) ? node < n_nodes_of(gravel)
                               : node == gravel->network.transport->node;
}

/* Whether [offset, offset + bytes) lies in one allocation. */
static bool is_allocated(struct gravel *gravel, uint64_t offset, uint64_t bytes)
{
    struct gravel_span span;
    gravel_heap_lock_shared(gravel->heap);
    bool is_inside = gravel_heap_span(gravel->heap, offset, &span) &&
                     bytes <= span.bytes - (offset - span.offset);
    gravel_heap_unlock_shared(gravel->heap);
    return is_inside;
}

void *gravel_pointer_of(struct gravel *gravel, uint32_t node, uint64_t offset)
{
    if (!gravel_is_local(gravel, node) || !is_allocated(gravel, offset, 1))
        return NULL;
    unsigned char *heap = gravel_memory_heap(&gravel->memory, is_loopback(gravel) ? node : 0);
    return heap ? heap + offset : NULL;
}

void *gravel_pointer(struct gravel *gravel, uint64_t offset)
{
    return gravel_pointer_of(gravel, gravel_node(gravel), offset);
}

/* A copy of a part of a heap that the host cannot address; the caller's bytes follow. */
struct mapping {
    uint64_t offset, bytes;
    cl_map_flags flags;
    uint32_t heap;
};
#define MAPPING_BYTES GRAVEL_CACHELINE

static int map_copy(struct gravel *gravel, const struct mapping *wanted, void **pointer)
{
    uint64_t bytes = (MAPPING_BYTES + wanted->bytes + 63) & ~UINT64_C(63);
    struct mapping *mapping = aligned_alloc(GRAVEL_CACHELINE, bytes);
    if (!mapping)
        return gravel_fail(GRAVEL_ENOMEM, "gravel_map of %llu bytes",
                           (unsigned long long)wanted->bytes);
    *mapping = *wanted;
    unsigned char *data = (unsigned char *)mapping + MAPPING_BYTES;
    int code = wanted->flags & CL_MAP_WRITE_INVALIDATE_REGION
                   ? 0
                   : gravel_memory_read(&gravel->memory, wanted->heap, wanted->offset, data,
                                        wanted->bytes);
    if (code)
        free(mapping);
    else
        *pointer = data;
    return code;
}

int gravel_map(struct gravel *gravel, uint32_t node, uint64_t offset, uint64_t bytes,
               cl_map_flags flags, void **pointer)
{
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    if (!pointer || !flags || flags & ~known)
        return gravel_fail(GRAVEL_EINVAL, "gravel_map: flags 0x%llx, pointer at %p",
                           (unsigned long long)flags, (void *)pointer);
    *pointer = NULL;
    if (!gravel_is_local(gravel, node))
        return gravel_fail(GRAVEL_ERANGE, "gravel_map: node %u does not live in this process", node);
    if (!is_allocated(gravel, offset, bytes))
        return gravel_fail(GRAVEL_ERANGE,
                           "gravel_map: bytes %llu to %llu are not in one allocation",
                           (unsigned long long)offset, (unsigned long long)(offset + bytes));
    const struct mapping mapping = {
        .offset = offset, .bytes = bytes, .flags = flags, .heap = is_loopback(gravel) ? node : 0};
    unsigned char *heap = gravel_memory_heap(&gravel->memory, mapping.heap);
    if (!heap)
        return map_copy(gravel, &mapping, pointer);
    *pointer = heap + offset;
    return 0;
}

int gravel_unmap(struct gravel *gravel, void *pointer)
{
    if (!pointer || !gravel->memory.buffer)
        return 0;
    struct mapping *mapping = (struct mapping *)((unsigned char *)pointer - MAPPING_BYTES);
    int code = mapping->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)
                   ? gravel_memory_write(&gravel->memory, mapping->heap, mapping->offset, pointer,
                                         mapping->bytes)
                   : 0;
    free(mapping);
    return code;
}

/* ---- messages ---------------------------------------------------------------------------------- */

/* The sender this thread may use, locked if it is shared. */
static struct gravel_sender *enter_sender(struct gravel *gravel)
{
    if (handler_of == gravel)
        return gravel->network.handler_sender;
    pthread_mutex_lock(&gravel->network.host_lock);
    return gravel->network.host_sender;
}

static void leave_sender(struct gravel *gravel)
{
    if (handler_of == gravel)
        return;
    pthread_mutex_unlock(&gravel->network.host_lock);
    gravel_network_wake(&gravel->network);
}

static int check_node(const struct gravel *gravel, const char *call, uint32_t node)
{
    if (node < n_nodes_of(gravel))
        return 0;
    return gravel_fail(GRAVEL_ERANGE, "%s: node %u does not exist (there are %u)", call, node,
                       n_nodes_of(gravel));
}

static int append(struct gravel *gravel, const struct gravel_columns *columns)
{
    uint32_t refused;
    struct gravel_sender *sender = enter_sender(gravel);
    int code = gravel_sender_append(sender, columns, gravel_clock_ns(), &refused);
    leave_sender(gravel);
    if (code == GRAVEL_EPEER)
        return conclude(gravel, code);
    return code ? gravel_fail(code, "no memory for a node buffer") : 0;
}

static int put_piece(struct gravel *gravel, uint32_t node, uint64_t offset, const void *data,
                     uint64_t bytes)
{
    struct gravel_sender *sender = enter_sender(gravel);
    struct gravel_buffer *buffer = gravel_sender_frame(sender, GRAVEL_FRAME_BYTES, node);
    if (buffer) {
        struct gravel_bytes_frame *frame = (struct gravel_bytes_frame *)buffer->frame;
        frame->offset = offset;
        frame->frame.bytes = (uint32_t)(sizeof *frame + bytes);
        frame->frame.n_messages = 1;
        memcpy(frame->data, data, bytes);
        gravel_sender_ship_frame(sender, buffer);
    }
    leave_sender(gravel);
    return buffer ? 0 : conclude(gravel, gravel_fail(GRAVEL_ENOMEM, "no memory for a node buffer"));
}

int gravel_put(struct gravel *gravel, uint32_t node, uint64_t offset, const void *data,
               uint64_t bytes)
{
    uint64_t most = gravel->config.buffer_bytes - sizeof(struct gravel_bytes_frame);
    int code = check_node(gravel, "gravel_put", node);
    if (!code && !data && bytes)
        code = gravel_fail(GRAVEL_EINVAL, "gravel_put: data is NULL");
    most &= ~UINT64_C(7);
    for (uint64_t done = 0; done < bytes && !code; done += most) {
        uint64_t left = bytes - done;
        code = put_piece(gravel, node, offset + done, (const unsigned char *)data + done,
                         left < most ? left : most);
    }
    return code;
}

int gravel_get(struct gravel *gravel, uint32_t node, uint64_t offset, void *data, uint64_t bytes)
{
    if (handler_of)
        return refuse_in_handler("gravel_get");
    int code = check_node(gravel, "gravel_get", node);
    if (code || bytes == 0)
        return code;
    if (!is_allocated(gravel, offset, bytes)) /* the heap is symmetric: what is not here is not there */
        return gravel_fail(GRAVEL_ERANGE,
                           "gravel_get: bytes %llu to %llu are not in one allocation",
                           (unsigned long long)offset, (unsigned long long)(offset + bytes));
    pthread_mutex_lock(&gravel->network.host_lock);
    gravel_sender_flush(gravel->network.host_sender);
    pthread_mutex_unlock(&gravel->network.host_lock);
    struct gravel_job job = {.kind = GRAVEL_JOB_GET, .node = node, .offset = offset,
                             .bytes = bytes, .data = data};
    code = gravel_network_run(&gravel->network, &job);
    return code == GRAVEL_EPEER ? conclude(gravel, code) : code;
}

static bool is_operation(uint32_t op, uint32_t type)
{
    bool is_integer = type <= GRAVEL_ULONG;
    bool is_real = type == GRAVEL_FLOAT || type == GRAVEL_DOUBLE;
    return (is_integer && op >= GRAVEL_PUT && op <= GRAVEL_XOR) ||
           (is_real && (op == GRAVEL_PUT || op == GRAVEL_ADD));
}

int gravel_update(struct gravel *gravel, uint32_t op, uint32_t type, uint32_t node,
                  uint64_t offset, const void *value)
{
    int code = check_node(gravel, "gravel_update", node);
    if (code)
        return code;
    if (!is_operation(op, type) || (!value && op != GRAVEL_INC))
        return gravel_fail(GRAVEL_EINVAL, "gravel_update: operation %u on type %u, value at %p", op,
                           type, value);
    _Alignas(8) unsigned char bits[8] = {0};
    if (op != GRAVEL_INC)
        memcpy(bits, value, GRAVEL_TYPE_BYTES(type));
    const struct gravel_columns columns = {
        .command = GRAVEL_COMMAND(op, type) | GRAVEL_COMMAND_WIDE,
        .n = 1,
        .nodes = &node,
        .index = (const unsigned char *)&offset,
        .values = {bits},
    };
    return append(gravel, &columns);
}

int gravel_am(struct gravel *gravel, uint32_t node, uint32_t handler, const uint64_t *args,
              uint32_t n_args)
{
    int code = check_node(gravel, "gravel_am", node);
    if (code)
        return code;
    if (handler >= gravel->n_handlers)
        return gravel_fail(GRAVEL_EHANDLER, "gravel_am: handler %u of %u", handler,
                           gravel->n_handlers);
    if (n_args != gravel->handlers[handler].n_args || (n_args && !args))
        return gravel_fail(GRAVEL_EINVAL, "gravel_am: handler %s takes %u arguments, not %u",
                           gravel->handlers[handler].name, gravel->handlers[handler].n_args,
                           n_args);
    struct gravel_columns columns = {
        .command = GRAVEL_COMMAND_AM(handler, n_args), .n = 1, .nodes = &node};
    for (uint32_t i = 0; i < n_args; i++)
        columns.values[i] = (const unsigned char *)&args[i];
    return append(gravel, &columns);
}

int gravel_handler_id(const struct gravel *gravel, const char *name, uint32_t *id)
{
    for (uint32_t i = 0; name && id && i < gravel->n_handlers; i++)
        if (!strcmp(gravel->handlers[i].name, name)) {
            *id = i;
            return 0;
        }
    return gravel_fail(GRAVEL_EHANDLER, "no handler is named \"%s\"", name ? name : "NULL");
}
