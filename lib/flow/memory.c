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
                                    layout->control_bytes);
    if (!code)
        code = gravel_copier_create(&memory->copier, device, device->queue);
    memory->control = (struct gravelp_flow *)memory->mirror.begin;
    return code;
}

int gravel_flow_memory_create(struct gravel_flow_memory *memory, const struct gravel_device *device,
                              const struct gravel_flow_layout *layout,
                              const struct gravel_flow_graph *graph)
{
    bool is_shared = device->step == GRAVEL_STEP_SVM;
    *memory = (struct gravel_flow_memory){.device = device};
    int code = is_shared ? create_shared(memory, layout) : create_buffer(memory, layout);
    if (code)
        return code;
    gravel_flow_layout_write(layout, graph, memory->control);
    return is_shared ? 0
                     : gravel_copier_write(memory->copier, memory->buffer, 0, memory->control,
                                           layout->control_bytes);
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

cl_int gravel_flow_memory_upload(const struct gravel_flow_memory *memory, uint64_t at,
                                 uint64_t bytes)
{
    if (memory->shared)
        return CL_SUCCESS;
    return clEnqueueWriteBuffer(memory->device->queue, memory->buffer, CL_FALSE, at, bytes,
                                (unsigned char *)memory->control + at, 0, NULL, NULL);
}

cl_int gravel_flow_memory_download(const struct gravel_flow_memory *memory, uint64_t at,
                                   uint64_t bytes, cl_event *event)
{
    *event = NULL;
    if (memory->shared)
        return CL_SUCCESS;
    return clEnqueueReadBuffer(memory->device->queue, memory->buffer, CL_FALSE, at, bytes,
                               (unsigned char *)memory->control + at, 0, NULL, event);
}

int gravel_flow_memory_write(struct gravel_flow_memory *memory, uint64_t at, const uint32_t *words,
                             uint64_t n)
{
    if (!memory->shared)
        return gravel_copier_write(memory->copier, memory->buffer, 4 * at, words, 4 * n);
    memcpy((uint32_t *)memory->shared + at, words, 4 * n);
    return 0;
}

int gravel_flow_memory_read(struct gravel_flow_memory *memory, uint64_t at, uint32_t *words,
                            uint64_t n)
{
    if (!memory->shared)
        return gravel_copier_read(memory->copier, memory->buffer, 4 * at, words, 4 * n);
    memcpy(words, (uint32_t *)memory->shared + at, 4 * n);
    return 0;
}
