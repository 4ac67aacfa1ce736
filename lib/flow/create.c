/* SPDX-License-Identifier: MIT */
/*
 * How flows of an open node are made and built.
 *
 * Path:    gravel/flow.h -> create.c -> flow.c, prelude.c.
 * Owner:   the caller of gravel_flow_create.
 */
#include "base/error.h"
#include "base/power.h"
#include "flow/flow.h"
#include "flow/prelude.h"
#include "node/enqueue.h"
#include "opencl/objects.h"

#include <stdlib.h>

#define CPU_WIDTH (UINT32_C(1) << 15) /* of a core: with its records, what caches hold */
#define GPU_WIDTH (UINT32_C(1) << 22)

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
        code = gravel_scheduling_choose(&gravel->scheduling, &gravel->device, &gravel->config);
    gravel->has_scheduling = !code;
    *scheduling = gravel->scheduling;
    pthread_mutex_unlock(&gravel->scheduling_lock);
    if (sends)
        scheduling->scheduler = GRAVEL_SCHEDULER_HOST;
    return code;
}

int gravel_flow_create(struct gravel_flow **flow, struct gravel *gravel,
                       const struct gravel_graph *graph)
{
    if (flow)
        *flow = NULL;
    GRAVEL_TRY(gravel_enter(gravel, "gravel_flow_create", GRAVEL_WAITS));
    GRAVEL_TRY(gravel_require("gravel_flow_create", "flow", flow));
    GRAVEL_TRY(gravel_require("gravel_flow_create", "graph", graph));
    struct gravel_graph own;
    struct gravel_scheduling scheduling;
    int code = gravel_flow_graph_read(&own, graph);
    if (!code)
        code = gravel_node_hold_launches(gravel, "before a flow's memory");
    if (!code) {
        code = choose_scheduling(gravel, own.n_messages != 0, &scheduling);
        if (!code)
            code = gravel_flow_make(flow, gravel, &own, width_of(gravel), &scheduling);
        gravel_node_let_launches(gravel);
    }
    free((void *)own.channels);
    return code;
}

static int make_kernel(struct gravel_flow *flow, cl_program program, const char *function,
                       bool loops)
{
    struct gravel *gravel = flow->gravel;
    cl_kernel kernel = NULL;
    int code = gravel_cl_kernel_create(&gravel->device, program, function, NULL, &kernel);
    if (!code)
        code = gravel_kernel_set_arena(gravel, kernel, 0);
    if (!code)
        code = gravel_flow_take_kernel(flow, program, kernel, loops);
    if (code)
        gravel_cl_kernel_release(kernel);
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
    const struct gravel_device *device = &flow->gravel->device;
    int code = gravel_cl_kernel_create(device, flow->program, function, NULL, kernel);
    if (!code)
        code = gravel_kernel_set_arena(flow->gravel, *kernel, 0);
    if (!code)
        code = gravel_check_cl("gravel_flow_kernel: clSetKernelArg",
                               gravel_region_set_argument(&flow->memory.region, *kernel, 1));
    if (code) {
        gravel_cl_kernel_release(*kernel);
        *kernel = NULL;
    }
    return code;
}

/* One form of the program. */
static int build(struct gravel_flow *flow, bool loops, const char *name, const char *source,
                 const char *options, const char *function)
{
    cl_program program = NULL;
    char *text = gravel_flow_prelude(&flow->graph, &flow->layout, loops, name, source);
    int code = text ? gravel_program_build(flow->gravel, name, text, options, &program)
                    : gravel_fail(GRAVEL_ENOMEM, "%s: text of a flow", name);
    free(text);
    if (!code)
        code = make_kernel(flow, program, function, loops);
    gravel_cl_program_release(program);
    return code;
}

int gravel_flow_build(struct gravel_flow *flow, const char *name, const char *source,
                      const char *options, const char *function)
{
    GRAVEL_TRY(gravel_flow_enter(flow, "gravel_flow_build", GRAVEL_WAITS));
    GRAVEL_TRY(gravel_require("gravel_flow_build", "name", name));
    GRAVEL_TRY(gravel_require("gravel_flow_build", "source", source));
    GRAVEL_TRY(gravel_require("gravel_flow_build", "function", function));
    if (flow->kernel)
        return gravel_fail(GRAVEL_EINVAL, "gravel_flow_build: the flow has a kernel already");
    int code = build(flow, false, name, source, options, function);
    if (!code && flow->scheduling.scheduler != GRAVEL_SCHEDULER_HOST)
        code = build(flow, true, name, source, options, function);
    if (code)
        gravel_flow_drop_kernels(flow);
    return code;
}
