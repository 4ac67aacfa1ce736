/* SPDX-License-Identifier: MIT */
/*
 * How a flow's kernels are launched.
 *
 * A kernel that sends nothing never waits, so its rounds are plain commands. One that sends is launched as any kernel
 * of the caller's, in slices where the step wants them.
 *
 * Path:    host.c, produce.c -> launch.c -> node/launch.c, node/enqueue.c.
 */
#include "flow/flow.h"
#include "node/enqueue.h"

int gravel_flow_launch(struct gravel_flow *flow, cl_kernel kernel, size_t n_items,
                       size_t group_items, cl_event *event)
{
    const size_t local = n_items > 1 ? group_items : 1;
    const size_t global = (n_items + local - 1) / local * local;
    const struct gravel_command command = {.call = "a flow's round",
                                           .kernel = kernel,
                                           .n_dimensions = 1,
                                           .global = &global,
                                           .local = &local};
    return flow->n_messages
               ? gravel_launch(flow->gravel, kernel, 1, &n_items, &group_items, 0, NULL, event)
               : gravel_node_enqueue(flow->gravel, &command, 0, NULL, event);
}

int gravel_flow_wait_launch(struct gravel_flow *flow, cl_kernel kernel, cl_event event)
{
    struct gravel *gravel = flow->gravel;
    return gravel_leave(gravel, gravel_node_wait_for_kernel(gravel, kernel, event));
}
