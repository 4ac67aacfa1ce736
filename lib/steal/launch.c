/* SPDX-License-Identifier: MIT */
/*
 * Launches a kernel that runs tasks.
 *
 * A kernel that has no arena sends nothing, so no kernel of Gravel's need run concurrently, and it is one command;
 * unless other nodes send messages here, which have to be applied. On step drain no leader waits for room in a queue,
 * so a kernel that sends is launched again and again, its groups with a budget of tasks: twice the last one's, and so
 * few that the messages of all fit a quarter of the queues. Tasks that are left stay in the deques.
 *
 * Path:    gravel_steal_launch -> join.c -> node/launch.c.
 */
#include "base/error.h"
#include "node/enqueue.h"
#include "opencl/objects.h"
#include "steal/steal.h"

#include <inttypes.h>
#include <string.h>

#define MOST_NAME 64

/* Which arguments are GRAVEL_STEAL and GRAVEL_ARENA. */
struct arguments {
    cl_uint steal;
    bool has_steal, has_arena;
};

static cl_int find(cl_kernel kernel, struct arguments *arguments)
{
    cl_uint n = 0;
    char name[MOST_NAME];
    *arguments = (struct arguments){0};
    cl_int error = clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL);
    for (cl_uint i = 0; error == CL_SUCCESS && i < n; i++) {
        error = clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof name, name, NULL);
        if (error == CL_INVALID_VALUE) /* a longer name */
            error = CL_SUCCESS;
        else if (error == CL_SUCCESS && !strcmp(name, "gravel_steal_"))
            *arguments = (struct arguments){i, true, arguments->has_arena};
        else
            arguments->has_arena |= error == CL_SUCCESS && !strcmp(name, "gravel_arena_");
    }
    return error;
}

static int check_group_size(const struct gravel_steal *steal, cl_kernel kernel)
{
    size_t fixed[3] = {0}, most = SIZE_MAX, size = steal->options.group_size;
    const struct gravel_device *device = &steal->gravel->device;
    clGetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof fixed,
                             fixed, NULL);
    gravel_cl_kernel_group(device, kernel, &most);
    if (fixed[0] && fixed[0] * fixed[1] * fixed[2] != size)
        return gravel_fail(GRAVEL_EINVAL,
                           "group_size = %zu, and the kernel is for groups of %zu x %zu x %zu",
                           size, fixed[0], fixed[1], fixed[2]);
    if (size > most)
        return gravel_fail(GRAVEL_EINVAL,
                           "group_size = %zu, and the kernel can have groups of %zu at most here",
                           size, most);
    return 0;
}

static int prepare(struct gravel_steal *steal, cl_kernel kernel, struct arguments *arguments)
{
    GRAVEL_TRY(gravel_check_cl("gravel_steal_launch: clGetKernelArgInfo (is the program built by "
                               "gravel_program_build?)",
                               find(kernel, arguments)));
    if (!arguments->has_steal)
        return gravel_fail(GRAVEL_EINVAL, "gravel_steal_launch: the kernel has no GRAVEL_STEAL");
    GRAVEL_TRY(check_group_size(steal, kernel));
    return gravel_check_cl("gravel_steal_launch: setting GRAVEL_STEAL",
                           gravel_region_set_argument(&steal->region, kernel, arguments->steal));
}

/* Enqueues a kernel that sends nothing. */
static int launch_whole(struct gravel *gravel, cl_kernel kernel, size_t size, size_t group_size,
                        cl_uint n_wait, const cl_event *wait, cl_event *event)
{
    GRAVEL_TRY(gravel_leave(gravel, 0));
    const struct gravel_command command = {.call = "gravel_steal_launch",
                                           .kernel = kernel,
                                           .n_dimensions = 1,
                                           .global = &size,
                                           .local = &group_size,
                                           .n_wait = n_wait,
                                           .wait = wait,
                                           .is_remembered = true};
    GRAVEL_TRY(gravel_node_enqueue(gravel, &command, event));
    return gravel_check_cl("gravel_steal_launch: clFlush", clFlush(gravel->device.queue));
}

/* Launches once. On return that is the launch to join, if it has begun. @param event  [out] its end, or NULL */
static int launch_once(struct gravel_steal *steal, cl_kernel kernel, bool sends, uint32_t budget,
                       cl_uint n_wait, const cl_event *wait, cl_event *event)
{
    struct gravel *gravel = steal->gravel;
    size_t group_size = steal->options.group_size, size = steal->options.n_groups * group_size;
    cl_event end = NULL;
    steal->head.n_groups = steal->options.n_groups;
    steal->head.budget = budget;
    steal->head.is_sliced = sends && gravel->device.is_sliced;
    steal->is_told = false;
    int code = gravel_region_write(&steal->region, 0, &steal->head, sizeof steal->head);
    if (code || size == 0)
        return code;
    code = sends ? gravel_launch(gravel, kernel, 1, &size, &group_size, n_wait, wait, &end)
                 : launch_whole(gravel, kernel, size, group_size, n_wait, wait, &end);
    if (!end) /* it failed, but some of it may run: that has ended when this has */
        clEnqueueMarkerWithWaitList(gravel->device.queue, 0, NULL, &end);
    if (!end)
        return code;
    clRetainKernel(kernel);
    clRetainEvent(end);
    steal->kernel = kernel;
    steal->end = *event = end;
    return code;
}

/* ---- step drain ----------------------------------------------------------------------------------- */

/* Returns the tasks of a group of the next launch, where the `done` tasks of the last one sent `packages`. */
static uint32_t next_budget(const struct gravel_steal *steal, uint32_t budget, uint64_t done,
                            uint64_t packages)
{
    const struct gravelp_arena *arena = steal->gravel->arena;
    uint64_t each = done ? (packages + done - 1) / done : 0;
    uint64_t room = (uint64_t)arena->n_slots * arena->n_queues / 4 / steal->options.n_groups;
    uint64_t fit = room / (each ? each : 1);
    uint64_t next = fit < 2 * (uint64_t)budget ? fit : 2 * (uint64_t)budget;
    return next ? (uint32_t)(next < UINT32_MAX ? next : UINT32_MAX) : 1;
}

static int launch_drained(struct gravel_steal *steal, cl_kernel kernel, cl_uint n_wait,
                          const cl_event *wait, cl_event *event)
{
    struct gravel_pump *pump = steal->gravel->pump;
    uint32_t budget = 1;
    uint64_t left = 0;
    int code = 0;
    do {
        const uint32_t before = gravel_pump_reserved(pump);
        const uint64_t done = gravel_steal_totals(steal).done;
        gravel_cl_event_release(*event);
        *event = NULL;
        code = launch_once(steal, kernel, true, budget, n_wait, wait, event);
        n_wait = 0;
        if (!code)
            code = gravel_steal_join(steal);
        const struct gravel_steal_stats totals = gravel_steal_totals(steal);
        const uint64_t n_run = totals.done - done;
        left = totals.left;
        if (!code && n_run == 0 && left) /* another launch would do as little */
            code = gravel_fail(GRAVEL_EKERNEL,
                               "gravel_steal_launch: a launch has run none of the %" PRIu64
                               " tasks that are left; on step drain a kernel with GRAVEL_ARENA is "
                               "launched until none is left: let every work-item enter "
                               "GRAVEL_STEAL_EACH in each launch",
                               left);
        budget = next_budget(steal, budget, n_run, gravel_pump_reserved(pump) - before);
    } while (!code && left);
    return code;
}

/* ---- the call --------------------------------------------------------------------------------------- */

int gravel_steal_launch(struct gravel_steal *steal, cl_kernel kernel, cl_uint n_wait,
                        const cl_event *wait, cl_event *event)
{
    struct arguments arguments;
    cl_event end = NULL;
    static const char call[] = "gravel_steal_launch";
    if (event)
        *event = NULL;
    GRAVEL_TRY(gravel_steal_enter(steal, call));
    GRAVEL_TRY(gravel_given_kernel(&steal->gravel->device, call, kernel));
    GRAVEL_TRY(gravel_given_events(&steal->gravel->device, call, n_wait, wait));
    struct gravel *gravel = steal->gravel;
    int code = gravel_steal_join(steal);
    if (!code)
        code = prepare(steal, kernel, &arguments);
    if (!code && arguments.has_arena && !gravel_step_may_wait(gravel->device.step))
        code = launch_drained(steal, kernel, n_wait, wait, &end);
    else if (!code)
        code = launch_once(steal, kernel, arguments.has_arena || gravel_n_nodes(gravel) > 1, 0,
                           n_wait, wait, &end);
    if (event && !code)
        *event = end;
    else
        gravel_cl_event_release(end);
    return code;
}
