/* SPDX-License-Identifier: MIT */
/*
 * Rounds: exact heights, and then active vertices are discharged until none is left, or so many have risen that exact heights
 * are worth their time.
 *
 * Path: maxflow.c -> this -> maxflow.cl
 * Owner: see maxflow.h.
 * Threads: main's.
 * Source: Cherkassky and Goldberg, On Implementing the Push-Relabel Method for the Maximum Flow Problem, 1997 (global
 * relabeling).
 */
#include "maxflow.h"

#include <stddef.h>

static void enqueue(struct maxflow *maxflow, cl_kernel kernel, uint64_t n)
{
    const uint64_t group = maxflow->node.group_items;
    NODE_SET(kernel, 1, cl_uint, (cl_uint)n);
    if (n)
        node_enqueue(&maxflow->node, kernel, (n + group - 1) / group * group, group);
}

static uint64_t counted(struct maxflow *maxflow)
{
    cl_uint n;
    node_read(&maxflow->node, maxflow->counts, sizeof n, &n);
    return n;
}

/* Vertices' distances to the sink. */
static void find_heights(struct maxflow *maxflow)
{
    uint64_t n = 1;
    enqueue(maxflow, maxflow->settle, maxflow->net.n_vertices);
    node_write(&maxflow->node, maxflow->lists[0], 0, sizeof(cl_uint), &maxflow->net.sink);
    for (cl_uint height = 1; n; height++, maxflow->n_levels++) {
        const unsigned turn = height % 2;
        node_clear(&maxflow->node, maxflow->counts, sizeof(cl_uint));
        NODE_SET(maxflow->step_back, 3, cl_mem, maxflow->lists[!turn]);
        NODE_SET(maxflow->step_back, 4, cl_uint, height);
        NODE_SET(maxflow->step_back, 5, cl_mem, maxflow->lists[turn]);
        enqueue(maxflow, maxflow->step_back, n);
        n = counted(maxflow);
    }
}

/* @return  active vertices, in list 0. */
static uint64_t collect(struct maxflow *maxflow)
{
    node_clear(&maxflow->node, maxflow->counts, sizeof(cl_uint));
    NODE_SET(maxflow->collect, 3, cl_mem, maxflow->lists[0]);
    enqueue(maxflow, maxflow->collect, maxflow->net.n_vertices);
    return counted(maxflow);
}

static cl_uint n_relabels(struct maxflow *maxflow)
{
    const uint64_t at = maxflow->at + offsetof(struct maxflow_network, n_relabels);
    const cl_uint *word =
        node_map(&maxflow->node, maxflow->node.number, at, sizeof *word, CL_MAP_READ);
    const cl_uint n = *word;
    node_unmap(&maxflow->node, (void *)(uintptr_t)word);
    return n;
}

/* Without servers: list after list. */
static void discharge_lists(struct maxflow *maxflow, uint64_t n)
{
    const cl_uint first = sections_first_argument(&maxflow->sections);
    for (unsigned turn = 0; n && n_relabels(maxflow) < maxflow->network.limit; turn = !turn) {
        node_clear(&maxflow->node, maxflow->counts, sizeof(cl_uint));
        NODE_SET(maxflow->discharge, first, cl_mem, maxflow->lists[turn]);
        NODE_SET(maxflow->discharge, first + 2, cl_mem, maxflow->lists[!turn]);
        sections_run(&maxflow->sections, &maxflow->node, maxflow->discharge, n);
        n = counted(maxflow);
    }
}

static void discharge(struct maxflow *maxflow, uint64_t n)
{
    const double begin_s = trials_clock();
    if (maxflow->sections.form->mode) {
        NODE_SET(maxflow->discharge, 1, cl_mem, maxflow->lists[0]);
        sections_run(&maxflow->sections, &maxflow->node, maxflow->discharge, n);
    } else {
        discharge_lists(maxflow, n);
    }
    maxflow->section_s += trials_clock() - begin_s;
}

void maxflow_run(void *self)
{
    struct maxflow *maxflow = self;
    uint64_t n;
    maxflow->n_rounds = maxflow->n_levels = 0;
    maxflow->section_s = 0;
    enqueue(maxflow, maxflow->begin, maxflow->net.n_vertices);
    find_heights(maxflow);
    for (; (n = collect(maxflow)) != 0; maxflow->n_rounds++) {
        discharge(maxflow, n);
        find_heights(maxflow);
    }
}
