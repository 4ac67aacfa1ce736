/* SPDX-License-Identifier: MIT */
/*
 * Launches a kernel that runs tasks, waits for it, finds out how it ended, and says what groups have counted.
 *
 * A kernel that has no arena sends nothing, so no kernel of Gravel's need run concurrently, and it is one command;
 * unless other nodes send messages here, which have to be applied. On step drain no leader waits for room in a queue,
 * so a kernel that sends is launched again and again, its groups with a budget of tasks: twice the last one's, and so
 * few that the messages of all fit a quarter of the queues. Tasks that are left stay in the deques.
 *
 * Groups without a task wait for those with one. Only the host knows when that is useless: once the node has
 * failed, or GRAVEL_KERNEL_LIMIT has passed, it stops them (H7), where the step lets it reach a running kernel.
 *
 * Path:    gravel_steal_launch -> node/launch.c; create.c, gravel_steal_stats_read -> join -> node/launches.c.
 */
#include "base/counter.h"
#include "base/error.h"
#include "base/growing.h"
#include "node/enqueue.h"
#include "opencl/objects.h"
#include "steal/steal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_NAME 64

/* ---- while it runs ------------------------------------------------------------------------------ */

struct steal_wait {
    struct gravel_steal *steal;
    struct gravel_limit limit; /* of any kernel */
};

/* Returns whether the host can reach the memory while a kernel runs. */
static bool is_reached(const struct gravel_steal *steal)
{
    return steal->region.shared || gravel_step_is_pumped(steal->gravel->device.step);
}

static void stop_kernel(struct gravel_steal *steal)
{
    const gravelp_u32 yes = 1;
    if (steal->is_stopped || !is_reached(steal))
        return;
    struct gravelp_steal *shared = steal->region.shared;
    steal->is_stopped = true;
    if (shared)
        gravel_word_store(&shared->abort, yes, memory_order_relaxed); /* H7 */
    else
        gravel_region_write(&steal->region, offsetof(struct gravelp_steal, abort), &yes,
                            sizeof yes); /* H7 */
}

/* Name the groups that run tasks, behind what the wait says. */
static int name_busy(struct gravel_steal *steal, int code)
{
    const struct gravel_kept met = gravel_keep(code);
    uint32_t first = 0, n = 0;
    if (!is_reached(steal) || gravel_steal_is_list(steal) || gravel_steal_read_deques(steal))
        return gravel_fail_again(&met);
    for (uint32_t i = 0; i < steal->options.n_groups; i++) {
        const struct gravelp_deque *deque = &steal->deques[i]; /* H8: racing, for people */
        if (deque->n_begun == deque->n_ended || deque->is_waiting)
            continue;
        first = n++ ? first : i;
    }
    return gravel_fail(code, "%s; %u of %u groups run tasks, the first is group %u", met.text, n,
                       steal->options.n_groups, first);
}

static int check_wait(void *context, struct gravel_wait *wait)
{
    struct steal_wait *own = context;
    int code = own->limit.check(own->limit.context, wait);
    if (code)
        code = name_busy(own->steal, code);
    if (code || gravel_node_has_failed(own->steal->gravel))
        stop_kernel(own->steal);
    return code;
}

/* ---- when it has ended -------------------------------------------------------------------------- */

/* Fails with the name of the kernel and a group. */
__attribute__((format(printf, 3, 4))) static int fail_group(const struct gravel_steal *steal,
                                                            uint32_t group, const char *format, ...)
{
    char name[128] = "(long name)", text[GRAVEL_ERROR_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    clGetKernelInfo(steal->kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    return gravel_fail(GRAVEL_EKERNEL, "kernel %s, group %u: %s", name, group, text);
}

static int fail_of(const struct gravel_steal *steal, const struct gravelp_steal *head)
{
    const uint32_t group = head->fault_group, value = head->fault_values[0];
    if (head->fault == GRAVELP_STEAL_FAULT_FULL)
        return fail_group(steal, group,
                          "a push beyond the capacity of its deque, %u tasks: %u tasks are lost",
                          steal->options.capacity, value);
    if (head->fault == GRAVELP_STEAL_FAULT_LEFT)
        return fail_group(steal, group,
                          "it has left GRAVEL_STEAL_EACH within a task, with %u more tasks in its "
                          "deque",
                          value);
    return fail_group(steal, group,
                      "built for tasks of %u bytes and policy number %u; the deques are for %u "
                      "bytes, policy %s, %u groups",
                      value, head->fault_values[1], steal->head.task_bytes,
                      steal->gravel->config.steal_policy, steal->head.n_groups);
}

/* Empties deques that kernels have overwritten: with more tasks than there is room for. */
static int check_deques(struct gravel_steal *steal)
{
    int code = 0;
    for (uint32_t i = 0; i < steal->options.n_groups && !gravel_steal_is_list(steal); i++) {
        struct gravelp_deque *deque = &steal->deques[i];
        if (deque->tail - deque->head <= steal->options.capacity &&
            deque->offer <= GRAVELP_OFFER_TAKEN && deque->n_offered <= GRAVELP_STEAL_BLOCK)
            continue;
        if (!code)
            code = fail_group(steal, i,
                              "its deque is overwritten: from task %u to %u, an offer of %u, a "
                              "capacity of %u: its tasks are lost",
                              deque->head, deque->tail, deque->n_offered, steal->options.capacity);
        deque->head = deque->tail = 0;
        deque->offer = GRAVELP_OFFER_EMPTY;
        deque->n_offered = 0;
    }
    return code;
}

static int check_ends(const struct gravel_steal *steal)
{
    uint32_t n = 0, first = 0;
    for (uint32_t i = 0; i < steal->options.n_groups; i++)
        if (steal->deques[i].n_begun != steal->deques[i].n_ended)
            first = n++ ? first : i;
    if (n == 0)
        return 0;
    return fail_group(steal, first,
                      "it has returned within GRAVEL_STEAL_EACH, as %u groups in all; what was in "
                      "their deques then is not known",
                      n);
}

/* Finds out from the memory how a launch ended. */
static int judge(struct gravel_steal *steal, const struct gravelp_steal *head)
{
    int code = head->fault != GRAVELP_STEAL_FAULT_NONE ? fail_of(steal, head) : check_ends(steal);
    code = gravel_first_failure(code, check_deques(steal));
    for (uint32_t i = 0; i < steal->options.n_groups; i++)
        steal->deques[i].n_ended = steal->deques[i].n_begun;
    if (gravel_steal_is_list(steal)) {
        const bool is_left = head->next < steal->head.n_tasks; /* else the list begins anew */
        steal->head.next = is_left ? head->next : 0;
        steal->head.n_tasks = is_left ? steal->head.n_tasks : 0;
    }
    int written = code ? gravel_steal_write_deques(steal) : 0; /* that is reported once */
    return gravel_first_failure(written, code);
}

void gravel_steal_forget_launch(struct gravel_steal *steal)
{
    gravel_cl_event_release(steal->end);
    gravel_cl_kernel_release(steal->kernel);
    steal->end = NULL;
    steal->kernel = NULL;
}

int gravel_steal_join(struct gravel_steal *steal)
{
    struct steal_wait wait = {.steal = steal};
    struct gravelp_steal head;
    if (!steal->kernel)
        return 0;
    if (steal->is_stuck && !gravel_cl_event_has_ended(steal->end))
        return gravel_fail(GRAVEL_EKERNEL, "an earlier launch of these deques has not ended");
    wait.limit = gravel_node_kernel_limit(steal->gravel);
    int code = gravel_launches_wait_for(
        steal->kernel, steal->end, (struct gravel_limit){.check = check_wait, .context = &wait});
    steal->is_stuck = code == GRAVEL_EKERNEL;
    /* if one of these fails, the next call waits and reads again */
    GRAVEL_TRY(code);
    GRAVEL_TRY(gravel_region_read(&steal->region, 0, &head, sizeof head));
    GRAVEL_TRY(gravel_steal_read_deques(steal));
    code = judge(steal, &head);
    gravel_steal_forget_launch(steal);
    return code;
}

int gravel_steal_wait(struct gravel_steal *steal)
{
    GRAVEL_TRY(gravel_steal_enter(steal, "gravel_steal_wait"));
    return gravel_steal_join(steal);
}

/* ---- counts -------------------------------------------------------------------------------------- */

/* Adds what a group has counted, and the tasks that its deque has or offers. */
static void add(const struct gravel_steal *steal, uint32_t group, struct gravel_steal_stats *stats)
{
    const struct gravelp_deque *deque = &steal->deques[group];
    const struct gravelp_steal_counts *counts = &deque->counts;
    stats->done += counts->done;
    stats->stolen += counts->stolen;
    stats->failed += counts->failed;
    stats->offers += counts->offers;
    stats->looks += counts->looks;
    stats->most = counts->done > stats->most ? counts->done : stats->most;
    if (gravel_steal_is_list(steal))
        return;
    stats->left += deque->tail - deque->head;
    stats->left += deque->offer == GRAVELP_OFFER_MADE ? deque->n_offered : 0;
}

static struct gravel_steal_stats totals_of(const struct gravel_steal *steal)
{
    struct gravel_steal_stats stats = {.left = steal->head.n_tasks - steal->head.next};
    for (uint32_t i = 0; i < steal->options.n_groups; i++)
        add(steal, i, &stats);
    return stats;
}

int gravel_steal_stats_read(struct gravel_steal *steal, struct gravel_steal_stats *stats,
                            size_t bytes, uint32_t group)
{
    static const char call[] = "gravel_steal_stats_read";
    struct gravel_steal_stats own = {0};
    GRAVEL_TRY(gravel_steal_enter(steal, call));
    GRAVEL_TRY(gravel_require(call, "stats", stats));
    if (group != GRAVEL_ALL_GROUPS && group >= steal->options.n_groups)
        return gravel_fail(GRAVEL_EINVAL, "%s: group %u of %u", call, group,
                           steal->options.n_groups);
    GRAVEL_TRY(gravel_growing_give(call, stats, bytes, &own, sizeof own));
    int code = gravel_steal_join(steal);
    if (group == GRAVEL_ALL_GROUPS)
        own = totals_of(steal);
    else
        add(steal, group, &own);
    gravel_growing_give(call, stats, bytes, &own, sizeof own);
    return code;
}

int gravel_steal_stats_reset(struct gravel_steal *steal)
{
    GRAVEL_TRY(gravel_steal_enter(steal, "gravel_steal_stats_reset"));
    int code = gravel_steal_join(steal);
    for (uint32_t i = 0; i < steal->options.n_groups; i++)
        steal->deques[i].counts = (struct gravelp_steal_counts){0};
    return gravel_first_failure(code, steal->kernel ? 0 : gravel_steal_write_deques(steal));
}

/* ---- a launch -------------------------------------------------------------------------------------- */

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
    steal->is_stopped = false;
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
        const uint64_t done = totals_of(steal).done;
        gravel_cl_event_release(*event);
        *event = NULL;
        code = launch_once(steal, kernel, true, budget, n_wait, wait, event);
        n_wait = 0;
        if (!code)
            code = gravel_steal_join(steal);
        const struct gravel_steal_stats totals = totals_of(steal);
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
