/* SPDX-License-Identifier: MIT */
/*
 * Flow memory. See memory.h.
 */
#include "flow/memory.h"

#include "base/error.h"
#include "opencl/wait.h"

#define USER "a flow's memory"

/* In the mirror no rows are between front and back. */
static void join_mirror(struct gravelp_flow *mirror, uint64_t row_words)
{
    mirror->turn_at -= row_words;
    mirror->fault_at -= row_words;
    mirror->unenqueued_at -= row_words;
    mirror->tails_at -= row_words;
    mirror->enqueued_at -= row_words;
    mirror->done_at -= row_words;
    mirror->heads_at -= row_words;
    mirror->taken_at -= row_words;
    mirror->peaks_at -= row_words;
    mirror->channels_at -= row_words;
    mirror->edges_at -= row_words;
}

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
                                        layout->front_bytes + layout->back_bytes));
    memory->control = is_shared ? memory->region.shared : (void *)memory->mirror.begin;
    unsigned char *front = (unsigned char *)memory->control;
    unsigned char *back = front + (is_shared ? layout->back_at : layout->front_bytes);
    gravel_flow_layout_write(layout, graph, front, back);
    if (is_shared)
        return 0;
    int code = gravel_region_write(&memory->region, 0, front, layout->front_bytes);
    if (!code)
        code = gravel_region_write(&memory->region, layout->back_at, back, layout->back_bytes);
    join_mirror(memory->control, (layout->back_at - layout->front_bytes) / 4);
    return code;
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
    const struct gravel_flow_layout *layout = memory->layout;
    const uint64_t at = offsetof(struct gravelp_flow, round);
    cl_command_queue queue = memory->device->queue;
    if (memory->region.shared)
        return CL_SUCCESS;
    cl_int error =
        clEnqueueWriteBuffer(queue, memory->region.buffer, CL_FALSE, at, layout->round_bytes,
                             (unsigned char *)memory->control + at, 0, NULL, NULL);
    if (error == CL_SUCCESS && loops)
        error = clEnqueueWriteBuffer(queue, memory->region.buffer, CL_FALSE, layout->back_at,
                                     layout->turn_bytes, gravelp_flow_turns(memory->control), 0,
                                     NULL, NULL);
    return error;
}

cl_int gravel_flow_memory_fetch(const struct gravel_flow_memory *memory, bool loops,
                                cl_event *event)
{
    const struct gravel_flow_layout *layout = memory->layout;
    *event = NULL;
    if (memory->region.shared)
        return CL_SUCCESS;
    return clEnqueueReadBuffer(memory->device->queue, memory->region.buffer, CL_FALSE,
                               loops ? layout->back_at : 4 * layout->header.fault_at,
                               loops ? layout->turn_bytes : layout->counts_bytes,
                               loops ? (void *)gravelp_flow_turns(memory->control)
                                     : (void *)gravelp_flow_faults(memory->control),
                               0, NULL, event);
}

int gravel_flow_memory_write_tails(struct gravel_flow_memory *memory)
{
    const struct gravelp_flow *there = &memory->layout->header;
    if (memory->region.shared)
        return 0;
    return gravel_region_write(&memory->region, 4 * there->tails_at,
                               gravelp_flow_words(memory->control, memory->control->tails_at),
                               4 * (uint64_t)there->n_layers);
}

int gravel_flow_memory_write(struct gravel_flow_memory *memory, uint64_t at, const uint32_t *words,
                             uint64_t n)
{
    return gravel_region_write(&memory->region, memory->layout->front_bytes + 4 * at, words, 4 * n);
}

int gravel_flow_memory_read(struct gravel_flow_memory *memory, uint64_t at, uint32_t *words,
                            uint64_t n)
{
    return gravel_region_read(&memory->region, memory->layout->front_bytes + 4 * at, words, 4 * n);
}
