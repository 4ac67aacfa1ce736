/* SPDX-License-Identifier: MIT */
/*
 * The network on the device, and the kernels.
 *
 * Path: maxflow.c -> this -> rounds.c
 * Owner: see maxflow.h.
 * Threads: main's.
 */
#include "maxflow.h"

#include <string.h>

extern const char maxflow_cl[];

/* ---- memory ------------------------------------------------------------------------------------ */

static uint64_t put(struct maxflow *maxflow, const void *from, uint64_t bytes)
{
    const uint64_t at = node_alloc(&maxflow->node, bytes ? bytes : 1);
    if (bytes) {
        void *words = node_map(&maxflow->node, maxflow->node.number, at, bytes,
                               CL_MAP_WRITE_INVALIDATE_REGION);
        memcpy(words, from, bytes);
        node_unmap(&maxflow->node, words);
    }
    return at;
}

static uint64_t room_for(struct maxflow *maxflow, uint64_t n_words)
{
    return node_alloc(&maxflow->node, n_words ? 4 * n_words : 4);
}

static void make_memory(struct maxflow *maxflow)
{
    const struct maxflow_rows *net = &maxflow->net;
    const uint64_t n = net->n_vertices, m = net->n_entries;
    maxflow->network = (struct maxflow_network){
        .offsets = put(maxflow, net->offsets, 4 * (n + 1)),
        .arcs = put(maxflow, net->entries, m * sizeof *net->entries),
        .capacity = put(maxflow, net->capacity, 4 * m),
        .room = room_for(maxflow, m),
        .incoming = room_for(maxflow, m),
        .heights = room_for(maxflow, n),
        .excess = room_for(maxflow, n),
        .is_active = room_for(maxflow, n),
        .locks = room_for(maxflow, n),
        .n_vertices = (cl_uint)n,
        .source = net->source,
        .sink = net->sink,
        .limit = (cl_uint)n,
    };
    maxflow->at = put(maxflow, &maxflow->network, sizeof maxflow->network);
    node_check(gravel_constant(maxflow->node.gravel, 0, maxflow->at));
    for (int turn = 0; turn < 2; turn++)
        maxflow->lists[turn] = node_array(&maxflow->node, 4 * n, NULL);
    maxflow->counts = node_array(&maxflow->node, sizeof(cl_uint), NULL);
}

/* ---- kernels ----------------------------------------------------------------------------------- */

static void make_kernels(struct maxflow *maxflow)
{
    cl_kernel *const kernels[] = {&maxflow->begin, &maxflow->settle, &maxflow->step_back,
                                  &maxflow->collect};
    static const char *const names[] = {"begin", "settle", "step_back", "collect"};
    for (int i = 0; i < 4; i++) {
        *kernels[i] = node_kernel(&maxflow->node, names[i]);
        NODE_SET(*kernels[i], 2, cl_ulong, maxflow->at);
    }
    NODE_SET(maxflow->step_back, 6, cl_mem, maxflow->counts);
    NODE_SET(maxflow->collect, 4, cl_mem, maxflow->counts);
    maxflow->discharge = sections_kernel(&maxflow->sections, &maxflow->node, "discharge");
    if (maxflow->sections.form->mode)
        return;
    const cl_uint first = sections_first_argument(&maxflow->sections);
    NODE_SET(maxflow->discharge, first + 1, cl_ulong, maxflow->at);
    NODE_SET(maxflow->discharge, first + 3, cl_mem, maxflow->counts);
}

/* ---- open and close ---------------------------------------------------------------------------- */

static uint64_t heap_bytes(const struct maxflow_rows *net)
{
    return 24 * (net->n_vertices + 1) + 20 * (net->n_entries + 1) + sizeof(struct maxflow_network);
}

void maxflow_open(void *self)
{
    struct maxflow *maxflow = self;
    struct maxflow_arcs arcs;
    if (maxflow->file)
        maxflow->node.input = maxflow_read(&arcs, maxflow->file);
    else
        maxflow_draw(&arcs, maxflow);
    maxflow_rows_open(&maxflow->net, &arcs);
    /* One message a vertex may wait. */
    const struct gravel_handler handler = {
        .name = "discharge",
        .n_args = 1,
        .n_keys = 1,
        .max_pending = maxflow->max_pending ? maxflow->max_pending : maxflow->net.n_vertices};
    sections_open(&maxflow->sections, &maxflow->node, heap_bytes(&maxflow->net), "maxflow.cl",
                  maxflow_cl, &handler, 1);
    if (maxflow->node.n_nodes > 1)
        die("the network is in the memory of one node, and there are %u", maxflow->node.n_nodes);
    make_memory(maxflow);
    make_kernels(maxflow);
}

cl_uint *maxflow_read_words(struct maxflow *maxflow, uint64_t offset, uint64_t n)
{
    cl_uint *words = app_array(n + 1, sizeof *words, "the flow");
    if (n == 0)
        return words;
    const void *there = node_map(&maxflow->node, maxflow->node.number, offset, 4 * n, CL_MAP_READ);
    memcpy(words, there, 4 * n);
    node_unmap(&maxflow->node, (void *)(uintptr_t)there);
    return words;
}

void maxflow_close(void *self)
{
    struct maxflow *maxflow = self;
    maxflow_rows_close(&maxflow->net);
    node_close(&maxflow->node);
}
