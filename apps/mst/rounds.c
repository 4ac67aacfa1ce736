/* SPDX-License-Identifier: MIT */
/*
 * Boruvka's rounds: look, choose by critical sections, join.
 *
 * Path: mst.c -> this -> mst.cl
 * Owner: see mst.h.
 * Threads: main's.
 */
#include "mst.h"

#include <string.h>

/* n work-items, in whole groups. */
static void enqueue(struct mst *mst, cl_kernel kernel, uint64_t n)
{
    const uint64_t group = mst->node.group_items;
    if (n)
        node_enqueue(&mst->node, kernel, (n + group - 1) / group * group, group);
}

/* As above; argument 1 is n. */
static void enqueue_n(struct mst *mst, cl_kernel kernel, uint64_t n)
{
    NODE_SET(kernel, 1, cl_uint, (cl_uint)n);
    enqueue(mst, kernel, n);
}

/* What a kernel that starts from 0 counts. */
static uint64_t count(struct mst *mst, cl_kernel kernel, uint64_t n)
{
    cl_uint counted;
    node_clear(&mst->node, mst->counts, sizeof counted);
    enqueue_n(mst, kernel, n);
    node_read(&mst->node, mst->counts, sizeof counted, &counted);
    return counted;
}

void mst_reset(void *self)
{
    struct mst *mst = self;
    const uint64_t n = mst->n_vertices > mst->edges.n ? mst->n_vertices : mst->edges.n;
    enqueue(mst, mst->begin, n);
    node_finish(&mst->node);
}

/* Of n vertices: offers of those with an edge to another component. @return  how many. */
static uint64_t look(struct mst *mst, uint64_t n)
{
    const unsigned turn = mst->n_rounds % 2;
    NODE_SET(mst->look, 2, cl_mem, mst->vertices[turn]);
    NODE_SET(mst->look, 7, cl_mem, mst->vertices[!turn]);
    return count(mst, mst->look, n);
}

static void choose(struct mst *mst, uint64_t n_offers)
{
    const double begin_s = trials_clock();
    sections_run(&mst->sections, &mst->node, mst->lightest, n_offers);
    if (mst->least)
        sections_run(&mst->sections, &mst->node, mst->least, n_offers);
    node_barrier(&mst->node);
    mst->section_s += trials_clock() - begin_s;
}

/* Components below others, however deep, hang directly below roots. @param side  [in, out] the array that has them. */
static void flatten(struct mst *mst, uint64_t n_live, unsigned *side)
{
    uint64_t is_below = 1;
    for (; is_below; *side = !*side) {
        NODE_SET(mst->jump, 3, cl_mem, mst->roots[*side]);
        NODE_SET(mst->jump, 4, cl_mem, mst->roots[!*side]);
        is_below = count(mst, mst->jump, n_live);
    }
}

/* Of n_live components: those that are left. @return  how many. */
static uint64_t join(struct mst *mst, uint64_t n_live, unsigned *side)
{
    const unsigned turn = mst->n_rounds % 2;
    NODE_SET(mst->hang, 2, cl_mem, mst->live[turn]);
    NODE_SET(mst->hang, 5, cl_mem, mst->roots[*side]);
    NODE_SET(mst->jump, 2, cl_mem, mst->live[turn]);
    enqueue_n(mst, mst->hang, n_live);
    flatten(mst, n_live, side);
    NODE_SET(mst->relabel, 2, cl_mem, mst->roots[*side]);
    enqueue_n(mst, mst->relabel, mst->n_vertices);
    NODE_SET(mst->keep, 2, cl_mem, mst->live[turn]);
    NODE_SET(mst->keep, 3, cl_mem, mst->roots[*side]);
    NODE_SET(mst->keep, 4, cl_mem, mst->live[!turn]);
    return count(mst, mst->keep, n_live);
}

void mst_run(void *self)
{
    struct mst *mst = self;
    uint64_t n_live = mst->n_vertices, n_offers = mst->n_vertices;
    unsigned side = 0;
    progress_begin(&mst->progress, stderr, "mst", mst->n_vertices, mst->options.quiet);
    mst->n_offers = 0;
    mst->section_s = 0;
    for (mst->n_rounds = 0; (n_offers = look(mst, n_offers)) != 0; mst->n_rounds++) {
        mst->n_offers += n_offers;
        choose(mst, n_offers);
        n_live = join(mst, n_live, &side);
        progress_at(&mst->progress, mst->n_vertices - n_live);
    }
    progress_end(&mst->progress);
}

cl_uint *mst_read(struct mst *mst)
{
    cl_uint *is_in_tree = app_array(mst->edges.n, sizeof *is_in_tree, "the tree");
    node_read(&mst->node, mst->is_in_tree, mst->edges.n * sizeof *is_in_tree, is_in_tree);
    return is_in_tree;
}
