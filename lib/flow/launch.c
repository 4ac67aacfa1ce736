/* SPDX-License-Identifier: MIT */
/*
 * Launches the kernels of a flow, and waits for them.
 *
 * A kernel that sends nothing never waits, so its rounds are plain commands. One that sends is launched as any kernel
 * of the caller's, in slices where the step wants them.
 *
 * Path:    host.c, produce.c -> launch.c -> node/launch.c, node/enqueue.c.
 */
#include "flow/flow.h"

#include "base/await.h"
#include "base/clock.h"
#include "node/enqueue.h"
#include "opencl/objects.h"
#include "opencl/wait.h"

#define YIELDS_NS UINT64_C(50000) /* a small round ends before; then the wait sleeps */

static int enqueue(struct gravel_flow *flow, cl_kernel kernel, size_t n_items, cl_event *event)
{
    const size_t group = flow->group_items;
    const struct gravel_command command = {.call = "a flow's round",
                                           .kernel = kernel,
                                           .n_dimensions = 1,
                                           .global = &n_items,
                                           .local = &group};
    return flow->n_messages
               ? gravel_launch(flow->gravel, kernel, 1, &n_items, &group, 0, NULL, event)
               : gravel_node_enqueue(flow->gravel, &command, 0, NULL, event);
}

/* Enqueues the kernel between the copies that it needs, none of which there are where memory is shared. */
static int begin(struct gravel_flow *flow, cl_kernel kernel, size_t n_items, cl_event *ended,
                 cl_event *copied)
{
    const struct gravel_flow_memory *memory = &flow->memory;
    const bool loops = kernel == flow->looping;
    GRAVEL_TRY(gravel_check_cl("a flow's round: clEnqueueWriteBuffer",
                               gravel_flow_memory_send(memory, loops)));
    GRAVEL_TRY(enqueue(flow, kernel, n_items, ended));
    cl_int error = gravel_flow_memory_fetch(memory, loops, copied);
    return gravel_check_cl("a flow's tails: clEnqueueReadBuffer",
                           gravel_cl_flush(memory->device->queue, error));
}

static int wait_for(struct gravel_flow *flow, cl_kernel kernel, cl_event ended, cl_event copied)
{
    struct gravel *gravel = flow->gravel;
    cl_event last = copied ? copied : ended;
    struct gravel_awake awake = {0};
    while (gravel_cl_event_status(last) > CL_COMPLETE && gravel_awake_yield(&awake, YIELDS_NS))
        ;
    GRAVEL_TRY(gravel_leave(gravel, gravel_node_wait_for_kernel(gravel, kernel, ended)));
    return copied ? gravel_wait_event(flow->memory.device, copied, "a flow's tails") : 0;
}

int gravel_flow_launch(struct gravel_flow *flow, cl_kernel kernel, size_t n_items,
                       uint64_t *begin_ns)
{
    cl_event ended = NULL, copied = NULL;
    int code = begin(flow, kernel, n_items, &ended, &copied);
    *begin_ns = gravel_clock_ns();
    int waited = ended ? wait_for(flow, kernel, ended, copied) : 0; /* it uses the memory */
    gravel_cl_event_release(ended);
    gravel_cl_event_release(copied);
    return code ? code : waited;
}
