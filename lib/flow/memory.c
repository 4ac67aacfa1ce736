/* SPDX-License-Identifier: MIT */
/*
 * Flow memory. See memory.h.
 */
#include "flow/memory.h"

#include "base/error.h"
#include "opencl/wait.h"

#define USER "a flow's memory"

int gravel_flow_memory_create(struct gravel_flow_memory *memory, const struct gravel_device *device,
                              const struct gravel_flow_layout *layout,
                              const struct gravel_flow_graph *graph)
{
    const bool is_shared = gravel_step_is_shared(device->step);
    *memory = (struct gravel_flow_memory){.device = device, .layout = layout};
    GRAVEL_TRY(gravel_region_create(&memory->region, device, is_shared ? NULL : device->queue, USER,
                                    layout->bytes));
    if (!is_shared)
        GRAVEL_TRY(gravel_pinned_create(&memory->mirror, device, device->queue, USER, NULL,
                                        layout->rows_at));
    memory->control = is_shared ? memory->region.shared : (void *)memory->mirror.begin;
    gravel_flow_layout_write(layout, graph, memory->control);
    return is_shared ? 0
                     : gravel_region_write(&memory->region, 0, memory->control, layout->rows_at);
}

void gravel_flow_memory_destroy(struct gravel_flow_memory *memory)
{
    if (!memory->device)
        return;
    if (!gravel_wait_is_done(memory->device, memory->device->queue, "a flow's last round"))
        return;
    gravel_pinned_destroy(&memory->mirror);
    gravel_region_destroy(&memory->region);
    *memory = (struct gravel_flow_memory){0};
}

cl_int gravel_flow_memory_send(const struct gravel_flow_memory *memory, bool loops)
{
    const struct gravelp_flow *header = &memory->layout->header;
    const uint64_t at = offsetof(struct gravelp_flow, round);
    const uint64_t end = 4 * (uint64_t)(loops ? header->channels_at : header->turn_at);
    if (memory->region.shared)
        return CL_SUCCESS;
    return clEnqueueWriteBuffer(memory->device->queue, memory->region.buffer, CL_FALSE, at,
                                end - at, (unsigned char *)memory->control + at, 0, NULL, NULL);
}

cl_int gravel_flow_memory_fetch(const struct gravel_flow_memory *memory, bool loops,
                                cl_event *event)
{
    const struct gravelp_flow *header = &memory->layout->header;
    const uint64_t at = 4 * (uint64_t)(loops ? header->turn_at : header->fault_at);
    const uint64_t end = 4 * (uint64_t)(loops ? header->channels_at : header->heads_at);
    *event = NULL;
    if (memory->region.shared)
        return CL_SUCCESS;
    return clEnqueueReadBuffer(memory->device->queue, memory->region.buffer, CL_FALSE, at, end - at,
                               (unsigned char *)memory->control + at, 0, NULL, event);
}

int gravel_flow_memory_write_tails(struct gravel_flow_memory *memory)
{
    const struct gravelp_flow *header = &memory->layout->header;
    if (memory->region.shared)
        return 0;
    return gravel_region_write(&memory->region, 4 * (uint64_t)header->tails_at,
                               gravelp_flow_words(memory->control, header->tails_at),
                               4 * (uint64_t)header->n_layers);
}

int gravel_flow_memory_write(struct gravel_flow_memory *memory, uint64_t at, const uint32_t *words,
                             uint64_t n)
{
    return gravel_region_write(&memory->region, memory->layout->rows_at + 4 * at, words, 4 * n);
}

int gravel_flow_memory_read(struct gravel_flow_memory *memory, uint64_t at, uint32_t *words,
                            uint64_t n)
{
    return gravel_region_read(&memory->region, memory->layout->rows_at + 4 * at, words, 4 * n);
}
