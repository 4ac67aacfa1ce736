/* SPDX-License-Identifier: MIT */
/*
 * Steps of transactions. See steps.h.
 *
 * Records lie in memory that the device shares with the host, or are copied: the network thread waits for each step.
 */
#include "serve/steps.h"

#include "base/error.h"
#include "opencl/objects.h"
#include "opencl/region.h"
#include "serve/call_text.h"

#include <stdio.h>
#include <stdlib.h>

#define GROUP 64u /* [work-items] wanted */

/* The first arguments of GRAVELP_STEP. */
enum { ARENA, RECORDS };

struct gravel_device_steps {
    struct gravel_device_calls *calls;
    const struct gravel_device_calls_shape *shape;
    const struct gravel_device *device;
    cl_kernel *kernels; /* [n_handlers] NULL: its keys are of one node */
    size_t group;
    struct gravel_region region; /* a buffer where the heap is device memory */
    cl_command_queue queue;
};

/* @return 0, and no kernel if the program has none of the name. */
static int make_kernel(struct gravel_device_steps *steps, uint32_t handler)
{
    char name[512];
    cl_int error;
    cl_kernel *kernel = &steps->kernels[handler];
    snprintf(name, sizeof name, GRAVEL_STEP_KERNEL "%s", steps->shape->handlers[handler].name);
    *kernel = clCreateKernel(gravel_device_calls_program(steps->calls), name, &error);
    if (error == CL_INVALID_KERNEL_NAME) {
        *kernel = NULL;
        return 0;
    }
    if (error == CL_SUCCESS)
        error = gravel_cl_kernel_group(steps->device, *kernel, &steps->group);
    if (error == CL_SUCCESS)
        error = gravel_memory_set_argument(steps->shape->memory, *kernel, ARENA);
    return gravel_check_cl("steps of transactions: their kernel", error);
}

/* @param n_made  [out] kernels. */
static int make_kernels(struct gravel_device_steps *steps, uint32_t *n_made)
{
    int code = 0;
    *n_made = 0;
    steps->kernels = calloc(steps->shape->n_handlers, sizeof(cl_kernel));
    if (!steps->kernels)
        return gravel_fail(GRAVEL_ENOMEM, "steps of %u handlers", steps->shape->n_handlers);
    for (uint32_t i = 0; i < steps->shape->n_handlers && !code; i++) {
        if (steps->shape->handlers[i].serve.n_keys == 2)
            code = make_kernel(steps, i);
        *n_made += steps->kernels[i] != NULL;
    }
    return code;
}

/* Room for records, or for a run with its frame's header. */
static int make_memory(struct gravel_device_steps *steps)
{
    const uint64_t most = GRAVEL_STEP_MOST * GRAVELP_TRANSACTION_BYTES(GRAVEL_DATUM_MAX_WORDS);
    const uint64_t run = steps->shape->config->buffer_bytes;
    int code = gravel_cl_queue_create(steps->device, "transactions", &steps->queue);
    return code ? code
                : gravel_region_create(&steps->region, steps->device,
                                       steps->shape->memory->region.buffer ? steps->queue : NULL,
                                       "transactions", most > run ? most : run);
}

static cl_int enqueue(const struct gravel_device_steps *steps, uint32_t handler, cl_uint step,
                      cl_uint n, cl_event *event)
{
    const struct gravel_argument shared = GRAVEL_ARGUMENT_SHARED(steps->region.shared);
    const struct gravel_argument uploaded = GRAVEL_ARGUMENT(steps->region.buffer);
    const struct gravel_argument arguments[] = {steps->region.shared ? shared : uploaded,
                                                GRAVEL_ARGUMENT(step), GRAVEL_ARGUMENT(n)};
    cl_kernel kernel = steps->kernels[handler];
    cl_int error = GRAVEL_CL_KERNEL_SET(steps->device, kernel, RECORDS, arguments);
    return error == CL_SUCCESS ? gravel_cl_kernel_enqueue(steps->queue, kernel,
                                                          n ? n : steps->group, steps->group, event)
                               : error;
}

/* For the reason of gravel_device_runs_warm_up. */
static int warm_up(const struct gravel_device_steps *steps)
{
    cl_int error = CL_SUCCESS;
    int code = 0;
    for (uint32_t i = 0; i < steps->shape->n_handlers && error == CL_SUCCESS; i++)
        if (steps->kernels[i])
            error = enqueue(steps, i, GRAVELP_STEP_ROUTE, 0, NULL);
    if (error == CL_SUCCESS)
        code = gravel_device_calls_warm_up(steps->calls, steps->queue, steps->region.buffer);
    if (error == CL_SUCCESS && !code)
        code = gravel_wait_queue(steps->device, steps->queue, "transactions: first use");
    return error == CL_SUCCESS ? code : gravel_fail_cl("transactions: first use", error);
}

int gravel_device_steps_create(struct gravel_device_steps **out, struct gravel_device_calls *calls,
                               bool runs_wait)
{
    *out = NULL;
    if (!calls)
        return 0;
    struct gravel_device_steps *steps = calloc(1, sizeof *steps);
    uint32_t n_made = 0;
    if (!steps)
        return gravel_fail(GRAVEL_ENOMEM, "steps of transactions");
    steps->calls = calls;
    steps->shape = gravel_device_calls_shape_of(calls);
    steps->device = gravel_device_calls_device(calls);
    steps->group = GROUP;
    int code = make_kernels(steps, &n_made);
    const bool is_wanted = n_made || (runs_wait && steps->shape->memory->region.buffer);
    if (!code && is_wanted)
        code = make_memory(steps);
    if (!code && steps->region.buffer)
        code = warm_up(steps);
    if (code || !is_wanted)
        gravel_device_steps_destroy(steps);
    else
        *out = steps;
    return code;
}

void gravel_device_steps_destroy(struct gravel_device_steps *steps)
{
    if (!steps)
        return;
    if (gravel_device_calls_are_stuck(steps->calls) ||
        !gravel_wait_is_done(steps->device, steps->queue, "the last transactions"))
        return; /* it may still run, with all this */
    for (uint32_t i = 0; steps->kernels && i < steps->shape->n_handlers; i++)
        gravel_cl_kernel_release(steps->kernels[i]);
    gravel_region_destroy(&steps->region);
    gravel_cl_queue_release(steps->queue);
    free(steps->kernels);
    free(steps);
}

bool gravel_device_steps_have(const struct gravel_device_steps *steps, uint32_t handler)
{
    return steps && steps->kernels[handler];
}

/* ---- run ------------------------------------------------------------------------------------- */

int gravel_device_steps_run(struct gravel_device_steps *steps, uint32_t handler, uint32_t step,
                            void *records, uint32_t n)
{
    const uint64_t bytes =
        n * GRAVELP_TRANSACTION_BYTES(steps->shape->handlers[handler].serve.datum_words);
    cl_event event = NULL;
    int code = gravel_device_calls_wait(steps->calls); /* runs before it, of another queue */
    if (!code)
        code = gravel_region_write(&steps->region, 0, records, bytes);
    if (code)
        return code;
    const bool by_copy = steps->device->step == GRAVEL_STEP_PUMP; /* see gravel_wait_mark */
    cl_int error = enqueue(steps, handler, step, n, by_copy ? NULL : &event);
    code = gravel_device_calls_follow(steps->calls, handler, steps->queue, error, event);
    if (!code)
        code = gravel_device_calls_wait(steps->calls);
    return code ? code : gravel_region_read(&steps->region, 0, records, bytes);
}

int gravel_device_steps_call(struct gravel_device_steps *steps, struct gravel_frame *frame,
                             uint32_t heap)
{
    const struct gravel_memory *memory = steps->shape->memory;
    struct gravel_run *run = (void *)(frame + 1);
    if (steps->region.shared)
        return gravel_device_calls_run(steps->calls, frame, run, heap);
    const uint64_t bytes =
        sizeof *frame + GRAVEL_RUN_BYTES(run->command, (uint64_t)run->n_messages);
    int code = gravel_device_calls_wait(steps->calls);
    if (!code)
        code = gravel_region_write(&steps->region, 0, frame, bytes);
    if (!code)
        code = gravel_device_calls_enqueue(steps->calls, steps->queue, steps->region.buffer, frame,
                                           run, gravel_memory_heap_offset(memory, heap));
    if (!code)
        code = gravel_device_calls_wait(steps->calls);
    return code || !GRAVELP_IS_REQUEST(run->command)
               ? code
               : gravel_region_read(&steps->region, 0, frame, bytes);
}
