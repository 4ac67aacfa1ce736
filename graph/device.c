/* SPDX-License-Identifier: MIT */
/*
 * Errors of the graph's calls, buffers of its device, and codes that nodes agree on. See graph.h.
 *
 * Path:    every file of graph/ -> this -> gravel_set_error, OpenCL, gravel_reduce.
 * Owner:   buffers are the graph's or an algorithm's, which releases them.
 * Threads: one at a time.
 */
#include "graph.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 1024
#define WHOLE_TEXT_BYTES (16 * 1024) /* of gravel_last_error: a compiler's log */
#define LEAST_BUFFER_BYTES 64        /* there is no empty buffer, and kernels take no NULL */

int graph_fail(int code, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return gravel_set_error(code, text);
}

int graph_fail_memory(const char *what, uint64_t bytes)
{
    return graph_fail(GRAVEL_ENOMEM, "%s: out of memory (%" PRIu64 " bytes)", what, bytes);
}

int graph_check_cl(const char *call, cl_int error, uint64_t bytes)
{
    switch (error) {
    case CL_SUCCESS:
        return 0;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
        return graph_fail(GRAVEL_ENOMEM,
                          "gravel_graph: out of memory of the device (%" PRIu64 " bytes): %s "
                          "returned %d",
                          bytes, call, (int)error);
    default:
        return graph_fail(GRAVEL_ECL, "gravel_graph: %s returned %d (%" PRIu64 " bytes)", call,
                          (int)error, bytes);
    }
}

bool graph_has(const struct gravel_graph *graph, const char *extension)
{
    char extensions[16384] = "";
    clGetDeviceInfo(graph->device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL);
    return strstr(extensions, extension);
}

bool graph_has_double(const struct gravel_graph *graph)
{
    cl_device_fp_config has = 0;
    return !clGetDeviceInfo(graph->device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof has, &has, NULL) &&
           has;
}

/* ---- buffers --------------------------------------------------------------------------------- */

int graph_buffer(struct gravel_graph *graph, cl_mem *out, const void *data, uint64_t bytes)
{
    const size_t made = bytes < LEAST_BUFFER_BYTES ? LEAST_BUFFER_BYTES : bytes;
    cl_int error;
    *out = clCreateBuffer(graph->context, CL_MEM_READ_WRITE, made, NULL, &error);
    GRAPH_TRY(graph_check_cl("clCreateBuffer", error, made));
    graph->device_bytes += made;
    const int code = data ? graph_write(graph, *out, 0, data, bytes) : 0;
    if (code)
        graph_release(graph, out);
    return code;
}

void graph_release(struct gravel_graph *graph, cl_mem *buffer)
{
    size_t bytes = 0;
    if (!*buffer)
        return;
    clGetMemObjectInfo(*buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    graph->device_bytes -= bytes;
    clReleaseMemObject(*buffer);
    *buffer = NULL;
}

int graph_fill(struct gravel_graph *graph, cl_mem buffer, uint32_t word, uint64_t bytes)
{
    if (!bytes)
        return 0;
    GRAPH_TRY(graph_check_cl(
        "clEnqueueFillBuffer",
        clEnqueueFillBuffer(graph->queue, buffer, &word, sizeof word, 0, bytes, 0, NULL, NULL),
        bytes));
    return graph_check_cl("clFinish", clFinish(graph->queue), bytes);
}

int graph_write(struct gravel_graph *graph, cl_mem buffer, uint64_t at, const void *data,
                uint64_t bytes)
{
    return bytes ? graph_check_cl("clEnqueueWriteBuffer",
                                  clEnqueueWriteBuffer(graph->queue, buffer, CL_TRUE, at, bytes,
                                                       data, 0, NULL, NULL),
                                  bytes)
                 : 0;
}

int graph_read(struct gravel_graph *graph, cl_mem buffer, uint64_t at, void *data, uint64_t bytes)
{
    return bytes ? graph_check_cl("clEnqueueReadBuffer",
                                  clEnqueueReadBuffer(graph->queue, buffer, CL_TRUE, at, bytes,
                                                      data, 0, NULL, NULL),
                                  bytes)
                 : 0;
}

int graph_set(cl_kernel kernel, cl_uint index, const struct graph_value *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        GRAPH_TRY(graph_check_cl(
            "clSetKernelArg",
            clSetKernelArg(kernel, index + (cl_uint)i, values[i].bytes, values[i].value),
            values[i].bytes));
    return 0;
}

/* ---- codes of all nodes ---------------------------------------------------------------------- */

int graph_agree(struct gravel_graph *graph, const char *call, int code)
{
    char text[WHOLE_TEXT_BYTES];
    /* The least: the first node that has failed, and its code. */
    uint32_t first = code ? graph->node << 8 | (uint32_t)(-code & 0xff) : UINT32_MAX;
    if (graph->n_nodes == 1)
        return code;
    snprintf(text, sizeof text, "%s", gravel_last_error());
    const int met = gravel_reduce(graph->gravel, GRAVEL_MIN, GRAVEL_UINT, &first, 1);
    if (code)
        return gravel_set_error(code, text);
    if (met)
        return met;
    return first == UINT32_MAX
               ? 0
               : graph_fail(GRAVEL_EMISMATCH, "%s: failed at node %u, which says why: %s", call,
                            first >> 8, gravel_strerror(-(int)(first & 0xff)));
}
