/* SPDX-License-Identifier: MIT */
/*
 * A node's memory, kernels and launches, for benchmarks. See bench_gravel.h.
 */
#include "bench_gravel.h"
#include "bench_thread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void must(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "%s: %s: %s: %s\n", program_invocation_short_name, what, gravel_strerror(code),
            gravel_last_error());
    exit(EXIT_FAILURE);
}

void must_cl(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %s: OpenCL error %d\n", program_invocation_short_name, what, error);
    exit(EXIT_FAILURE);
}

void bench_end(void *context, int code, bool is_fatal, const char *text)
{
    (void)context, (void)is_fatal;
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, gravel_strerror(code), text);
    exit(EXIT_FAILURE);
}

/* ---- kernels ------------------------------------------------------------------------------------- */

cl_program bench_build(struct gravel *gravel, const char *name, const char *source,
                       const char *options)
{
    cl_program program;
    must(gravel_program_build(gravel, name, source, options, &program), "gravel_program_build");
    return program;
}

cl_kernel bench_plain_kernel(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    must_cl(error, name);
    return kernel;
}

cl_kernel bench_kernel(struct gravel *gravel, cl_program program, const char *name)
{
    cl_kernel kernel = bench_plain_kernel(program, name);
    must(gravel_kernel_set_arena(gravel, kernel, 0), "gravel_kernel_set_arena");
    return kernel;
}

cl_kernel bench_one_kernel(struct gravel *gravel, const char *source, const char *options,
                           const char *name)
{
    cl_program program = bench_build(gravel, name, source, options);
    cl_kernel kernel = bench_kernel(gravel, program, name);
    clReleaseProgram(program);
    return kernel;
}

void bench_set(cl_kernel kernel, cl_uint i, size_t bytes, const void *value)
{
    must_cl(clSetKernelArg(kernel, i, bytes, value), "clSetKernelArg");
}

void bench_set_ulongs(cl_kernel kernel, cl_uint first, const cl_ulong *values, cl_uint n)
{
    for (cl_uint i = 0; i < n; i++)
        bench_set(kernel, first + i, sizeof *values, &values[i]);
}

void bench_set_uints(cl_kernel kernel, cl_uint first, const cl_uint *values, cl_uint n)
{
    for (cl_uint i = 0; i < n; i++)
        bench_set(kernel, first + i, sizeof *values, &values[i]);
}

cl_mem bench_buffer(cl_context context, cl_mem_flags flags, size_t bytes)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | flags, bytes, NULL, &error);
    must_cl(error, "clCreateBuffer");
    return buffer;
}

cl_command_queue bench_queue(cl_context context, cl_device_id device,
                             cl_command_queue_properties properties)
{
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_int error;
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, list, &error);
    must_cl(error, "clCreateCommandQueueWithProperties");
    return queue;
}

cl_event bench_enqueue(cl_command_queue queue, cl_kernel kernel, size_t global_size, size_t group)
{
    cl_event event;
    must_cl(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global_size, &group, 0, NULL, &event),
            "clEnqueueNDRangeKernel");
    return event;
}

void bench_read(cl_command_queue queue, cl_mem from, size_t bytes, void *to)
{
    must_cl(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL),
            "clEnqueueReadBuffer");
}

double bench_seconds_of(cl_event event)
{
    cl_ulong begin = 0, end = 0;
    must_cl(clWaitForEvents(1, &event), "clWaitForEvents");
    must_cl(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL),
            "clGetEventProfilingInfo");
    must_cl(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
            "clGetEventProfilingInfo");
    clReleaseEvent(event);
    return 1e-9 * (double)(end - begin);
}

void bench_launch(struct gravel *gravel, cl_kernel kernel, size_t global_size, size_t group)
{
    must(gravel_launch(gravel, kernel, 1, &global_size, &group, 0, NULL, NULL), "gravel_launch");
    must(gravel_barrier(gravel), "gravel_barrier");
}

double bench_time(struct gravel *gravel, cl_kernel kernel, size_t global_size, size_t group)
{
    must(gravel_barrier(gravel), "gravel_barrier");
    const double begin_s = bench_now();
    bench_launch(gravel, kernel, global_size, group);
    return bench_now() - begin_s;
}

bool bench_may_wait(struct gravel *gravel)
{
    return strcmp(gravel_step(gravel), "drain") != 0;
}

/* ---- memory -------------------------------------------------------------------------------------- */

uint64_t bench_alloc(struct gravel *gravel, uint64_t bytes)
{
    uint64_t offset;
    must(gravel_alloc(gravel, bytes, &offset), "gravel_alloc");
    return offset;
}

void *bench_map(struct gravel *gravel, uint64_t offset, uint64_t bytes, cl_map_flags flags,
                uint32_t node)
{
    void *memory;
    must(gravel_map(gravel, offset, bytes, flags, node, &memory), "gravel_map");
    return memory;
}

void bench_unmap(struct gravel *gravel, const void *memory)
{
    must(gravel_unmap(gravel, (void *)(uintptr_t)memory), "gravel_unmap");
}

void bench_set_bytes(struct gravel *gravel, uint64_t offset, int byte, uint64_t bytes)
{
    for (uint32_t node = 0; node < gravel_n_nodes(gravel); node++) {
        if (!gravel_is_local(gravel, node))
            continue;
        void *memory = bench_map(gravel, offset, bytes, CL_MAP_WRITE_INVALIDATE_REGION, node);
        memset(memory, byte, bytes);
        bench_unmap(gravel, memory);
    }
}

uint64_t bench_sum_words(struct gravel *gravel, uint64_t offset, uint64_t n)
{
    uint64_t sum = 0;
    for (uint32_t node = 0; node < gravel_n_nodes(gravel); node++) {
        if (!gravel_is_local(gravel, node))
            continue;
        const uint32_t *words = bench_map(gravel, offset, 4 * n, CL_MAP_READ, node);
        for (uint64_t i = 0; i < n; i++)
            sum += words[i];
        bench_unmap(gravel, words);
    }
    return sum;
}

/* ---- nodes --------------------------------------------------------------------------------------- */

uint32_t bench_next_node(struct gravel *gravel)
{
    return (gravel_node(gravel) + 1) % gravel_n_nodes(gravel);
}

uint32_t bench_n_senders(struct gravel *gravel)
{
    const uint32_t n_nodes = gravel_n_nodes(gravel);
    return gravel_is_local(gravel, 0) && gravel_is_local(gravel, n_nodes - 1) ? 1 : n_nodes;
}

uint64_t bench_add_up(struct gravel *gravel, uint64_t value)
{
    must(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &value, 1), "gravel_reduce");
    return value;
}
