/* SPDX-License-Identifier: MIT */
/*
 * Enqueues runs as kernels. See runs.h.
 */
#include "resolve/on_device/runs.h"

#include "base/error.h"
#include "opencl/program.h"

#include <stdlib.h>
#include <string.h>

#define GROUP 256u       /* [work-items] wanted; kernels may bear fewer */
#define FEW_MESSAGES 8u  /* not worth more than one work-item */
#define MIN_PUT_BYTES 8u /* index and value of the smallest */

/* Kernels take arena, frame, a run, and for puts in parallel the table and its mask, for requests what is expected. */
#define FRAME_ARGUMENT 1u
#define LAST_ARGUMENT 8u

extern const char gravel_resolve_cl[];

/* A kernel's argument. */
struct argument {
    size_t bytes;
    const void *value;
};
#define ARGUMENT(variable)            \
    {                                 \
        sizeof(variable), &(variable) \
    }
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static int set_arguments(cl_kernel kernel, cl_uint first, const struct argument *arguments,
                         size_t n)
{
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; error == CL_SUCCESS && i < n; i++)
        error = clSetKernelArg(kernel, first + i, arguments[i].bytes, arguments[i].value);
    return gravel_check_cl("resolver: clSetKernelArg", error);
}

/* Size of find_last's table: a power of two, at most half full. */
static uint64_t slots_for(uint64_t n_messages)
{
    uint64_t n_slots = 2;
    while (n_slots < 2 * n_messages)
        n_slots *= 2;
    return n_slots;
}

/* ---- create and destroy ---------------------------------------------------------------------- */

/* Whether the device has both extensions of 64-bit atomics. */
static bool has_int64_atomics(cl_device_id device)
{
    size_t bytes = 0;
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes);
    char *list = calloc(1, bytes + 1);
    bool has_both =
        list && clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, bytes, list, NULL) == CL_SUCCESS &&
        strstr(list, "cl_khr_int64_base_atomics") && strstr(list, "cl_khr_int64_extended_atomics");
    free(list);
    return has_both;
}

static int build(struct gravel_device_runs *runs, const struct gravel_device *device)
{
    const struct gravel_program_request request = {
        .name = "resolve.cl",
        .source = gravel_resolve_cl,
        .options = runs->has_int64_atomics ? "-DGRAVEL_INT64_ATOMICS" : NULL,
    };
    return gravel_device_build(device, &request, &runs->program);
}

int gravel_device_runs_fail_buffer(uint64_t bytes, cl_int error)
{
    return gravel_fail(GRAVEL_ECL, "resolver: a buffer of %llu bytes: %s",
                       (unsigned long long)bytes, gravel_cl_error(error));
}

static int make_buffer(cl_context context, cl_mem_flags flags, uint64_t bytes, cl_mem *buffer)
{
    cl_int error;
    *buffer = clCreateBuffer(context, flags, bytes, NULL, &error);
    return *buffer ? 0 : gravel_device_runs_fail_buffer(bytes, error);
}

static int make_kernel(struct gravel_device_runs *runs, cl_device_id device, const char *name,
                       cl_kernel *kernel)
{
    const struct argument buffers[] = {ARGUMENT(runs->arena)};
    cl_int error;
    size_t group = 0;
    *kernel = clCreateKernel(runs->program, name, &error);
    if (!*kernel)
        return gravel_fail_cl("resolver: clCreateKernel", error);
    error = clGetKernelWorkGroupInfo(*kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group,
                                     &group, NULL);
    if (error == CL_SUCCESS && group && group < runs->group)
        runs->group = group;
    return set_arguments(*kernel, 0, buffers, LENGTH(buffers));
}

static int make_kernels(struct gravel_device_runs *runs, cl_device_id device)
{
    int code = make_kernel(runs, device, "apply_serially", &runs->apply_serially);
    if (!code)
        code = make_kernel(runs, device, "update_each", &runs->update_each);
    if (!code)
        code = make_kernel(runs, device, "find_last", &runs->find_last);
    if (!code)
        code = make_kernel(runs, device, "store_last", &runs->store_last);
    if (!code)
        code = make_kernel(runs, device, "answer_serially", &runs->answer_serially);
    if (!code)
        code = make_kernel(runs, device, "answer_each", &runs->answer_each);
    if (!code)
        code = make_kernel(runs, device, "raise_signal", &runs->raise_signal);
    return code;
}

int gravel_device_runs_create(struct gravel_device_runs *runs, const struct gravel_device *device,
                              cl_command_queue queue, cl_mem arena, uint64_t max_frame_bytes)
{
    *runs = (struct gravel_device_runs){
        .is_serial = device->capability.is_cpu,
        .has_int64_atomics = has_int64_atomics(device->id),
        .group = GROUP,
        .queue = queue,
        .arena = arena,
    };
    clRetainCommandQueue(queue);
    clRetainMemObject(arena);
    int code = build(runs, device);
    if (!code && !runs->is_serial)
        code =
            make_buffer(device->context, CL_MEM_READ_WRITE,
                        slots_for(max_frame_bytes / MIN_PUT_BYTES) * sizeof(uint32_t), &runs->last);
    if (!code)
        code = make_kernels(runs, device->id);
    return code;
}

void gravel_device_runs_destroy(struct gravel_device_runs *runs)
{
    cl_kernel kernels[] = {runs->apply_serially, runs->update_each, runs->find_last,
                           runs->store_last,     runs->answer_each, runs->raise_signal,
                           runs->answer_serially};
    cl_mem buffers[] = {runs->arena, runs->last};
    for (size_t i = 0; i < LENGTH(kernels); i++)
        if (kernels[i])
            clReleaseKernel(kernels[i]);
    for (size_t i = 0; i < LENGTH(buffers); i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    if (runs->program)
        clReleaseProgram(runs->program);
    if (runs->queue)
        clReleaseCommandQueue(runs->queue);
}

/* ---- enqueue --------------------------------------------------------------------------------- */

/* Where a run lies: the arguments of every kernel after its buffers. */
struct place {
    cl_mem uploaded; /* the frame */
    const struct gravel_run *run;
    uint32_t kind, is_wide;         /* the command's parts */
    uint64_t base;                  /* [bytes] of index 0 in the arena */
    uint32_t indices_at, values_at; /* [bytes] in the frame */
    uint32_t expected_at;           /* the same, of CAS */
};

static int enqueue(const struct gravel_device_runs *runs, const struct place *place,
                   cl_kernel kernel, size_t n_items)
{
    const struct argument arguments[] = {
        ARGUMENT(place->uploaded),        ARGUMENT(place->kind), ARGUMENT(place->is_wide),
        ARGUMENT(place->run->n_messages), ARGUMENT(place->base), ARGUMENT(place->indices_at),
        ARGUMENT(place->values_at),
    };
    int code = set_arguments(kernel, FRAME_ARGUMENT, arguments, LENGTH(arguments));
    if (code)
        return code;
    size_t local_size = n_items > 1 ? runs->group : 1;
    size_t global_size = (n_items + local_size - 1) / local_size * local_size;
    cl_int error = clEnqueueNDRangeKernel(runs->queue, kernel, 1, NULL, &global_size, &local_size,
                                          0, NULL, NULL);
    return gravel_check_cl("resolver: clEnqueueNDRangeKernel", error);
}

static int enqueue_puts(const struct gravel_device_runs *runs, const struct place *place)
{
    const uint32_t zero = 0, n = place->run->n_messages;
    uint64_t n_slots = slots_for(n);
    uint32_t mask = (uint32_t)(n_slots - 1);
    const struct argument table[] = {ARGUMENT(runs->last), ARGUMENT(mask)};
    cl_int error = clEnqueueFillBuffer(runs->queue, runs->last, &zero, sizeof zero, 0,
                                       n_slots * sizeof zero, 0, NULL, NULL);
    int code = error == CL_SUCCESS ? 0 : gravel_fail_cl("resolver: clEnqueueFillBuffer", error);
    if (!code)
        code = set_arguments(runs->find_last, LAST_ARGUMENT, table, LENGTH(table));
    if (!code)
        code = set_arguments(runs->store_last, LAST_ARGUMENT, table, LENGTH(table));
    if (!code)
        code = enqueue(runs, place, runs->find_last, n ? n : 1);
    if (!code)
        code = enqueue(runs, place, runs->store_last, n ? n : 1);
    return code;
}

static int enqueue_requests(const struct gravel_device_runs *runs, const struct place *place,
                            cl_kernel kernel)
{
    const struct argument expected[] = {ARGUMENT(place->expected_at)};
    int code = set_arguments(kernel, LAST_ARGUMENT, expected, LENGTH(expected));
    uint32_t n = kernel == runs->answer_each && place->run->n_messages ? place->run->n_messages : 1;
    return code ? code : enqueue(runs, place, kernel, n);
}

/* @param at  of the signal in the arena [bytes]. */
static int enqueue_signal(const struct gravel_device_runs *runs, uint64_t at, uint32_t n)
{
    const struct argument arguments[] = {ARGUMENT(at), ARGUMENT(n)};
    const size_t one = 1;
    int code = set_arguments(runs->raise_signal, 1, arguments, LENGTH(arguments));
    if (code)
        return code;
    cl_int error =
        clEnqueueNDRangeKernel(runs->queue, runs->raise_signal, 1, NULL, &one, &one, 0, NULL, NULL);
    return gravel_check_cl("resolver: clEnqueueNDRangeKernel", error);
}

int gravel_device_runs_warm_up(const struct gravel_device_runs *runs, cl_mem uploaded)
{
    const struct gravel_run nothing = {.command = GRAVELP_COMMAND(GRAVEL_PUT, GRAVEL_UINT)};
    const struct place place = {.uploaded = uploaded, .run = &nothing, .kind = nothing.command};
    int code = enqueue(runs, &place, runs->apply_serially, 1);
    if (!code)
        code = enqueue(runs, &place, runs->update_each, runs->group);
    if (!code && !runs->is_serial)
        code = enqueue_puts(runs, &place);
    if (!code)
        code = enqueue_requests(runs, &place, runs->answer_serially);
    if (!code)
        code = enqueue_requests(runs, &place, runs->answer_each);
    return code ? code : enqueue_signal(runs, 0, 0);
}

/* Whether the messages are for one work-item: no atomic operation does what they ask for, or they are few. */
static bool must_be_serial(const struct gravel_device_runs *runs, const struct gravel_run *run)
{
    bool is_wide_word = GRAVELP_VALUE_BYTES(run->command) == 8;
    bool is_put = GRAVELP_COMMAND_OP(run->command) == GRAVEL_PUT ||
                  GRAVELP_COMMAND_OP(run->command) == GRAVEL_PUT_SIGNAL;
    return runs->is_serial || run->n_messages <= FEW_MESSAGES ||
           (is_wide_word && !is_put && !runs->has_int64_atomics);
}

static int enqueue_messages(const struct gravel_device_runs *runs, const struct place *place)
{
    const struct gravel_run *run = place->run;
    bool is_serial = must_be_serial(runs, run);
    if (GRAVELP_IS_REQUEST(run->command))
        return enqueue_requests(runs, place, is_serial ? runs->answer_serially : runs->answer_each);
    if (is_serial)
        return enqueue(runs, place, runs->apply_serially, 1);
    if (GRAVELP_COMMAND_OP(place->kind) == GRAVEL_PUT)
        return enqueue_puts(runs, place);
    return enqueue(runs, place, runs->update_each, run->n_messages);
}

int gravel_device_runs_enqueue(const struct gravel_device_runs *runs, cl_mem uploaded,
                               const struct gravel_frame *frame, const struct gravel_run *run,
                               uint64_t heap_offset)
{
    uint32_t op = GRAVELP_COMMAND_OP(run->command), type = GRAVELP_COMMAND_TYPE(run->command);
    uint64_t at = (uint64_t)((const char *)run - (const char *)frame);
    const struct place place = {
        .uploaded = uploaded,
        .run = run,
        .kind = op == GRAVEL_PUT_SIGNAL ? GRAVELP_COMMAND(GRAVEL_PUT, type)
                                        : run->command & ~GRAVELP_COMMAND_WIDE,
        .is_wide = (run->command & GRAVELP_COMMAND_WIDE) != 0,
        .base = heap_offset + run->base,
        .indices_at = (uint32_t)(at + GRAVEL_RUN_INDICES(run->command)),
        .values_at = (uint32_t)(at + GRAVEL_RUN_VALUES(run->command, run->n_messages, 0)),
        .expected_at = (uint32_t)(at + GRAVEL_RUN_VALUES(run->command, run->n_messages, 1)),
    };
    const struct gravel_signal_run *with_signal = (const void *)run;
    int code = enqueue_messages(runs, &place);
    if (!code && op == GRAVEL_PUT_SIGNAL && with_signal->signal != GRAVEL_NO_SIGNAL)
        code = enqueue_signal(runs, heap_offset + with_signal->signal, run->n_messages);
    return code;
}
