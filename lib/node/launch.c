/* SPDX-License-Identifier: MIT */
/*
 * Launches of an open node.
 *
 * On steps svm and usm a launch is one command, unless handlers written in OpenCL C must run too. On pump, and
 * then, it is cut into slices that leave a compute unit free, so that copies, the resolver's kernels and handlers
 * always get to run while leaders of a kernel wait for room. On drain no leader can wait: slices are small enough
 * for the queues, which are emptied between two of them.
 *
 * Path:    gravel.h -> launch.c -> sizes.c, slice.c, enqueue.c, node/launches.c, pump.c.
 * Threads: any; on step drain launches take turns.
 */
#include "base/clock.h"
#include "node/enqueue.h"
#include "settings/settings.h"
#include "opencl/objects.h"

#include <stdlib.h>
#include <string.h>

/*
 * Slices of step pump that are enqueued together; two batches may be under way. A driver whose list
 * of commands is full waits for room, and on NVIDIA no other thread can then enqueue anything, not
 * even what the running slice waits for.
 */
#define BATCH 32u

struct traced_kernel {
    struct gravel_trace *trace;
    uint64_t begin_ns;
    char name[GRAVEL_KERNEL_NAME_BYTES];
};

static void CL_CALLBACK trace_kernel(cl_event event, cl_int status, void *user)
{
    struct traced_kernel *kernel = user;
    (void)event, (void)status;
    gravel_trace_async(kernel->trace, kernel->name, kernel->begin_ns, kernel->begin_ns,
                       gravel_clock_ns());
    gravel_trace_let_go(kernel->trace);
    free(kernel);
}

static void trace_launch(struct gravel *gravel, cl_kernel kernel, cl_event event)
{
    struct traced_kernel *traced = gravel->trace ? calloc(1, sizeof *traced) : NULL;
    if (!traced)
        return;
    traced->trace = gravel->trace;
    traced->begin_ns = gravel_clock_ns();
    gravel_cl_kernel_name(kernel, traced->name);
    gravel_trace_hold(traced->trace); /* the driver may be late */
    if (clSetEventCallback(event, CL_COMPLETE, trace_kernel, traced) == CL_SUCCESS)
        return;
    gravel_trace_let_go(traced->trace);
    free(traced);
}

/* A launch. */
struct launch {
    struct gravel *gravel;
    cl_kernel kernel;
    struct gravel_slicer slicer;
    cl_uint n_wait; /* of its first command */
    const cl_event *wait;
    cl_event event; /* of its last command so far; NULL: there is none */
};

/* Enqueues a slice as a command. If that fails, the event stays the last one's, which may still run. */
static int enqueue_slice(struct launch *launch, const struct gravel_slice *slice,
                         bool is_remembered)
{
    const struct gravel_command command = {.call = "gravel_launch",
                                           .kernel = launch->kernel,
                                           .n_dimensions = launch->slicer.n_dimensions,
                                           .offset = slice->offset,
                                           .global = slice->size,
                                           .local = launch->slicer.local,
                                           .n_wait = launch->n_wait,
                                           .wait = launch->wait,
                                           .is_remembered = is_remembered};
    cl_event next;
    GRAVEL_TRY(gravel_node_enqueue(launch->gravel, &command, &next));
    gravel_cl_event_release(launch->event);
    launch->event = next;
    launch->n_wait = 0;
    return 0;
}

/*
 * Groups that may wait at once. A compute unit stays free, whatever the device; of a GPU, a sixth of them, and of
 * groups larger than LARGE_GROUP there are as many as have no more work-items. For a group that waits keeps registers
 * and local memory, and next to it on a unit there may be no room for the kernels that bin and apply what it sends:
 * with a group on every unit but one, all of these may have to run on the one left.
 */
#define LARGE_GROUP 512u
static uint64_t slice_most(const struct gravel *gravel, const struct gravel_slicer *slicer)
{
    uint32_t wanted = gravel->config.slice_groups; /* check_slice of open.c */
    uint64_t units = gravel->device.units, most = units * 5 / 6;
    uint64_t items = (uint64_t)slicer->local[0] * slicer->local[1] * slicer->local[2];
    if (wanted || gravel->device.capability.is_cpu)
        return wanted ? wanted : units - 1;
    if (items > LARGE_GROUP)
        most = most * LARGE_GROUP / items;
    return most ? most : 1;
}

/* Has what is enqueued begin: waits ask for its state, and asking does not flush. */
static int flush(const struct launch *launch)
{
    return gravel_check_cl("gravel_launch: clFlush", clFlush(launch->gravel->device.queue));
}

/* Has packages fetched until the last slice has ended; on steps svm and usm there is nothing to fetch, and on drain the
 * launch itself fetches them. */
static void watch(const struct launch *launch)
{
    struct gravel *gravel = launch->gravel;
    if (gravel->pump && launch->event && gravel_step_may_wait(gravel->device.step))
        gravel_pump_watch(gravel->pump, launch->event);
}

/* Lets a batch of slices begin, and does not run more than one batch ahead of the device.
 * @param previous  [in, out] the last slice of the batch before, or NULL */
static int end_batch(const struct launch *launch, cl_event *previous)
{
    int flushed = flush(launch);
    watch(launch);
    int ended =
        *previous ? gravel_node_wait_for_kernel(launch->gravel, launch->kernel, *previous) : 0;
    gravel_cl_event_release(*previous);
    clRetainEvent(launch->event);
    *previous = launch->event;
    return gravel_first_failure(flushed, ended);
}

/* Returns whether there are so many slices that the launch waits for some of them. */
static bool waits_for_a_batch(struct gravel_slicer slicer, uint64_t most)
{
    struct gravel_slice slice;
    uint32_t n = 0;
    while (n < 2 * BATCH && gravel_slicer_next(&slicer, most, &slice))
        n++;
    return n == 2 * BATCH;
}

/*
 * Enqueues slice after slice, each of at most `most` groups; the command queue is in order. Each is remembered, so
 * that its event stays until it has ended: if an event that it waits for ends with an error, PoCL 3.1 goes to it.
 */
static int launch_slices(struct launch *launch, uint64_t most)
{
    struct gravel_slice slice;
    cl_event previous = NULL;
    int code = waits_for_a_batch(launch->slicer, most)
                   ? gravel_wait_list(launch->gravel, "gravel_launch", launch->n_wait, launch->wait)
                   : 0;
    for (uint32_t n = 1; !code && gravel_slicer_next(&launch->slicer, most, &slice); n++) {
        code = enqueue_slice(launch, &slice, true);
        if (!code && n % BATCH == 0)
            code = end_batch(launch, &previous);
    }
    watch(launch);
    gravel_cl_event_release(previous);
    return code;
}

int gravel_node_end(struct gravel *gravel, cl_kernel kernel, cl_event event)
{
    const int code = gravel_node_wait_for_kernel(gravel, kernel, event);
    if (code == GRAVEL_EKERNEL && !gravel_launches_reserve(&gravel->launches))
        gravel_launches_fill(&gravel->launches, kernel, event);
    return code;
}

/* Waits for a slice and fetches its packages. If the node has failed, that failure is the cause. */
static int drain(const struct launch *launch)
{
    struct gravel *gravel = launch->gravel;
    int flushed = flush(launch); /* reported after the wait: the kernel may have begun */
    atomic_store_explicit(&gravel->is_draining, true, memory_order_relaxed); /* H4 */
    int code = gravel_node_end(gravel, launch->kernel, launch->event);
    atomic_store_explicit(&gravel->is_draining, false, memory_order_relaxed); /* H4 */
    if (!code)
        code = gravel_pump_drain(gravel->pump, NULL);
    code = gravel_first_failure(code, flushed);
    return code ? gravel_leave(gravel, code) : 0;
}

/* Launches slice by slice, each one's packages fetched before the next begins. */
static int launch_drained(struct launch *launch)
{
    struct gravel *gravel = launch->gravel;
    struct gravel_slice slice;
    const uint64_t wanted = gravel->config.slice_groups,
                   slots = (uint64_t)gravel->arena->n_slots * gravel->arena->n_queues;
    uint64_t groups = wanted ? wanted : 1, most_packages = 0;
    int code = 0;
    while (!code && gravel_slicer_next(&launch->slicer, groups, &slice)) {
        uint32_t before = gravel_pump_reserved(gravel->pump);
        code = enqueue_slice(launch, &slice, false);
        if (!code)
            code = drain(launch);
        uint32_t packages = gravel_pump_reserved(gravel->pump) - before;
        uint64_t each = (packages + slice.n_groups - 1) / slice.n_groups;
        most_packages = each > most_packages ? each : most_packages;
        /* A quarter of the queues, because groups differ; at most twice the last slice: later groups may send more. */
        const uint64_t fit = slots / 4 / (most_packages ? most_packages : 1),
                       next = fit < 2 * groups ? fit : 2 * groups;
        groups = wanted ? wanted : next ? next : 1;
    }
    return code;
}

/* Step drain: one launch at a time. */
static int lock_device(struct gravel *gravel)
{
    return gravel_node_lock(gravel, &gravel->drain_lock, "another launch, which has the device");
}

static void wake_aggregators(struct gravel *gravel)
{
    for (uint32_t i = 0; i < gravel->config.n_aggregators; i++)
        gravel_aggregator_wake(&gravel->aggregators[i]);
}

uint32_t gravel_node_groups_at_once(const struct gravel *gravel)
{
    const struct gravel_slicer slicer = {.local = {GRAVEL_CLIENT_ITEMS, 1, 1}};
    uint64_t n = gravel_device_leaves_unit(&gravel->device) ? slice_most(gravel, &slicer)
                                                            : gravel->device.units;
    return n ? (uint32_t)n : 1;
}

int gravel_node_run(struct gravel *gravel, cl_kernel kernel, size_t n_groups, size_t group_items,
                    struct gravel_limit limit, cl_event *event)
{
    const size_t n_items = n_groups * group_items;
    struct launch launch = {.gravel = gravel, .kernel = kernel, .event = *event};
    bool is_drained = !gravel_step_may_wait(gravel->device.step);
    gravel_slicer_init(&launch.slicer, 1, &n_items, &group_items);
    if (is_drained)
        GRAVEL_TRY(lock_device(gravel));
    gravel_checked_begin_launch(gravel);
    int code = launch_slices(&launch, UINT64_MAX);
    *event = launch.event;
    if (!code)
        trace_launch(gravel, kernel, *event);
    gravel_checked_end_launch(gravel, NULL); /* its end is waited for here */
    if (is_drained) { /* its packages are fetched when the kernel has ended, on pump while it runs */
        if (!code)
            code = drain(&launch);
        pthread_mutex_unlock(&gravel->drain_lock);
        return code;
    }
    GRAVEL_TRY(code);
    int flushed = flush(&launch);
    wake_aggregators(gravel);
    GRAVEL_TRY(gravel_launches_wait_for(kernel, *event, limit));
    return flushed;
}

int gravel_node_begin(struct gravel *gravel, cl_kernel kernel, size_t n_groups, size_t group_items,
                      cl_event *event)
{
    const size_t n_items = n_groups * group_items;
    const struct gravel_command command = {.call = "gravel_launch",
                                           .kernel = kernel,
                                           .n_dimensions = 1,
                                           .global = &n_items,
                                           .local = &group_items};
    GRAVEL_TRY(gravel_node_enqueue(gravel, &command, event));
    trace_launch(gravel, kernel, *event);
    const struct launch launch = {.gravel = gravel, .kernel = kernel, .event = *event};
    watch(&launch);
    wake_aggregators(gravel);
    return flush(&launch);
}

static int begin(struct launch *launch)
{
    struct gravel *gravel = launch->gravel;
    const size_t *groups = launch->slicer.groups;
    if (groups[0] == 0 || groups[1] == 0 || groups[2] == 0) /* it ends when it might have begun */
        return gravel_check_cl("gravel_launch: clEnqueueMarkerWithWaitList",
                               clEnqueueMarkerWithWaitList(gravel->device.queue, launch->n_wait,
                                                           launch->n_wait ? launch->wait : NULL,
                                                           &launch->event));
    if (!gravel->device.is_sliced)
        return launch_slices(launch, UINT64_MAX);
    if (gravel_step_may_wait(gravel->device.step))
        return launch_slices(launch, slice_most(gravel, &launch->slicer));
    GRAVEL_TRY(gravel_wait_list(gravel, "gravel_launch", launch->n_wait, launch->wait));
    GRAVEL_TRY(lock_device(gravel));
    launch->n_wait = 0;
    int code = launch_drained(launch);
    pthread_mutex_unlock(&gravel->drain_lock);
    return code;
}

int gravel_launch(struct gravel *gravel, cl_kernel kernel, cl_uint n_dimensions,
                  const size_t *global_size, const size_t *local_size, cl_uint n_wait,
                  const cl_event *wait, cl_event *event)
{
    if (event)
        *event = NULL;
    GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_ANYWHERE));
    if (gravel->device.is_sliced || gravel->private_memory.is_pooled)
        GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_WAITS));
    GRAVEL_TRY(gravel_given_kernel(&gravel->device, __func__, kernel));
    GRAVEL_TRY(gravel_require(__func__, "global_size", global_size));
    GRAVEL_TRY(gravel_given_events(&gravel->device, __func__, n_wait, wait));
    GRAVEL_TRY(gravel_leave(gravel, 0));
    gravel_checked_begin_launch(gravel);
    for (uint32_t i = 0; i < gravel->config.n_aggregators; i++)
        gravel_unseen_launch(gravel->aggregators[i].queue.words);
    struct launch launch = {.gravel = gravel, .kernel = kernel, .n_wait = n_wait, .wait = wait};
    int code = gravel_sizes_take(&launch.slicer, &gravel->device, kernel, n_dimensions, global_size,
                                 local_size);
    if (!code)
        code = begin(&launch); /* slices may run also if it fails */
    if (launch.event)
        trace_launch(gravel, kernel, launch.event);
    gravel_checked_end_launch(gravel, launch.event ? kernel : NULL);
    if (!launch.event)
        return code;
    int flushed = flush(&launch);
    wake_aggregators(gravel);
    code = gravel_first_failure(code, flushed);
    if (event && !code)
        *event = launch.event;
    else
        clReleaseEvent(launch.event);
    return code;
}
