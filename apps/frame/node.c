/* SPDX-License-Identifier: MIT */
/*
 * Open, launch, wait, close; every failure ends the process.
 *
 * Path: an application -> this -> gravel/gravel.h
 * Owner: see node.h.
 * Threads: main's.
 */
#include "frame/node.h"
#include "frame/die.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The heap's own rounding, for a handful of allocations [bytes]. */
#define HEAP_SLACK_BYTES 4096
#define MOST_REDUCED 64u     /* words of one gravel_reduce */
#define SCHEDULED_ITEMS 256u /* as gravel_steal_create chooses */

/* Too many for --help to show as the option's value. */
#define MODELS "coprocessor|coprocessor-1m|lane|coalesced|coalesced-aggregated|gravel"

static error_t take_model(struct argp_state *state, const struct app_option *option,
                          const char *value, void *field)
{
    uint32_t index = 0;
    const struct app_option words = {.name = option->name, .value = MODELS};
    const error_t error = option_index(state, &words, value, &index);
    *(const struct model **)field = &models[index];
    return error;
}

const struct app_option options_of_nodes[] = {
    {"model", 0, "NAME",
     "How messages are sent, one of " MODELS " (gravel); docs/results/models.md compares them",
     take_model, OPTION_AT(struct node, model, const struct model *), 0, 0},
    {"group", 0, "ITEMS", "Work-items of a work-group (what suits the application and the device)",
     OPTION_COUNT(struct node, group_items, 1, NODE_MAX_GROUP)},
    {0}};

/* Arguments, settings, the heap's size and the like are the same at every node; what stops a node
 * later is its own. */
static bool is_everybodys(int code)
{
    return code == GRAVEL_EHEAP || code == GRAVEL_EMISMATCH || code >= GRAVEL_EBUILD;
}

void node_check(int code)
{
    if (code && !is_everybodys(code))
        die_alone("%s: %s", gravel_strerror(code), gravel_last_error());
    if (code)
        die("%s: %s", gravel_strerror(code), gravel_last_error());
}

void node_check_cl(cl_int error, const char *call)
{
    if (error != CL_SUCCESS)
        die("%s failed with OpenCL error %d", call, error);
}

static void learn_place(struct node *node)
{
    node->number = gravel_node(node->gravel);
    node->n_nodes = gravel_n_nodes(node->gravel);
    node->n_local =
        gravel_is_local(node->gravel, (node->number + 1) % node->n_nodes) ? node->n_nodes : 1;
    node->n_processes = node->n_nodes / node->n_local;
}

/* Nodes want different heaps, handlers or settings: as they must if their options or inputs differ, which says more. */
static void explain_mismatch(struct node *node)
{
    struct gravel_config config;
    TRY(gravel_config_load(&config, sizeof config));
    config.heap_bytes = HEAP_SLACK_BYTES;
    if (gravel_open(&node->gravel, &config, NULL))
        return;
    learn_place(node);
    agree_on_options(node);
    agree_on_input(node, node->input);
    gravel_close(node->gravel);
}

static void open_or_die(struct node *node, const struct gravel_config *config)
{
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = node->handlers, .n_handlers = node->n_handlers,
                        .device_code = node->device_code);
    const int code = gravel_open(&node->gravel, config, &bindings);
    char *text = code == GRAVEL_EMISMATCH ? strdup(gravel_last_error()) : NULL;
    if (text)
        explain_mismatch(node);
    if (text)
        die("%s: %s", gravel_strerror(code), text);
    node_check(code);
}

static struct gravel_config configure(const struct node *node, uint64_t heap_bytes)
{
    struct gravel_config config;
    TRY(gravel_config_load(&config, sizeof config));
    if (node->model->queue_bytes)
        heap_bytes += coprocessor_heap_bytes(node->model->queue_bytes, config.loopback_nodes);
    if (!getenv("GRAVEL_HEAP"))
        config.heap_bytes = heap_bytes + HEAP_SLACK_BYTES;
    if (node->model != model_gravel)
        strcpy(config.aggregation, node->model->aggregation);
    if (node->schedule)
        TRY(gravel_config_set(&config, "steal_policy", node->schedule));
    if (node->server_mode)
        TRY(gravel_config_set(&config, "server_mode", node->server_mode));
    if (node->device_aggregation)
        TRY(gravel_config_set(&config, "device_aggregation", node->device_aggregation));
    return config;
}

void node_open(struct node *node, uint64_t heap_bytes)
{
    const struct gravel_config config = configure(node, heap_bytes);
    open_or_die(node, &config);
    const bool was_given = node->group_items;
    if (!was_given)
        node->group_items = gravel_group_size(node->gravel);
    /* GPUs run a kernel that steals in smaller groups, because it takes many registers. */
    if (!was_given && node->schedule && node->group_items > SCHEDULED_ITEMS)
        node->group_items = SCHEDULED_ITEMS;
    learn_place(node);
    agree_on_options(node);
    agree_on_input(node, node->input);
}

bool node_is_discrete(const struct node *node)
{
    const char *step = gravel_step(node->gravel);
    cl_device_type type = 0;
    node_check_cl(
        clGetDeviceInfo(gravel_cl_device(node->gravel), CL_DEVICE_TYPE, sizeof type, &type, NULL),
        "clGetDeviceInfo");
    return (!strcmp(step, "pump") || !strcmp(step, "drain")) && !(type & CL_DEVICE_TYPE_CPU);
}

/* The options, and what the model's prelude asks for. */
static void join_options(const struct node *node, const char *options, char *all, size_t bytes)
{
    const char *own = options ? options : "";
    int n = *node->model->prelude ? snprintf(all, bytes, "%s -DMODEL_NODES=%uu", own, node->n_nodes)
                                  : snprintf(all, bytes, "%s", own);
    if (n < 0 || (size_t)n >= bytes)
        die("compiler options of more than %zu bytes", bytes);
    if (node->coprocessor)
        coprocessor_options(node->coprocessor, all + n, bytes - (size_t)n);
}

void node_build(struct node *node, const char *name, const char *source, const char *options)
{
    char all_options[512], *text;
    if (node->model->queue_bytes)
        node->coprocessor = coprocessor_open(node);
    join_options(node, options, all_options, sizeof all_options);
    if (asprintf(&text, "%s#line 1 \"%s\"\n%s", node->model->prelude, name, source) < 0)
        die("no memory for the program %s", name);
    TRY(gravel_program_build(node->gravel, name, text, all_options, &node->program));
    free(text);
}

static cl_kernel make_kernel(struct node *node, cl_program program, const char *name)
{
    cl_int error;
    unsigned i = 0;
    while (i < NODE_MOST_KERNELS && node->kernels[i])
        i++;
    if (i == NODE_MOST_KERNELS)
        die("more than %d kernels", NODE_MOST_KERNELS);
    node->kernels[i] = clCreateKernel(program, name, &error);
    node_check_cl(error, name);
    return node->kernels[i];
}

cl_kernel node_kernel_of(struct node *node, cl_program program, const char *name)
{
    cl_kernel kernel = make_kernel(node, program, name);
    TRY(gravel_kernel_set_arena(node->gravel, kernel, 0));
    return kernel;
}

cl_kernel node_kernel_without_arena(struct node *node, const char *name)
{
    return make_kernel(node, node->program, name);
}

cl_kernel node_kernel(struct node *node, const char *name)
{
    return node_kernel_of(node, node->program, name);
}

void node_set(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
    node_check_cl(clSetKernelArg(kernel, index, bytes, value), "clSetKernelArg");
}

void node_set_arrays(cl_kernel kernel, cl_uint index, const cl_mem *arrays, cl_uint n)
{
    for (cl_uint i = 0; i < n; i++)
        NODE_SET(kernel, index + i, cl_mem, arrays[i]);
}

void node_set_offsets(cl_kernel kernel, cl_uint index, const cl_ulong *offsets, cl_uint n)
{
    for (cl_uint i = 0; i < n; i++)
        NODE_SET(kernel, index + i, cl_ulong, offsets[i]);
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
    for (unsigned i = 0; i < NODE_MOST_ARRAYS; i++)
        if (!node->arrays[i])
            return node->arrays[i] = array;
    die("more than %d arrays", NODE_MOST_ARRAYS);
}

cl_mem node_upload(struct node *node, size_t bytes, void *list)
{
    cl_mem array = node_array(node, bytes, list);
    free(list);
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
        node_check_cl(clEnqueueFillBuffer(gravel_cl_queue(node->gravel), array, &word, sizeof word,
                                          0, bytes, 0, NULL, NULL),
                      "clEnqueueFillBuffer");
}

void node_clear(struct node *node, cl_mem array, size_t bytes)
{
    static const unsigned char zeros[64];
    assert(bytes <= sizeof zeros);
    node_check_cl(clEnqueueWriteBuffer(gravel_cl_queue(node->gravel), array, CL_FALSE, 0, bytes,
                                       zeros, 0, NULL, NULL),
                  "clEnqueueWriteBuffer");
}

void node_write(struct node *node, cl_mem array, size_t at, size_t bytes, const void *data)
{
    node_check_cl(clEnqueueWriteBuffer(gravel_cl_queue(node->gravel), array, CL_TRUE, at, bytes,
                                       data, 0, NULL, NULL),
                  "clEnqueueWriteBuffer");
}

void node_read(struct node *node, cl_mem array, size_t bytes, void *data)
{
    if (bytes)
        node_check_cl(clEnqueueReadBuffer(gravel_cl_queue(node->gravel), array, CL_TRUE, 0, bytes,
                                          data, 0, NULL, NULL),
                      "clEnqueueReadBuffer");
}

void node_enqueue(struct node *node, cl_kernel kernel, size_t n_items, size_t group_items)
{
    const size_t n_all = (n_items + group_items - 1) / group_items * group_items;
    if (n_all)
        node_check_cl(clEnqueueNDRangeKernel(gravel_cl_queue(node->gravel), kernel, 1, NULL, &n_all,
                                             &group_items, 0, NULL, NULL),
                      "clEnqueueNDRangeKernel");
}

/* How groups of a kernel are started: as a launch of Gravel's, which may be sliced, or whole. */
enum start { SLICED, WHOLE };

/* Argument 1 is the number of the first work-item. */
static void start_groups(struct node *node, cl_kernel kernel, uint64_t first, size_t n_items,
                         size_t group_items, enum start start)
{
    if (n_items == 0)
        return;
    NODE_SET(kernel, 1, cl_ulong, first);
    if (start == WHOLE)
        node_enqueue(node, kernel, n_items, group_items);
    else
        TRY(gravel_launch(node->gravel, kernel, 1, &n_items, &group_items, 0, NULL, NULL));
}

static void start_items(struct node *node, cl_kernel kernel, uint64_t from, uint64_t n_items,
                        uint64_t group_items, enum start start)
{
    size_t rest = n_items % group_items, full = n_items - rest;
    start_groups(node, kernel, from, full, group_items, start);
    start_groups(node, kernel, from + full, rest, rest, start);
}

/* Argument 2 is the number of items. */
static void start_full(struct node *node, cl_kernel kernel, uint64_t n_items, enum start start)
{
    const uint64_t group_items = node->group_items;
    NODE_SET(kernel, 2, cl_uint, (cl_uint)n_items);
    start_groups(node, kernel, 0, (n_items + group_items - 1) / group_items * group_items,
                 group_items, start);
}

void node_launch(struct node *node, cl_kernel kernel, uint64_t from, uint64_t n_items)
{
    start_items(node, kernel, from, n_items, node->group_items, SLICED);
}

void node_run_groups(struct node *node, cl_kernel kernel, uint64_t from, uint64_t n_items,
                     uint64_t group_items)
{
    start_items(node, kernel, from, n_items, group_items, WHOLE);
}

void node_run(struct node *node, cl_kernel kernel, uint64_t from, uint64_t n_items)
{
    node_run_groups(node, kernel, from, n_items, node->group_items);
}

void node_run_full(struct node *node, cl_kernel kernel, uint64_t n_items)
{
    start_full(node, kernel, n_items, WHOLE);
}

void node_finish(struct node *node)
{
    node_check_cl(clFinish(gravel_cl_queue(node->gravel)), "clFinish");
}

void node_send(struct node *node, cl_kernel kernel, uint64_t n_items, struct node_bound bound)
{
    if (node->coprocessor)
        coprocessor_send(node->coprocessor, kernel, n_items, bound, false);
    else
        node_launch(node, kernel, 0, n_items);
}

void node_send_full(struct node *node, cl_kernel kernel, uint64_t n_items, struct node_bound bound)
{
    NODE_SET(kernel, 2, cl_uint, (cl_uint)n_items);
    if (node->coprocessor)
        coprocessor_send(node->coprocessor, kernel, n_items, bound, true);
    else
        start_full(node, kernel, n_items, SLICED);
}

void node_reduce(struct node *node, uint32_t operation, uint64_t *words, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += MOST_REDUCED)
        TRY(gravel_reduce(node->gravel, operation, GRAVEL_ULONG, words + i,
                          n - i < MOST_REDUCED ? n - i : MOST_REDUCED));
}

static uint64_t reduce(struct node *node, uint32_t operation, uint64_t value)
{
    node_reduce(node, operation, &value, 1);
    return value;
}

uint64_t node_sum(struct node *node, uint64_t value)
{
    return reduce(node, GRAVEL_ADD, value);
}

uint64_t node_least(struct node *node, uint64_t value)
{
    return reduce(node, GRAVEL_MIN, value);
}

uint64_t node_most(struct node *node, uint64_t value)
{
    return reduce(node, GRAVEL_MAX, value);
}

void node_close(struct node *node)
{
    free(node->coprocessor);
    for (unsigned i = 0; i < NODE_MOST_ARRAYS; i++)
        if (node->arrays[i])
            clReleaseMemObject(node->arrays[i]);
    for (unsigned i = 0; i < NODE_MOST_KERNELS; i++)
        if (node->kernels[i])
            clReleaseKernel(node->kernels[i]);
    if (node->program)
        clReleaseProgram(node->program);
    TRY(gravel_close(node->gravel));
}
