/* SPDX-License-Identifier: MIT */
/*
 * The node's part of the graph on the device, and the kernels.
 *
 * Path: mst.c -> this -> rounds.c
 * Owner: see mst.h.
 * Threads: main's.
 */
#include "mst.h"

#include <stdlib.h>

extern const char mst_cl[];

/* ---- memory ------------------------------------------------------------------------------------ */

static void make_sections(struct mst *mst)
{
    mst->n_sections = block_of(mst->n_vertices, mst->node.n_nodes);
    const uint64_t bytes = 4 * mst->n_sections;
    mst->lightest_weights = node_alloc(&mst->node, bytes);
    mst->lightest_edges = node_alloc(&mst->node, bytes);
    mst->locks = node_alloc(&mst->node, bytes);
    mst->chosen =
        mst->node.n_nodes == 1 ? mst->lightest_edges : node_alloc(&mst->node, 4 * mst->n_vertices);
    node_check(gravel_constant(mst->node.gravel, 0, mst->lightest_weights));
    node_check(gravel_constant(mst->node.gravel, 1, mst->lightest_edges));
}

static void make_arrays(struct mst *mst)
{
    struct node *node = &mst->node;
    const struct mst_edges *edges = &mst->edges;
    const uint64_t n = mst->n_vertices, n_own = mst->part.rows.n_vertices;
    const uint64_t bytes = n * sizeof(cl_uint);
    mst->ends = node_array(node, edges->n * sizeof *edges->ends, edges->ends);
    mst->offsets = node_array(node, bytes + sizeof(cl_uint), edges->offsets);
    mst->entries = node_array(node, edges->offsets[n] * sizeof *edges->entries, edges->entries);
    mst->components = node_array(node, bytes, NULL);
    mst->offers = node_array(node, (n_own + 1) * sizeof(struct mst_offer), NULL);
    mst->counts = node_array(node, sizeof(cl_uint), NULL);
    for (int turn = 0; turn < 2; turn++) {
        mst->vertices[turn] = node_array(node, bytes, NULL);
        mst->live[turn] = node_array(node, bytes, NULL);
        mst->roots[turn] = node_array(node, bytes, NULL);
    }
}

/* ---- kernels ----------------------------------------------------------------------------------- */

static void set_begin(struct mst *mst)
{
    const cl_mem arrays[] = {mst->components, mst->roots[0], mst->roots[1], mst->vertices[0],
                             mst->live[0]};
    const uint64_t offsets[] = {mst->lightest_weights, mst->lightest_edges, mst->locks,
                                mst->chosen};
    NODE_SET(mst->begin, 1, cl_uint, (cl_uint)mst->n_vertices);
    NODE_SET(mst->begin, 2, cl_uint, (cl_uint)mst->n_sections);
    for (cl_uint i = 0; i < 5; i++)
        NODE_SET(mst->begin, 3 + i, cl_mem, arrays[i]);
    for (cl_uint i = 0; i < 4; i++)
        NODE_SET(mst->begin, 8 + i, cl_ulong, offsets[i]);
}

static void set_section(struct mst *mst, cl_kernel kernel)
{
    const cl_uint first = sections_first_argument(&mst->sections);
    const uint64_t offsets[] = {mst->lightest_weights, mst->lightest_edges, mst->locks};
    NODE_SET(kernel, first, cl_mem, mst->offers);
    for (cl_uint i = 0; i < 3 && !mst->sections.form->mode; i++)
        NODE_SET(kernel, first + 1 + i, cl_ulong, offsets[i]);
}

/* What does not change from round to round. */
static void set_rounds(struct mst *mst)
{
    NODE_SET(mst->look, 3, cl_mem, mst->offsets);
    NODE_SET(mst->look, 4, cl_mem, mst->entries);
    NODE_SET(mst->look, 5, cl_mem, mst->components);
    NODE_SET(mst->look, 6, cl_mem, mst->offers);
    NODE_SET(mst->look, 8, cl_mem, mst->counts);
    NODE_SET(mst->hang, 3, cl_mem, mst->ends);
    NODE_SET(mst->hang, 4, cl_mem, mst->components);
    NODE_SET(mst->hang, 6, cl_ulong, mst->chosen);
    NODE_SET(mst->jump, 5, cl_mem, mst->counts);
    NODE_SET(mst->keep, 5, cl_mem, mst->counts);
    NODE_SET(mst->keep, 6, cl_ulong, mst->lightest_weights);
    NODE_SET(mst->keep, 7, cl_ulong, mst->chosen);
    NODE_SET(mst->relabel, 3, cl_mem, mst->components);
}

static void make_announce(struct mst *mst)
{
    mst->announce = node_kernel(&mst->node, "announce");
    NODE_SET(mst->announce, 4, cl_ulong, mst->lightest_weights);
    NODE_SET(mst->announce, 5, cl_ulong, mst->lightest_edges);
    NODE_SET(mst->announce, 6, cl_ulong, mst->chosen);
}

static void make_kernels(struct mst *mst)
{
    cl_kernel *const kernels[] = {&mst->begin, &mst->look, &mst->hang,
                                  &mst->jump,  &mst->keep, &mst->relabel};
    static const char *const names[] = {"begin", "look", "hang", "jump", "keep", "relabel"};
    for (int i = 0; i < 6; i++)
        *kernels[i] = node_kernel(&mst->node, names[i]);
    mst->lightest = sections_kernel(&mst->sections, &mst->node, "lightest");
    set_section(mst, mst->lightest);
    if (mst->sections.form->is_in_steps) {
        mst->least = sections_kernel(&mst->sections, &mst->node, "least");
        set_section(mst, mst->least);
    }
    if (mst->node.n_nodes > 1)
        make_announce(mst);
    set_begin(mst);
    set_rounds(mst);
}

/* ---- open and close ---------------------------------------------------------------------------- */

/* Edges have numbers that all nodes agree on, so that each goes through the whole graph, and keeps its own rows. */
static void take_edges(struct mst *mst)
{
    struct graph whole = {0}, *graph = &mst->part.rows;
    node_part_of_process(&mst->node, &mst->part);
    if (mst->node.n_processes > 1) {
        part_whole(&whole, &mst->part);
        graph = &whole;
    }
    graph_draw_weights(graph, NULL, mst->options.seed);
    mst->has_floats = graph->weights_are == GRAPH_FLOAT;
    mst_edges_open(&mst->edges, graph, &mst->part);
    part_forget_edges(&mst->part);
    graph_free(&whole);
}

void mst_open(void *self)
{
    static const struct gravel_handler handlers[] = {
        {.name = "lightest", .n_args = 2, .n_keys = 1}};
    struct mst *mst = self;
    node_survey(&mst->node, &mst->part, mst->options.seed,
                (struct part_wish){.refuse_negative = true});
    mst->n_vertices = mst->part.survey.n_vertices;
    sections_open(&mst->sections, &mst->node, 12 * mst->n_vertices, "mst.cl", mst_cl, handlers, 1);
    take_edges(mst);
    make_sections(mst);
    make_arrays(mst);
    make_kernels(mst);
}

void mst_close(void *self)
{
    struct mst *mst = self;
    mst_edges_close(&mst->edges);
    part_close(&mst->part);
    node_close(&mst->node);
}
