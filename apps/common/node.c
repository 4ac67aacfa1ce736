/* SPDX-License-Identifier: MIT */
/*
 * Open, launch, wait, close; every failure ends the process.
 *
 * Path: an application's main -> this -> gravel/gravel.h
 * Owner: see node.h.
 * Threads: main's.
 */
#include "node.h"
#include "app.h"
#include "coprocessor.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum { KEY_GROUP = 0x2000, KEY_MODEL };

/* The heap's own rounding, for a handful of allocations [bytes]. */
#define HEAP_SLACK_BYTES 4096

static error_t parse_model(struct argp_state *state, const char *value, struct node *node)
{
    node->model = model_named(value);
    if (node->model)
        return 0;
    argp_failure(state, EX_USAGE, 0,
                 "--model: '%s' is none of coprocessor, coprocessor-1m, lane, coalesced, "
                 "coalesced-aggregated, gravel",
                 value);
    return EINVAL;
}

static error_t parse_node(int key, char *value, struct argp_state *state)
{
    struct node *node = state->input;
    uint64_t number = 0;
    if (key == KEY_MODEL)
        return parse_model(state, value, node);
    if (key != KEY_GROUP)
        return ARGP_ERR_UNKNOWN;
    error_t error = options_number(state, "--group", value, 1, NODE_MAX_GROUP, &number);
    if (!error)
        node->group_items = (uint32_t)number;
    return error;
}

static const struct argp_option node_options[] = {
    {NULL, 0, NULL, 0, "Device:", 30},
    {"group", KEY_GROUP, "ITEMS", 0, "Work-items of a work-group (256)", 0},
    {"model", KEY_MODEL, "NAME", 0,
     "How messages are sent: coprocessor, coprocessor-1m, lane, coalesced, coalesced-aggregated or "
     "gravel (gravel); docs/results/models.md compares them",
     0},
    {0}};

const struct argp node_argp = {.options = node_options, .parser = parse_node};

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

/* One, if it holds the heaps of all nodes. */
static uint32_t count_processes(const struct gravel *gravel)
{
    uint32_t n_nodes = gravel_n_nodes(gravel);
    uint32_t neighbour = (gravel_node(gravel) + 1) % n_nodes;
    return gravel_is_local(gravel, neighbour) ? 1 : n_nodes;
}

void node_open(struct node *node, uint64_t heap_bytes)
{
    struct gravel_config config;
    node_check(gravel_config_init(&config, sizeof config));
    if (node->model->queue_bytes)
        heap_bytes += coprocessor_heap_bytes(node->model, config.loopback_nodes);
    if (!getenv("GRAVEL_HEAP"))
        config.heap_bytes = heap_bytes + HEAP_SLACK_BYTES;
    if (node->model != model_gravel)
        strcpy(config.aggregation, node->model->aggregation);
    struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = node->handlers, .n_handlers = node->n_handlers);
    node_check(gravel_open(&node->gravel, &config, &bindings));
    node->number = gravel_node(node->gravel);
    node->n_nodes = gravel_n_nodes(node->gravel);
    node->n_processes = count_processes(node->gravel);
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
    node_check(gravel_program_build(node->gravel, name, text, all_options, &node->program));
    free(text);
}

uint64_t node_alloc(struct node *node, uint64_t bytes)
{
    uint64_t offset = 0;
    node_check(gravel_alloc(node->gravel, bytes, &offset));
    return offset;
}

uint64_t **node_map(struct node *node, uint64_t offset, uint64_t bytes, cl_map_flags flags)
{
    uint64_t **parts = calloc(node->n_nodes, sizeof *parts);
    if (!parts)
        die("no memory for a list of %u nodes", node->n_nodes);
    for (uint32_t i = 0; i < node->n_nodes; i++) {
        void *part = NULL;
        if (gravel_is_local(node->gravel, i))
            node_check(gravel_map(node->gravel, offset, bytes, flags, i, &part));
        parts[i] = part;
    }
    return parts;
}

void node_unmap(struct node *node, uint64_t **parts)
{
    for (uint32_t i = 0; i < node->n_nodes; i++)
        node_check(gravel_unmap(node->gravel, parts[i]));
    free(parts);
}

cl_kernel node_kernel(struct node *node, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(node->program, name, &error);
    node_check_cl(error, name);
    node_check(gravel_kernel_set_arena(node->gravel, kernel, 0));
    return kernel;
}

void node_set(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
    node_check_cl(clSetKernelArg(kernel, index, bytes, value), "clSetKernelArg");
}

cl_mem node_array(struct node *node, size_t bytes, const void *data)
{
    cl_int error;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (data && bytes ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem array = clCreateBuffer(gravel_cl_context(node->gravel), flags, bytes ? bytes : 1,
                                  data && bytes ? (void *)(uintptr_t)data : NULL, &error);
    if (error != CL_SUCCESS)
        die("no room on the device for an array of %zu bytes (OpenCL error %d)", bytes, error);
    return array;
}

void node_read(struct node *node, cl_mem array, size_t bytes, void *data)
{
    if (bytes)
        node_check_cl(clEnqueueReadBuffer(gravel_cl_queue(node->gravel), array, CL_TRUE, 0, bytes,
                                          data, 0, NULL, NULL),
                      "clEnqueueReadBuffer");
}

void node_launch_groups(struct node *node, cl_kernel kernel, uint64_t first, size_t n_items,
                        size_t group_items)
{
    if (n_items == 0)
        return;
    NODE_SET(kernel, 1, cl_ulong, first);
    node_check(gravel_launch(node->gravel, kernel, 1, &n_items, &group_items, 0, NULL, NULL));
}

void node_launch_from(struct node *node, cl_kernel kernel, uint64_t from, uint64_t n_items)
{
    size_t rest = n_items % node->group_items, full = n_items - rest;
    node_launch_groups(node, kernel, from, full, node->group_items);
    node_launch_groups(node, kernel, from + full, rest, rest);
}

void node_launch(struct node *node, cl_kernel kernel, uint64_t n_items)
{
    node_launch_from(node, kernel, 0, n_items);
}

void node_launch_full(struct node *node, cl_kernel kernel, uint64_t n_items)
{
    uint64_t group_items = node->group_items;
    NODE_SET(kernel, 2, cl_uint, (cl_uint)n_items);
    node_launch_groups(node, kernel, 0, (n_items + group_items - 1) / group_items * group_items,
                       group_items);
}

void node_send(struct node *node, cl_kernel kernel, uint64_t n_items, struct node_bound bound)
{
    if (node->coprocessor)
        coprocessor_send(node->coprocessor, kernel, n_items, bound, false);
    else
        node_launch(node, kernel, n_items);
}

void node_send_full(struct node *node, cl_kernel kernel, uint64_t n_items, struct node_bound bound)
{
    NODE_SET(kernel, 2, cl_uint, (cl_uint)n_items);
    if (node->coprocessor)
        coprocessor_send(node->coprocessor, kernel, n_items, bound, true);
    else
        node_launch_full(node, kernel, n_items);
}

void node_barrier(struct node *node)
{
    node_check(gravel_barrier(node->gravel));
}

uint64_t node_sum(struct node *node, uint64_t value)
{
    node_check(gravel_reduce(node->gravel, GRAVEL_ADD, GRAVEL_ULONG, &value, 1));
    return value;
}

void node_close(struct node *node)
{
    coprocessor_close(node->coprocessor);
    clReleaseProgram(node->program);
    node_check(gravel_close(node->gravel));
}
