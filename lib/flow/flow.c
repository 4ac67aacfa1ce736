/* SPDX-License-Identifier: MIT */
/*
 * A flow's calls but those that need the node. See gravel/flow.h.
 *
 * Path:    gravel/flow.h -> this -> memory.c; elements.c between runs; host.c for runs.
 */
#include "flow/flow.h"

#include "base/error.h"
#include "base/caller.h"
#include "base/thread.h"
#include "opencl/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_ITEMS 256u
#define FIRST_ELEMENTS (1u << 14) /* of a launch, before any has shown how long they take */

/* ---- create and destroy ---------------------------------------------------------------------- */

static int make(struct gravel_flow *flow, const struct gravel_device *device,
                const struct gravel_graph *graph, uint32_t width)
{
    GRAVEL_TRY(gravel_flow_graph_create(&flow->graph, graph));
    uint64_t most = device->capability.max_alloc;
    flow->n_messages = graph->n_messages;
    GRAVEL_TRY(gravel_flow_posts_create(flow));
    GRAVEL_TRY(gravel_flow_told_create(flow));
    flow->group_items = graph->group_items ? graph->group_items : GROUP_ITEMS;
    const struct gravel_flow_shape shape = {
        .width = width,
        .group_items = flow->group_items,
        .max_bytes = graph->max_bytes && graph->max_bytes < most ? graph->max_bytes : most};
    GRAVEL_TRY(gravel_flow_layout(&flow->layout, &flow->graph, &shape));
    flow->stats.bytes = flow->layout.bytes;
    GRAVEL_TRY(gravel_flow_memory_create(&flow->memory, device, &flow->layout, &flow->graph));
    gravel_flow_tell(flow);
    return 0;
}

int gravel_flow_make(struct gravel_flow **out, struct gravel *gravel,
                     const struct gravel_graph *graph, uint32_t width,
                     const struct gravel_scheduling *scheduling)
{
    struct gravel_flow *flow = calloc(1, sizeof *flow);
    *out = NULL;
    if (!flow)
        return gravel_fail(GRAVEL_ENOMEM, "a flow");
    flow->gravel = gravel;
    flow->n_forks = gravel_fork_count();
    flow->scheduling = *scheduling;
    flow->slice_elements = FIRST_ELEMENTS;
    int code = make(flow, &gravel->device, graph, width);
    if (code)
        gravel_flow_destroy(flow);
    else
        *out = flow;
    return code;
}

int gravel_flow_destroy(struct gravel_flow *flow)
{
    if (!flow)
        return 0;
    GRAVEL_TRY(gravel_flow_enter(flow, "gravel_flow_destroy", GRAVEL_WAITS));
    int code = flow->has_runner ? gravel_flow_wait(flow) : 0;
    gravel_flow_posts_destroy(flow);
    gravel_flow_told_destroy(flow);
    gravel_flow_memory_destroy(&flow->memory);
    gravel_flow_drop_kernels(flow);
    gravel_flow_graph_destroy(&flow->graph);
    free(flow);
    return code;
}

void gravel_flow_drop_kernels(struct gravel_flow *flow)
{
    gravel_cl_kernel_release(flow->kernel);
    gravel_cl_kernel_release(flow->looping);
    gravel_cl_program_release(flow->program);
    flow->kernel = flow->looping = NULL;
    flow->program = NULL;
}

int gravel_flow_take_kernel(struct gravel_flow *flow, cl_program program, cl_kernel kernel,
                            bool loops)
{
    size_t most = SIZE_MAX;
    cl_int error = gravel_cl_kernel_group(flow->memory.device, kernel, &most);
    GRAVEL_TRY(gravel_check_cl("clGetKernelWorkGroupInfo", error));
    if (most < flow->group_items)
        return gravel_fail(GRAVEL_EINVAL,
                           "a flow of groups of %u work-items, and its kernel takes up to %zu",
                           flow->group_items, most);
    error = gravel_region_set_argument(&flow->memory.region, kernel, 1);
    GRAVEL_TRY(gravel_check_cl("a flow's GRAVEL_FLOW: clSetKernelArg", error));
    if (!loops) {
        error = clRetainProgram(program);
        GRAVEL_TRY(gravel_check_cl("clRetainProgram", error));
        flow->program = program;
    }
    *(loops ? &flow->looping : &flow->kernel) = kernel;
    return 0;
}

int gravel_flow_set_argument(struct gravel_flow *flow, cl_uint index, size_t bytes,
                             const void *value)
{
    GRAVEL_TRY(gravel_flow_enter(flow, "gravel_flow_set_argument", GRAVEL_WAITS));
    if (!flow->kernel || index < 2)
        return gravel_fail(GRAVEL_EINVAL,
                           "gravel_flow_set_argument: number %u, the flow's kernel %s", index,
                           flow->kernel ? "there" : "not built yet");
    cl_int error = clSetKernelArg(flow->kernel, index, bytes, value);
    if (error == CL_SUCCESS && flow->looping)
        error = clSetKernelArg(flow->looping, index, bytes, value);
    return gravel_check_cl("gravel_flow_set_argument: clSetKernelArg", error);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static int check_run(const struct gravel_flow *flow, const char *call)
{
    int code = gravel_flow_check_idle(flow, call);
    return code || flow->kernel
               ? code
               : gravel_fail(GRAVEL_EINVAL, "%s: the flow has no kernel yet", call);
}

static int end_run(struct gravel_flow *flow, int code)
{
    flow->is_running = false;
    flow->failed = code == GRAVEL_ESTUCK ? 0 : code;
    return code;
}

int gravel_flow_run(struct gravel_flow *flow)
{
    GRAVEL_TRY(check_run(flow, "gravel_flow_run"));
    flow->is_running = true;
    return end_run(flow, gravel_flow_schedule_on_host(flow));
}

static void *run_beside(void *user)
{
    struct gravel_flow *flow = user;
    gravel_thread_begin("gravel-flow");
    flow->outcome = gravel_keep(gravel_flow_schedule_on_host(flow));
    return NULL;
}

int gravel_flow_start(struct gravel_flow *flow)
{
    GRAVEL_TRY(check_run(flow, "gravel_flow_start"));
    int error = pthread_create(&flow->runner, NULL, run_beside, flow);
    if (error)
        return gravel_fail(GRAVEL_ESYSTEM, "gravel_flow_start: a thread: %s", strerror(error));
    flow->is_running = flow->has_runner = true;
    return 0;
}

int gravel_flow_wait(struct gravel_flow *flow)
{
    GRAVEL_TRY(gravel_flow_enter(flow, "gravel_flow_wait", GRAVEL_WAITS));
    if (!flow->has_runner)
        return gravel_fail(GRAVEL_EINVAL, "gravel_flow_wait: no run of the flow is under way");
    pthread_join(flow->runner, NULL);
    flow->has_runner = false;
    return end_run(flow, flow->outcome.code) ? gravel_fail_again(&flow->outcome) : 0;
}

static int check_call(struct gravel_flow *flow, const char *channel, void *record, size_t to,
                      void *result, size_t bytes, uint32_t *c)
{
    GRAVEL_TRY(gravel_flow_check_idle(flow, "gravel_flow_call"));
    GRAVEL_TRY(gravel_flow_find(flow, "gravel_flow_call", channel, false, c));
    GRAVEL_TRY(gravel_require("gravel_flow_call", "record", record));
    GRAVEL_TRY(gravel_require("gravel_flow_call", "result", result));
    size_t record_bytes = 4 * flow->graph.channels[*c].n_words;
    if (to % 4 || to + 4 > record_bytes || bytes == 0 || bytes % 4 ||
        bytes > 4 * GRAVEL_RESULT_WORDS)
        return gravel_fail(GRAVEL_EINVAL,
                           "gravel_flow_call: slot at byte %zu of a record of %zu, result of %zu "
                           "bytes, of %u at most",
                           to, record_bytes, bytes, 4 * GRAVEL_RESULT_WORDS);
    return 0;
}

int gravel_flow_call(struct gravel_flow *flow, const char *channel, void *record, size_t to,
                     void *result, size_t bytes)
{
    static const uint32_t zeros[GRAVEL_RESULT_WORDS];
    const gravel_slot slot = 0; /* the result's first word */
    uint32_t c;
    GRAVEL_TRY(check_call(flow, channel, record, to, result, bytes, &c));
    memcpy((unsigned char *)record + to, &slot, sizeof slot);
    GRAVEL_TRY(gravel_flow_memory_write(&flow->memory, slot, zeros, GRAVEL_RESULT_WORDS));
    GRAVEL_TRY(gravel_flow_add(flow, c, record, 1));
    GRAVEL_TRY(gravel_flow_run(flow));
    return gravel_flow_memory_read(&flow->memory, slot, result, bytes / 4);
}
