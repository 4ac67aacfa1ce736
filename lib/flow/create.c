/* SPDX-License-Identifier: MIT */
/*
 * Makes, builds and destroys flows of an open node.
 *
 * Path:    gravel/flow.h -> create.c -> graph.c, layout.c, memory.c.
 * Owner:   the caller of gravel_flow_create.
 */
#include "base/error.h"
#include "base/rounding.h"
#include "flow/flow.h"
#include "node/enqueue.h"
#include "opencl/objects.h"

#include <stdlib.h>

#define CPU_WIDTH (UINT32_C(1) << 15) /* of a core: with its records, what caches hold */
#define GPU_WIDTH (UINT32_C(1) << 22)
#define GROUP_ITEMS 256u
#define FIRST_ELEMENTS (1u << 14) /* of a launch, before any has shown how long they take */

/* Returns the width of a round. With many cores each needs its share, and a launch is worth only a large one. */
static uint32_t width_of(const struct gravel *gravel)
{
    uint64_t width = (uint64_t)CPU_WIDTH * gravel->device.units;
    if (gravel->config.flow_width)
        return gravel_power_to(gravel->config.flow_width);
    if (!gravel->device.capability.is_cpu || width > GPU_WIDTH)
        return GPU_WIDTH;
    return gravel_power_to(width);
}

/*
 * The node's, chosen with its first flow. A launch of several rounds has no bound for its messages, which step drain
 * needs, so a flow that sends is the host's.
 */
static int choose_scheduling(struct gravel *gravel, bool sends,
                             struct gravel_scheduling *scheduling)
{
    int code = 0;
    GRAVEL_TRY(
        gravel_node_lock(gravel, &gravel->scheduling_lock, "another thread, which makes a flow"));
    if (!gravel->has_scheduling)
        code =
            gravel_scheduling_choose(&gravel->scheduling, &gravel->device, &gravel->config, false);
    gravel->has_scheduling = !code;
    *scheduling = gravel->scheduling;
    pthread_mutex_unlock(&gravel->scheduling_lock);
    if (sends)
        scheduling->scheduler = GRAVEL_SCHEDULER_HOST;
    return code;
}

/* ---- create and destroy ---------------------------------------------------------------------- */

static int make(struct gravel_flow *flow)
{
    const struct gravel_device *device = &flow->gravel->device;
    const struct gravel_channel_graph *graph = &flow->graph.given;
    const uint64_t most = device->capability.max_alloc;
    const uint32_t n = flow->graph.n_channels;
    GRAVEL_TRY(choose_scheduling(flow->gravel, graph->n_messages != 0, &flow->scheduling));
    flow->posts = calloc(n, sizeof *flow->posts);
    flow->seen.peaks = calloc(n, sizeof *flow->seen.peaks);
    if (!flow->posts || !flow->seen.peaks)
        return gravel_fail_memory("gravel_flow_create: channels", n * sizeof *flow->posts);
    flow->group_items = graph->group_items ? graph->group_items : GROUP_ITEMS;
    const struct gravel_flow_shape shape = {
        .width = width_of(flow->gravel),
        .group_items = flow->group_items,
        .max_bytes = graph->max_bytes && graph->max_bytes < most ? graph->max_bytes : most};
    GRAVEL_TRY(gravel_flow_layout(&flow->layout, &flow->graph, &shape));
    flow->stats.bytes = flow->layout.bytes;
    GRAVEL_TRY(gravel_flow_memory_create(flow));
    gravel_flow_publish(flow);
    return 0;
}

int gravel_flow_create(struct gravel_flow **out, struct gravel *gravel,
                       const struct gravel_channel_graph *graph)
{
    static const char call[] = "gravel_flow_create";
    if (out)
        *out = NULL;
    GRAVEL_TRY(gravel_enter(gravel, call, GRAVEL_WAITS));
    GRAVEL_TRY(gravel_require(call, "flow", out));
    GRAVEL_TRY(gravel_require(call, "graph", graph));
    struct gravel_flow *flow = calloc(1, sizeof *flow);
    if (!flow)
        return gravel_fail_memory("gravel_flow_create: the flow", sizeof *flow);
    flow->gravel = gravel;
    flow->n_forks = gravel_fork_count();
    flow->slice_elements = FIRST_ELEMENTS;
    pthread_mutex_init(&flow->lock, NULL);
    int code = gravel_flow_graph_create(&flow->graph, graph);
    if (!code)
        code = gravel_node_hold_launches(gravel, "before a flow's memory");
    if (!code) {
        code = make(flow);
        gravel_node_let_launches(gravel);
    }
    if (code)
        gravel_flow_destroy(flow);
    else
        *out = flow;
    return code;
}

static void drop_kernels(struct gravel_flow *flow)
{
    gravel_cl_kernel_release(flow->kernel);
    gravel_cl_kernel_release(flow->looping);
    gravel_cl_program_release(flow->program);
    flow->kernel = flow->looping = NULL;
    flow->program = NULL;
}

int gravel_flow_destroy(struct gravel_flow *flow)
{
    if (!flow)
        return 0;
    GRAVEL_TRY(gravel_flow_enter(flow, "gravel_flow_destroy", GRAVEL_WAITS));
    int code = flow->has_runner ? gravel_flow_wait(flow) : 0;
    for (uint32_t c = 0; flow->posts && c < flow->graph.n_channels; c++)
        free(flow->posts[c].words);
    free(flow->posts);
    free(flow->seen.peaks);
    pthread_mutex_destroy(&flow->lock);
    gravel_flow_memory_destroy(flow);
    drop_kernels(flow);
    gravel_flow_graph_destroy(&flow->graph);
    free(flow);
    return code;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Makes a kernel of the flow with its first two arguments. @param kernel  [out] NULL on failure */
static int make_kernel(struct gravel_flow *flow, cl_program program, const char *function,
                       cl_kernel *kernel)
{
    const struct gravel_device *device = &flow->gravel->device;
    *kernel = NULL;
    int code = gravel_cl_kernel_create(device, program, function, NULL, kernel);
    if (!code)
        code = gravel_kernel_set_arena(flow->gravel, *kernel, 0);
    if (!code)
        code = gravel_check_cl("a flow's GRAVEL_FLOW: clSetKernelArg",
                               gravel_region_set_argument(&flow->region, *kernel, 1));
    if (code) {
        gravel_cl_kernel_release(*kernel);
        *kernel = NULL;
    }
    return code;
}

int gravel_flow_kernel(struct gravel_flow *flow, const char *function, cl_kernel *kernel)
{
    static const char call[] = "gravel_flow_kernel";
    GRAVEL_TRY(gravel_flow_enter(flow, call, GRAVEL_WAITS));
    GRAVEL_TRY(gravel_require(call, "kernel", kernel));
    *kernel = NULL;
    GRAVEL_TRY(gravel_require(call, "function", function));
    if (!flow->kernel)
        return gravel_fail(GRAVEL_EINVAL, "%s: function '%s': the flow is not built yet", call,
                           function);
    return make_kernel(flow, flow->program, function, kernel);
}

/* Builds one form of the program. @param program  [out] released by the caller, also on failure */
static int build(struct gravel_flow *flow, bool loops, const char *name, const char *source,
                 const char *options, const char *function, cl_program *program)
{
    cl_kernel *kernel = loops ? &flow->looping : &flow->kernel;
    size_t most = SIZE_MAX;
    char *text = gravel_flow_prelude(&flow->graph, &flow->layout, loops, name, source);
    int code = text ? gravel_program_build(flow->gravel, name, text, options, program)
                    : gravel_fail(GRAVEL_ENOMEM, "%s: text of a flow", name);
    free(text);
    GRAVEL_TRY(code);
    GRAVEL_TRY(make_kernel(flow, *program, function, kernel));
    GRAVEL_TRY(gravel_check_cl("clGetKernelWorkGroupInfo",
                               gravel_cl_kernel_group(&flow->gravel->device, *kernel, &most)));
    if (most >= flow->group_items)
        return 0;
    return gravel_fail(GRAVEL_EINVAL,
                       "a flow of groups of %u work-items, and its kernel takes up to %zu",
                       flow->group_items, most);
}

int gravel_flow_build(struct gravel_flow *flow, const char *name, const char *source,
                      const char *options, const char *function)
{
    static const char call[] = "gravel_flow_build";
    cl_program looping = NULL; /* its kernel retains it */
    GRAVEL_TRY(gravel_flow_enter(flow, call, GRAVEL_WAITS));
    GRAVEL_TRY(gravel_require(call, "name", name));
    GRAVEL_TRY(gravel_require(call, "source", source));
    GRAVEL_TRY(gravel_require(call, "function", function));
    if (flow->kernel)
        return gravel_fail(GRAVEL_EINVAL, "%s: the flow has a kernel already", call);
    int code = build(flow, false, name, source, options, function, &flow->program);
    if (!code && flow->scheduling.scheduler != GRAVEL_SCHEDULER_HOST)
        code = build(flow, true, name, source, options, function, &looping);
    gravel_cl_program_release(looping);
    if (code)
        drop_kernels(flow);
    return code;
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
