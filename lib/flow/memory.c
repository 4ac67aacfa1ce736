/* SPDX-License-Identifier: MIT */
/*
 * Flow memory: allocation, and copies where it is a buffer. See flow.h.
 */
#include "flow/flow.h"

#include "opencl/wait.h"

#define USER "a flow's memory"

int gravel_flow_memory_create(struct gravel_flow *flow)
{
    const struct gravel_device *device = &flow->gravel->device;
    const uint64_t before_rows = flow->layout.rows_at;
    const bool is_shared = gravel_step_is_shared(device->step);
    GRAVEL_TRY(gravel_region_create(&flow->region, device, is_shared ? NULL : device->queue, USER,
                                    flow->layout.bytes));
    if (!is_shared)
        GRAVEL_TRY(
            gravel_pinned_create(&flow->mirror, device, device->queue, USER, NULL, before_rows));
    struct gravelp_flow *control = is_shared ? flow->region.shared : (void *)flow->mirror.begin;
    gravel_flow_layout_write(&flow->layout, &flow->graph, control);
    flow->view = gravelp_view_of(control);
    return is_shared ? 0 : gravel_region_write(&flow->region, 0, control, before_rows);
}

void gravel_flow_memory_destroy(struct gravel_flow *flow)
{
    const struct gravel_device *device = &flow->gravel->device;
    if (!gravel_wait_is_done(device, device->queue, "a flow's last round"))
        return;
    gravel_pinned_destroy(&flow->mirror);
    gravel_region_destroy(&flow->region);
}

cl_int gravel_flow_memory_send(const struct gravel_flow *flow, bool loops)
{
    const struct gravelp_flow *header = &flow->layout.header;
    const uint64_t at = offsetof(struct gravelp_flow, round);
    const uint64_t end = 4 * (uint64_t)(loops ? header->channels_at : header->launch_at);
    if (flow->region.shared)
        return CL_SUCCESS;
    return clEnqueueWriteBuffer(flow->gravel->device.queue, flow->region.buffer, CL_FALSE, at,
                                end - at, (unsigned char *)flow->view.flow + at, 0, NULL, NULL);
}

cl_int gravel_flow_memory_fetch(const struct gravel_flow *flow, bool loops, cl_event *event)
{
    const struct gravelp_flow *header = &flow->layout.header;
    const uint64_t at = 4 * (uint64_t)(loops ? header->launch_at : header->fault_at);
    const uint64_t end = 4 * (uint64_t)(loops ? header->channels_at : header->heads_at);
    *event = NULL;
    if (flow->region.shared)
        return CL_SUCCESS;
    return clEnqueueReadBuffer(flow->gravel->device.queue, flow->region.buffer, CL_FALSE, at,
                               end - at, (unsigned char *)flow->view.flow + at, 0, NULL, event);
}

int gravel_flow_memory_write_tails(struct gravel_flow *flow)
{
    const struct gravelp_flow *header = &flow->layout.header;
    if (flow->region.shared)
        return 0;
    return gravel_region_write(&flow->region, 4 * (uint64_t)header->tails_at, flow->view.tails,
                               4 * (uint64_t)header->n_layers);
}

int gravel_flow_memory_write(struct gravel_flow *flow, uint64_t at, const uint32_t *words,
                             uint64_t n)
{
    return gravel_region_write(&flow->region, flow->layout.rows_at + 4 * at, words, 4 * n);
}

int gravel_flow_memory_read(struct gravel_flow *flow, uint64_t at, uint32_t *words, uint64_t n)
{
    return gravel_region_read(&flow->region, flow->layout.rows_at + 4 * at, words, 4 * n);
}
