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
#define MOST_LANES 32u
#define GROUP_ITEMS 256u /* a launch has a multiple of them, so that a driver finds groups */
#define MOST_SAME 4u

int graph_fail(int code, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return gravel_set_error(code, text);
}

int graph_enter(const struct gravel_graph *graph, const char *call)
{
    return !graph                ? graph_fail(GRAVEL_EINVAL, "%s: graph is NULL", call)
           : graph->is_reporting ? graph_fail(GRAVEL_EINVAL,
                                              "%s: called by the graph's progress function "
                                              "(gravel_graph_facts_read allowed)",
                                              call)
                                 : 0;
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

uint32_t graph_lanes(const struct gravel_graph *graph)
{
    const uint64_t n = graph->n_slots ? graph->n_edges / graph->n_slots : 0;
    cl_device_type type = CL_DEVICE_TYPE_GPU;
    uint32_t n_lanes = 4;
    clGetDeviceInfo(graph->device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    if (type & CL_DEVICE_TYPE_CPU)
        return 1;
    while (n_lanes < MOST_LANES && n_lanes < n)
        n_lanes *= 2;
    return n_lanes;
}

const char *graph_weight_name(uint32_t type)
{
    return type == GRAVEL_UINT     ? "UINT"
           : type == GRAVEL_FLOAT  ? "FLOAT"
           : type == GRAVEL_DOUBLE ? "DOUBLE"
                                   : "NONE";
}

/* ---- buffers --------------------------------------------------------------------------------- */

int graph_check_room(const struct gravel_graph *graph, const char *call, uint64_t bytes)
{
    const uint64_t heap = gravel_config_of(graph->gravel)->heap_bytes;
    cl_ulong all = UINT64_MAX;
    clGetDeviceInfo(graph->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all, NULL);
    return bytes + graph->device_bytes + heap <= all
               ? 0
               : graph_fail(GRAVEL_ENOMEM,
                            "%s: out of memory of the device (%" PRIu64 " bytes; of %" PRIu64
                            " the heap has %" PRIu64 ", the graph %" PRIu64 "): use more nodes",
                            call, bytes, (uint64_t)all, heap, graph->device_bytes);
}

int graph_buffer(struct gravel_graph *graph, cl_mem *out, const void *data, uint64_t bytes)
{
    const size_t made = bytes < LEAST_BUFFER_BYTES ? LEAST_BUFFER_BYTES : bytes;
    cl_int error;
    GRAPH_TRY(graph_check_room(graph, "gravel_graph", made));
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

/* ---- kernels ----------------------------------------------------------------------------------- */

int graph_set(cl_kernel kernel, cl_uint index, const struct graph_value *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t bytes = values[i].made ? sizeof(cl_mem) : values[i].bytes;
        const void *value = values[i].made ? values[i].made : values[i].value;
        GRAPH_TRY(graph_check_cl("clSetKernelArg",
                                 clSetKernelArg(kernel, index + (cl_uint)i, bytes, value), bytes));
    }
    return 0;
}

int graph_launch(const struct gravel_graph *graph, cl_kernel kernel, uint64_t n, size_t group,
                 cl_event *done)
{
    const size_t unit = group ? group : GROUP_ITEMS, n_items = (n + unit - 1) / unit * unit;
    return n ? graph_check_cl("clEnqueueNDRangeKernel",
                              clEnqueueNDRangeKernel(graph->queue, kernel, 1, NULL, &n_items,
                                                     group ? &group : NULL, 0, NULL, done),
                              0)
             : 0;
}

/* ---- all nodes --------------------------------------------------------------------------------- */

int graph_reduce(struct gravel_graph *graph, uint32_t op, uint32_t type, void *values, uint32_t n)
{
    return graph->n_nodes > 1 ? gravel_reduce(graph->gravel, op, type, values, n) : 0;
}

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

int graph_progress(struct gravel_graph *graph, const char *call, int code, uint64_t n_done,
                   uint64_t n_all)
{
    int stops = 0;
    if (graph->progress && !code) {
        graph->is_reporting = true;
        stops = graph->progress(graph->progress_user, call, n_done, n_all);
        graph->is_reporting = false;
    }
    return stops ? graph_fail(GRAVEL_ECANCELED,
                              "%s: stopped behind %" PRIu64 ": progress returned %d (0 goes on)",
                              call, n_done, stops)
                 : code;
}

int graph_same(struct gravel_graph *graph, const char *call, uint32_t n, const char *const *names,
               const uint64_t *values)
{
    uint64_t least[2 * MOST_SAME]; /* each, and its complement, whose least is that of the most */
    for (uint32_t i = 0; i < n; i++) {
        least[i] = values[i];
        least[n + i] = ~values[i];
    }
    GRAPH_TRY(graph_reduce(graph, GRAVEL_MIN, GRAVEL_ULONG, least, 2 * n));
    for (uint32_t i = 0; i < n; i++)
        if (least[i] != ~least[n + i])
            return graph_fail(GRAVEL_EMISMATCH,
                              "%s: %s is %" PRIu64 " at one node and %" PRIu64
                              " at another (the same at every node)",
                              call, names[i], least[i], ~least[n + i]);
    return 0;
}

int graph_check_out(struct gravel_graph *graph, const char *call, const char *name, const void *out,
                    uint64_t n)
{
    const int code =
        out || !n
            ? 0
            : graph_fail(GRAVEL_EINVAL, "%s: %s is NULL (memory for %" PRIu64 ")", call, name, n);
    return graph_agree(graph, call, code);
}
