/* SPDX-License-Identifier: MIT */
/*
 * Opens, launches, waits, closes; every failure ends the process. See node.h.
 */
#include "frame/node.h"
#include "frame/die.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The heap's own rounding, for a handful of allocations [bytes]. */
#define HEAP_SLACK_BYTES 4096
#define SAME_AT_ALL "give all nodes the same options and files"

extern const char coalesced_cl[], coprocessor_cl[];

/* The ways to send small messages that the dissertation compares (Orr 2016, sections 3.1 to 3.3 and 5.5, figure 5-11):
 * docs/results/models.md says what each is. */
static const struct model models[] = {{"coprocessor", "destination", coprocessor_cl, 64 << 10},
                                      {"coprocessor-1m", "destination", coprocessor_cl, 1 << 20},
                                      {"lane", "off", "", 0},
                                      {"coalesced", "group", coalesced_cl, 0},
                                      {"coalesced-aggregated", "destination", coalesced_cl, 0},
                                      {"gravel", "destination", "", 0}};

const struct model *const model_gravel = &models[5];

const struct app_option options_of_nodes[] = {
    {"model", 0, "coprocessor|coprocessor-1m|lane|coalesced|coalesced-aggregated|gravel",
     "How messages are sent (gravel); docs/results/models.md compares them",
     OPTION_ROW(struct node, model, const struct model, models)},
    {"group", 0, "ITEMS", "Work-items of a work-group (what suits the application and the device)",
     OPTION_NUMBER(struct node, group_items, 1, NODE_MAX_GROUP)},
    {0}};

void node_check(int code)
{
    if (code == 0)
        return;
    /* Arguments, settings, the heap's size and the like are the same at every node; what stops a node later is its own. */
    if (code == GRAVEL_EHEAP || code == GRAVEL_EMISMATCH || code >= GRAVEL_EBUILD)
        turn_await();
    die_alone("%s: %s%s", gravel_strerror(code), gravel_last_error(),
              code == GRAVEL_EMISMATCH ? ": " SAME_AT_ALL : "");
}

void node_check_cl(cl_int error, const char *call)
{
    if (error != CL_SUCCESS)
        die("%.*s failed with OpenCL error %d", (int)strcspn(call, "("), call, error);
}

/* ---- open ----------------------------------------------------------------------------------------- */

void node_agree(struct node *node, const char *what, uint64_t word)
{
    const uint64_t first = node_sum(node, node->number == 0 ? word : 0);
    const uint64_t other =
        node_reduce_word(node, GRAVEL_MIN, word == first ? UINT64_MAX : node->number);
    if (other != UINT64_MAX)
        die("%s: not the same at node %u as at node 0: " SAME_AT_ALL, what, (unsigned)other);
}

void node_open(struct node *node, uint64_t heap_bytes)
{
    struct gravel_config config = node->config;
    cl_device_type type;
    if (node->model->queue_bytes)
        heap_bytes += coprocessor_heap_bytes(node->model->queue_bytes, config.loopback_nodes);
    if (!getenv("GRAVEL_HEAP"))
        config.heap_bytes = heap_bytes + HEAP_SLACK_BYTES;
    if (node->model != model_gravel)
        strcpy(config.aggregation, node->model->aggregation);
    TRY(gravel_open(&node->gravel, &config, &node->bindings));
    if (!node->group_items)
        node->group_items = gravel_group_size(node->gravel);
    const cl_device_id device = gravel_cl_device(node->gravel);
    TRY_CL(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    TRY_CL(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof node->most_items,
                           &node->most_items, NULL));
    node->is_cpu = type & CL_DEVICE_TYPE_CPU;
    node->number = gravel_node(node->gravel);
    node->n_nodes = gravel_n_nodes(node->gravel);
    node->n_local =
        gravel_is_local(node->gravel, (node->number + 1) % node->n_nodes) ? node->n_nodes : 1;
    node->n_processes = node->n_nodes / node->n_local;
    node_agree(node, "options", options_digest());
}

void node_build(struct node *node, const char *name, const char *source, const char *options)
{
    const struct model *model = node->model;
    char nodes[32] = "", boxes[96] = "", *all, *text;
    if (*model->prelude)
        snprintf(nodes, sizeof nodes, " -DMODEL_NODES=%uu", node->n_nodes);
    if (model->queue_bytes)
        node->coprocessor = coprocessor_open(node, boxes, sizeof boxes);
    if (asprintf(&all, "%s%s%s", options ? options : "", nodes, boxes) < 0 ||
        asprintf(&text, "%s#line 1 \"%s\"\n%s", model->prelude, name, source) < 0)
        die("no memory for the program %s", name);
    TRY(gravel_program_build(node->gravel, name, text, all, &node->program));
    free(all);
    free(text);
}

cl_kernel node_kernel_of(struct node *node, cl_program program, const char *name)
{
    cl_int error;
    struct gravel_parameter first;
    uint32_t n;
    if (node->n_kernels == NODE_MOST_KERNELS)
        die("more than %d kernels", NODE_MOST_KERNELS);
    cl_kernel kernel = node->kernels[node->n_kernels++] = clCreateKernel(program, name, &error);
    node_check_cl(error, name);
    TRY(gravel_kernel_parameters(node->gravel, kernel, &first, sizeof first, 1, &n));
    if (first.kind == GRAVEL_PARAMETER_ARENA || first.kind == GRAVEL_PARAMETER_UNKNOWN)
        TRY(gravel_kernel_set_arena(node->gravel, kernel, 0));
    return kernel;
}

void node_set(cl_kernel kernel, cl_uint index, const struct node_argument *arguments, size_t n)
{
    for (size_t i = 0; i < n; i++)
        TRY_CL(clSetKernelArg(kernel, index + (cl_uint)i, arguments[i].bytes, arguments[i].value));
}

cl_mem node_array(struct node *node, size_t bytes, const void *data)
{
    cl_int error;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (data && bytes ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem array = clCreateBuffer(gravel_cl_context(node->gravel), flags, bytes ? bytes : 1,
                                  data && bytes ? (void *)(uintptr_t)data : NULL, &error);
    if (error != CL_SUCCESS)
        die("no room on the device for an array of %zu bytes (OpenCL error %d)", bytes, error);
    /* A driver may give an array its memory at the first command that uses it, and wait for an idle device then: now none
     * of the node's kernels waits for the host. */
    unsigned char byte;
    node_read(node, array, 1, &byte);
    if (node->n_arrays == NODE_MOST_ARRAYS)
        die("more than %d arrays", NODE_MOST_ARRAYS);
    node->array_bytes += bytes;
    return node->arrays[node->n_arrays++] = array;
}

cl_mem node_upload(struct node *node, size_t bytes, void *data)
{
    cl_mem array = node_array(node, bytes, data);
    free(data);
    return array;
}

void node_fill_heaps(struct node *node, uint64_t offset, uint64_t n, cl_uint word)
{
    for (uint32_t i = 0; i < node->n_local; i++)
        TRY(gravel_fill(node->gravel, offset, n * sizeof word, &word, sizeof word,
                        node->number + i));
}

void node_fill(struct node *node, cl_mem array, cl_uint word, size_t bytes)
{
    if (bytes)
        TRY_CL(clEnqueueFillBuffer(gravel_cl_queue(node->gravel), array, &word, sizeof word, 0,
                                   bytes, 0, NULL, NULL));
}

void node_write(struct node *node, cl_mem array, size_t at, size_t bytes, const void *data)
{
    TRY_CL(clEnqueueWriteBuffer(gravel_cl_queue(node->gravel), array, CL_TRUE, at, bytes, data, 0,
                                NULL, NULL));
}

void node_read(struct node *node, cl_mem array, size_t bytes, void *data)
{
    if (bytes)
        TRY_CL(clEnqueueReadBuffer(gravel_cl_queue(node->gravel), array, CL_TRUE, 0, bytes, data, 0,
                                   NULL, NULL));
}

/* ---- launches -------------------------------------------------------------------------------- */

void node_enqueue(struct node *node, cl_kernel kernel, size_t n_items, size_t group_items)
{
    const size_t n_all = (n_items + group_items - 1) / group_items * group_items;
    if (n_all)
        TRY_CL(clEnqueueNDRangeKernel(gravel_cl_queue(node->gravel), kernel, 1, NULL, &n_all,
                                      &group_items, 0, NULL, NULL));
}

void node_start(struct node *node, cl_kernel kernel, uint64_t from, uint64_t n_items,
                uint64_t group_items, bool is_whole)
{
    const size_t rest = n_items % group_items, n[] = {n_items - rest, rest};
    const size_t sizes[] = {group_items, rest};
    for (int i = 0; i < 2; from += n[i++]) {
        if (n[i] == 0)
            continue;
        NODE_SET(kernel, 1, ULONG(from));
        if (is_whole)
            node_enqueue(node, kernel, n[i], sizes[i]);
        else
            TRY(gravel_launch(node->gravel, kernel, 1, &n[i], &sizes[i], 0, NULL, NULL));
    }
}

void node_send(struct node *node, cl_kernel kernel, uint64_t n_items, struct node_bound bound)
{
    if (node->coprocessor)
        coprocessor_send(node->coprocessor, kernel, n_items, bound);
    else
        node_start(node, kernel, 0, n_items, node->group_items, false);
}

/* ---- reductions, and the end ------------------------------------------------------------------- */

void node_reduce(struct node *node, uint32_t operation, uint64_t *words, uint32_t n)
{
    TRY(gravel_reduce(node->gravel, operation, GRAVEL_ULONG, words, n));
}

uint64_t node_reduce_word(struct node *node, uint32_t operation, uint64_t value)
{
    node_reduce(node, operation, &value, 1);
    return value;
}

void node_close(struct node *node)
{
    free(node->coprocessor);
    while (node->n_arrays)
        clReleaseMemObject(node->arrays[--node->n_arrays]);
    while (node->n_kernels)
        clReleaseKernel(node->kernels[--node->n_kernels]);
    if (node->program)
        clReleaseProgram(node->program);
    TRY(gravel_close(node->gravel));
}
