/* SPDX-License-Identifier: MIT */
/*
 * Flow memory. See memory.h.
 */
#include "flow/memory.h"

#include "base/error.h"
#include "device/shared.h"
#include "opencl/objects.h"
#include "opencl/wait.h"

#include <inttypes.h>
#include <string.h>

#define USER "a flow's memory"

static int create_shared(struct gravel_flow_memory *memory, const struct gravel_flow_layout *layout)
{
    memory->shared = gravel_shared_alloc(memory->device, layout->bytes);
    memory->control = memory->shared;
    return memory->shared ? 0
                          : gravel_fail(GRAVEL_ENOMEM, USER ": %" PRIu64 " bytes of shared memory",
                                        layout->bytes);
}

static int create_buffer(struct gravel_flow_memory *memory, const struct gravel_flow_layout *layout)
{
    const struct gravel_device *device = memory->device;
    int code = gravel_cl_buffer_create(device, USER, layout->bytes, &memory->buffer);
    if (!code)
        code = gravel_pinned_create(&memory->mirror, device, device->queue, USER, NULL,
                                    layout->front_bytes + layout->back_bytes);
    if (!code)
        code = gravel_copier_create(&memory->copier, device, device->queue);
    memory->control = (struct gravelp_flow *)memory->mirror.begin;
    return code;
}

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
    bool is_shared = device->step == GRAVEL_STEP_SVM;
    *memory = (struct gravel_flow_memory){.device = device, .layout = layout};
    int code = is_shared ? create_shared(memory, layout) : create_buffer(memory, layout);
    if (code)
        return code;
    unsigned char *front = (unsigned char *)memory->control;
    unsigned char *back = front + (is_shared ? layout->back_at : layout->front_bytes);
    gravel_flow_layout_write(layout, graph, front, back);
    if (is_shared)
        return 0;
    code = gravel_copier_write(memory->copier, memory->buffer, 0, front, layout->front_bytes);
    if (!code)
        code = gravel_copier_write(memory->copier, memory->buffer, layout->back_at, back,
                                   layout->back_bytes);
    join_mirror(memory->control, (layout->back_at - layout->front_bytes) / 4);
    return code;
}

void gravel_flow_memory_destroy(struct gravel_flow_memory *memory)
{
    if (!memory->device)
        return;
    if (!gravel_wait_is_done(memory->device, memory->device->queue, "a flow's last round"))
        return;
    gravel_shared_free(memory->device, memory->shared);
    gravel_copier_destroy(memory->copier);
    gravel_pinned_destroy(&memory->mirror);
    gravel_cl_buffer_release(memory->buffer);
    *memory = (struct gravel_flow_memory){0};
}

cl_int gravel_flow_memory_set_argument(const struct gravel_flow_memory *memory, cl_kernel kernel,
                                       cl_uint index)
{
    return memory->shared
               ? gravel_shared_set_argument(memory->device, kernel, index, memory->shared)
               : clSetKernelArg(kernel, index, sizeof memory->buffer, &memory->buffer);
}

cl_int gravel_flow_memory_send_round(const struct gravel_flow_memory *memory)
{
    uint64_t at = offsetof(struct gravelp_flow, round);
    if (memory->shared)
        return CL_SUCCESS;
    return clEnqueueWriteBuffer(memory->device->queue, memory->buffer, CL_FALSE, at,
                                memory->layout->round_bytes, (unsigned char *)memory->control + at,
                                0, NULL, NULL);
}

cl_int gravel_flow_memory_fetch_counts(const struct gravel_flow_memory *memory, cl_event *event)
{
    *event = NULL;
    if (memory->shared)
        return CL_SUCCESS;
    return clEnqueueReadBuffer(memory->device->queue, memory->buffer, CL_FALSE,
                               4 * memory->layout->header.fault_at, memory->layout->counts_bytes,
                               gravelp_flow_faults(memory->control), 0, NULL, event);
}

cl_int gravel_flow_memory_send_turn(const struct gravel_flow_memory *memory)
{
    if (memory->shared)
        return CL_SUCCESS;
    return clEnqueueWriteBuffer(memory->device->queue, memory->buffer, CL_FALSE,
                                memory->layout->back_at, memory->layout->turn_bytes,
                                gravelp_flow_turns(memory->control), 0, NULL, NULL);
}

cl_int gravel_flow_memory_fetch_turn(const struct gravel_flow_memory *memory, cl_event *event)
{
    *event = NULL;
    if (memory->shared)
        return CL_SUCCESS;
    return clEnqueueReadBuffer(memory->device->queue, memory->buffer, CL_FALSE,
                               memory->layout->back_at, memory->layout->turn_bytes,
                               gravelp_flow_turns(memory->control), 0, NULL, event);
}

int gravel_flow_memory_write_tails(struct gravel_flow_memory *memory)
{
    const struct gravelp_flow *there = &memory->layout->header;
    if (memory->shared)
        return 0;
    return gravel_copier_write(memory->copier, memory->buffer, 4 * there->tails_at,
                               gravelp_flow_words(memory->control, memory->control->tails_at),
                               4 * (uint64_t)there->n_layers);
}

int gravel_flow_memory_write(struct gravel_flow_memory *memory, uint64_t at, const uint32_t *words,
                             uint64_t n)
{
    uint64_t bytes_at = memory->layout->front_bytes + 4 * at;
    if (!memory->shared)
        return gravel_copier_write(memory->copier, memory->buffer, bytes_at, words, 4 * n);
    memcpy((unsigned char *)memory->shared + bytes_at, words, 4 * n);
    return 0;
}

int gravel_flow_memory_read(struct gravel_flow_memory *memory, uint64_t at, uint32_t *words,
                            uint64_t n)
{
    uint64_t bytes_at = memory->layout->front_bytes + 4 * at;
    if (!memory->shared)
        return gravel_copier_read(memory->copier, memory->buffer, bytes_at, words, 4 * n);
    memcpy(words, (unsigned char *)memory->shared + bytes_at, 4 * n);
    return 0;
}
