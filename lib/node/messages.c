/* SPDX-License-Identifier: MIT */
/*
 * What host code does with an open node: waits and messages.
 *
 * Path:    gravel.h -> messages.c -> aggregator.c, sender.c, job.c; heap.c has the heap, launch.c
 *          programs and launches.
 * Threads: any, and handlers where gravel.h says so.
 */
#include "base/clock.h"
#include "node/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Set while the network thread runs a handler: whom it runs for. */
static _Thread_local const struct gravel *handler_of;

uint32_t gravel_node(const struct gravel *gravel)
{
    return handler_of == gravel ? gravel->network.resolving_node : gravel->network.transport->node;
}

uint32_t gravel_n_nodes(const struct gravel *gravel)
{
    return gravel->network.transport->n_nodes;
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

int gravel_node_refuse_in_handler(const char *call)
{
    return handler_of
               ? gravel_fail(GRAVEL_EINVAL, "%s waits and cannot be called by a handler", call)
               : 0;
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* What the node's threads noted goes before what the call itself met: it is the cause. */
static int conclude(struct gravel *gravel, int code)
{
    int noted = gravel_failure_report(&gravel->failure);
    return noted ? noted : code;
}

/* On step pump kernels wait for its thread, whose clock they see: nobody else tells them that it has stopped. */
struct pump_watch {
    struct gravel_pump *pump;
    struct gravel_pump_life life;
};

static void watch_pump(void *context)
{
    struct pump_watch *watch = context;
    gravel_pump_watch_life(watch->pump, &watch->life);
}

/* @param watch  stays with the limit. */
static struct gravel_launches_limit kernel_limit(const struct gravel *gravel,
                                                 struct pump_watch *watch)
{
    bool has_thread = gravel->device.step == GRAVEL_STEP_PUMP;
    *watch = (struct pump_watch){.pump = gravel->pump};
    return (struct gravel_launches_limit){.aborted = &gravel->aborted,
                                          .timeout_ms = gravel->config.timeout_ms,
                                          .kernel_limit_ms = gravel->config.kernel_limit_ms,
                                          .watch = has_thread ? watch_pump : NULL,
                                          .context = watch};
}

int gravel_node_wait_for_kernel(struct gravel *gravel, cl_kernel kernel, cl_event event)
{
    struct pump_watch watch;
    const struct gravel_launches_limit limit = kernel_limit(gravel, &watch);
    return gravel_launches_wait_for(&gravel->launches, &limit, kernel, event);
}

/* Wait for our kernels, and see to it that everything sent so far has been shipped. */
static int settle(struct gravel *gravel)
{
    uint32_t n = gravel->config.n_aggregators, flushes[GRAVEL_MAX_AGGREGATORS];
    struct pump_watch watch;
    const struct gravel_launches_limit limit = kernel_limit(gravel, &watch);
    int code = gravel_launches_wait(&gravel->launches, &limit);
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
    if (gravel_node_refuse_in_handler("gravel_fence"))
        return GRAVEL_EINVAL;
    return conclude(gravel, settle(gravel));
}

int gravel_quiet(struct gravel *gravel)
{
    if (gravel_node_refuse_in_handler("gravel_quiet"))
        return GRAVEL_EINVAL;
    uint64_t begin_ns = gravel_clock_ns();
    int code = settle(gravel);
    uint64_t *targets = calloc(gravel_n_nodes(gravel), sizeof *targets);
    if (!targets)
        return gravel_fail(GRAVEL_ENOMEM, "gravel_quiet for %u nodes", gravel_n_nodes(gravel));
    struct gravel_job job = {.kind = GRAVEL_JOB_QUIET, .targets = targets};
    int waited = gravel_network_run(&gravel->network, &job);
    free(targets);
    gravel_trace_span(gravel->trace, "quiet", begin_ns, gravel_clock_ns());
    return conclude(gravel, code ? code : waited);
}

int gravel_barrier(struct gravel *gravel)
{
    if (gravel_node_refuse_in_handler("gravel_barrier"))
        return GRAVEL_EINVAL;
    uint64_t begin_ns = gravel_clock_ns();
    int code = settle(gravel);
    struct gravel_job job = {.kind = GRAVEL_JOB_BARRIER};
    int waited = gravel_network_run(&gravel->network, &job);
    gravel_trace_span(gravel->trace, "barrier", begin_ns, gravel_clock_ns());
    return conclude(gravel, code ? code : waited);
}

int gravel_reduce(struct gravel *gravel, uint32_t op, uint32_t type, void *values, uint32_t n)
{
    if (gravel_node_refuse_in_handler("gravel_reduce"))
        return GRAVEL_EINVAL;
    if ((op != GRAVEL_ADD && op != GRAVEL_MIN && op != GRAVEL_MAX) ||
        (type != GRAVEL_LONG && type != GRAVEL_ULONG && type != GRAVEL_DOUBLE) || !values ||
        n == 0 || n > 64)
        return gravel_fail(GRAVEL_EINVAL, "gravel_reduce: operation %u, type %u, %u values", op,
                           type, n);
    if (gravel_failure_is_fatal(&gravel->failure)) /* else it could still succeed, alone */
        return conclude(gravel, GRAVEL_EPEER);
    struct gravel_job job = {
        .kind = GRAVEL_JOB_REDUCE, .op = op, .type = type, .values = values, .n = n};
    int code = gravel_network_run(&gravel->network, &job);
    if (!code)
        return 0;
    int noted = gravel_failure_report(&gravel->failure);
    return noted ? noted : code;
}

/* ---- the way out ----------------------------------------------------------------------------- */

int gravel_abort(struct gravel *gravel, const char *text)
{
    if (!gravel)
        return gravel_fail(GRAVEL_EINVAL, "gravel_abort: the node is NULL");
    gravel_report(gravel, GRAVEL_EABORT, true, text && *text ? text : "gravel_abort gave no text");
    if (!handler_of) /* which may run for the network thread, and keep it waiting */
        gravel_network_wait_told(&gravel->network);
    return 0;
}

/* ---- messages -------------------------------------------------------------------------------- */

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

/* Whether a message may be sent there. */
static int check_node(struct gravel *gravel, const char *call, uint32_t node)
{
    if (node < gravel_n_nodes(gravel))
        return gravel_node_has_failed(gravel) ? conclude(gravel, GRAVEL_EPEER) : 0;
    return gravel_fail(GRAVEL_ERANGE, "%s: node %u does not exist (there are %u)", call, node,
                       gravel_n_nodes(gravel));
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

int gravel_put(struct gravel *gravel, uint64_t offset, const void *data, uint64_t bytes,
               uint32_t node)
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

int gravel_get(struct gravel *gravel, uint64_t offset, void *data, uint64_t bytes, uint32_t node)
{
    if (gravel_node_refuse_in_handler("gravel_get"))
        return GRAVEL_EINVAL;
    int code = check_node(gravel, "gravel_get", node);
    if (code || bytes == 0)
        return code;
    if (!gravel_node_has(gravel, offset,
                         bytes)) /* the heap is symmetric: what is not here is not there */
        return gravel_fail(GRAVEL_ERANGE,
                           "gravel_get: bytes %llu to %llu are not in one allocation",
                           (unsigned long long)offset, (unsigned long long)(offset + bytes));
    pthread_mutex_lock(&gravel->network.host_lock);
    gravel_sender_flush(gravel->network.host_sender);
    pthread_mutex_unlock(&gravel->network.host_lock);
    struct gravel_job job = {
        .kind = GRAVEL_JOB_GET, .node = node, .offset = offset, .bytes = bytes, .data = data};
    code = gravel_network_run(&gravel->network, &job);
    bool has_failed = gravel_failure_is_fatal(&gravel->failure);
    return code == GRAVEL_EPEER || has_failed ? conclude(gravel, code) : code;
}

static bool is_operation(uint32_t op, uint32_t type)
{
    bool is_integer = type <= GRAVEL_ULONG;
    bool is_real = type == GRAVEL_FLOAT || type == GRAVEL_DOUBLE;
    return (is_integer && op >= GRAVEL_PUT && op <= GRAVEL_XOR) ||
           (is_real && (op == GRAVEL_PUT || op == GRAVEL_ADD));
}

int gravel_update(struct gravel *gravel, uint32_t op, uint32_t type, uint64_t offset,
                  const void *value, uint32_t node)
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
        .key.command = GRAVELP_COMMAND(op, type) | GRAVELP_COMMAND_WIDE,
        .n = 1,
        .nodes = &node,
        .index = (const unsigned char *)&offset,
        .values = {bits},
    };
    return append(gravel, &columns);
}

int gravel_am(struct gravel *gravel, uint32_t handler, const uint64_t *args, uint32_t n_args,
              uint32_t node)
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
        .key.command = GRAVELP_COMMAND_AM(handler, n_args), .n = 1, .nodes = &node};
    for (uint32_t i = 0; i < n_args; i++)
        columns.values[i] = (const unsigned char *)&args[i];
    return append(gravel, &columns);
}
