/* SPDX-License-Identifier: MIT */
/*
 * Sends what waits in a shadow: one kernel lists the blocks that have changed, the host reads how many, and another
 * kernel sends their words, a group for each block.
 *
 * Path:    gravel_flushes_run, gravel_accumulator_flush -> this -> cl/kernels/accumulate.cl -> the queue of packages.
 * Threads: one at a time: gravel_flushes_enter.
 */
#include "accumulate/accumulate.h"

#include "node/enqueue.h"
#include "opencl/objects.h"

#include <inttypes.h>

#define CLEAR_ITEMS 65536u /* work-items that clear a shadow, at most */

static const char flush_call[] = "gravel_accumulator_flush";

int gravel_accumulator_clear(struct gravel_accumulator *accumulator)
{
    uint64_t n_words = accumulator->head.n_parts * accumulator->head.part_words;
    const cl_ulong n_items = n_words < CLEAR_ITEMS ? n_words : CLEAR_ITEMS;
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(n_items)};
    const struct gravel_device *device = &accumulator->gravel->device;
    int code = gravel_check_cl("accumulator: clSetKernelArg",
                               GRAVEL_CL_KERNEL_SET(device, accumulator->clear, 1, arguments));
    return code ? code
                : gravel_node_enqueue_own(accumulator->gravel, flush_call, accumulator->clear,
                                          n_items, accumulator->group, false);
}

/* ---- what waits -------------------------------------------------------------------------------- */

static int list(struct gravel_accumulator *accumulator)
{
    const cl_uint n = accumulator->n_block_words, n_seen = accumulator->n_seen;
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(n), GRAVEL_ARGUMENT(n_seen)};
    const struct gravel_device *device = &accumulator->gravel->device;
    int code = gravel_check_cl("accumulator: clSetKernelArg",
                               GRAVEL_CL_KERNEL_SET(device, accumulator->collect, 1, arguments));
    return code ? code
                : gravel_node_enqueue_own(accumulator->gravel, flush_call, accumulator->collect, n,
                                          accumulator->group, false);
}

/* What kernels have written of the head, behind all of them, for which it waits as long as a kernel may take. */
static int read_head(struct gravel_accumulator *accumulator)
{
    struct gravel *gravel = accumulator->gravel;
    const size_t at = offsetof(struct gravelp_accumulator, n_listed);
    cl_event copied = NULL;
    cl_int error = clEnqueueReadBuffer(gravel->device.queue, accumulator->memory, CL_FALSE, at,
                                       sizeof accumulator->head - at, &accumulator->head.n_listed,
                                       0, NULL, &copied);
    if (error != CL_SUCCESS)
        return gravel_fail_cl("accumulator: clEnqueueReadBuffer", error);
    int flushed = gravel_check_cl("accumulator: clFlush", clFlush(gravel->device.queue));
    if (gravel->pump)
        gravel_pump_watch(gravel->pump, copied);
    int code = gravel_node_wait_for_kernel(gravel, accumulator->collect, copied);
    gravel_cl_event_release(copied);
    return code ? code : flushed;
}

/* The next call that is refused is reported too. */
static int report_refused(struct gravel_accumulator *accumulator)
{
    static const cl_uint none = 0;
    const struct gravelp_accumulator *head = &accumulator->head;
    cl_int error = clEnqueueWriteBuffer(accumulator->gravel->device.queue, accumulator->memory,
                                        CL_FALSE, offsetof(struct gravelp_accumulator, n_refused),
                                        sizeof none, &none, 0, NULL, NULL);
    if (error != CL_SUCCESS)
        return gravel_fail_cl("accumulator: clEnqueueWriteBuffer", error);
    if (head->refused_type != head->word_type)
        return gravel_fail(
            GRAVEL_EINVAL,
            "gravel_accumulate: a call of type %u, and %u more that are refused: the "
            "accumulator at offset %" PRIu64 " is of type %u",
            head->refused_type, head->n_refused - 1, head->offset, head->word_type);
    return gravel_fail(GRAVEL_ERANGE,
                       "gravel_accumulate: index %" PRIu64 " at node %" PRIu64
                       ", and %u more that are refused: the accumulator at offset %" PRIu64
                       " has %" PRIu64 " elements of each of %u nodes",
                       head->refused_index, head->refused_node, head->n_refused - 1, head->offset,
                       head->n, head->n_nodes);
}

int gravel_accumulator_collect(struct gravel_accumulator *accumulator)
{
    if (accumulator->n_collected)
        return 0;
    int code = list(accumulator);
    if (!code)
        code = read_head(accumulator);
    if (code)
        return code;
    accumulator->n_collected = accumulator->head.n_listed - accumulator->n_seen;
    accumulator->n_seen = accumulator->head.n_listed;
    return accumulator->head.n_refused ? report_refused(accumulator) : 0;
}

/* Checked mode: messages of kernels have come as far as the guard of the range, and words wait. */
static int check_guard(struct gravel_accumulator *accumulator)
{
    const struct gravelp_accumulator *head = &accumulator->head;
    struct gravel *gravel = accumulator->gravel;
    char who[sizeof accumulator->guard.text];
    if (!gravel->config.check ||
        !gravel_guard_take(&gravel->guards, &accumulator->guard, who, sizeof who) ||
        accumulator->n_collected == 0)
        return 0;
    return gravel_fail(GRAVEL_EINVAL,
                       "accumulator of %" PRIu64 " elements at offset %" PRIu64
                       ": words of it wait for a flush, and it has been touched by another call: "
                       "%s",
                       head->n, head->offset, who);
}

/* ---- flushes ----------------------------------------------------------------------------------- */

/* A list that could not be sent stays, and is sent next time. */
static int send_list(struct gravel_accumulator *accumulator)
{
    const size_t group = accumulator->group, global = accumulator->n_collected * group;
    if (accumulator->n_collected == 0)
        return 0;
    int code =
        gravel_launch(accumulator->gravel, accumulator->send, 1, &global, &group, 0, NULL, NULL);
    if (!code)
        accumulator->n_collected = 0;
    return code;
}

int gravel_accumulator_send(struct gravel_flush *flush)
{
    struct gravel_accumulator *accumulator =
        (struct gravel_accumulator *)((char *)flush - offsetof(struct gravel_accumulator, flush));
    if (gravel_node_has_failed(accumulator->gravel))
        return gravel_node_conclude(accumulator->gravel, GRAVEL_EPEER);
    int code = send_list(accumulator); /* of gravel_accumulator_destroy */
    if (code)
        return code;
    int settled = accumulator->gravel->config.check ? gravel_node_settle(accumulator->gravel) : 0;
    int refused = gravel_accumulator_collect(accumulator);
    int touched = check_guard(accumulator);
    code = send_list(accumulator);
    return code ? code : settled ? settled : refused ? refused : touched;
}

int gravel_accumulator_flush(struct gravel_accumulator *accumulator)
{
    if (gravel_require(flush_call, "accumulator", accumulator) ||
        gravel_node_refuse_wait(accumulator->gravel, flush_call))
        return GRAVEL_EINVAL;
    gravel_flushes_enter(accumulator->gravel);
    int code = gravel_accumulator_send(&accumulator->flush);
    gravel_flushes_leave(accumulator->gravel);
    return gravel_node_conclude(accumulator->gravel, code);
}

int gravel_accumulator_reset(struct gravel_accumulator *accumulator)
{
    static const char call[] = "gravel_accumulator_reset";
    if (gravel_require(call, "accumulator", accumulator) ||
        gravel_node_refuse_wait(accumulator->gravel, call))
        return GRAVEL_EINVAL;
    gravel_flushes_enter(accumulator->gravel);
    accumulator->n_collected = 0;
    int code = gravel_accumulator_clear(accumulator);
    gravel_flushes_leave(accumulator->gravel);
    return code;
}
