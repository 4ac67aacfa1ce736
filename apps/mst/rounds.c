/* SPDX-License-Identifier: MIT */
/*
 * Boruvka's rounds: look, choose by critical sections, announce, join.
 *
 * Nodes meet three times a round: when offers are counted, so that no node offers before all have joined; when all sections
 * have run; and when all choices have arrived. Joining needs no messages: every node does all of it.
 *
 * Path: mst.c -> this -> mst.cl
 * Owner: see mst.h.
 * Threads: main's.
 */
#include "mst.h"

#include <string.h>

#define NO_EDGE CL_UINT_MAX

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

/* ---- loop-back nodes, which have no device of their own ------------------------------------------ */

static bool is_loop_back(const struct mst *mst, uint32_t number)
{
    return number != mst->node.number && gravel_is_local(mst->node.gravel, number);
}

/* What kernel `announce` does for its own node. @param has_chosen  false: they are only emptied, as `begin` does it. */
static void empty_sections(struct mst *mst, uint32_t number, bool has_chosen)
{
    const uint64_t bytes = 4 * mst->n_sections;
    const cl_map_flags both = CL_MAP_READ | CL_MAP_WRITE;
    cl_uint *edges = node_map(&mst->node, number, mst->lightest_edges, bytes, both);
    cl_uint *weights = node_map(&mst->node, number, mst->lightest_weights, bytes, both);
    for (uint64_t place = 0; place < mst->n_sections; place++) {
        const uint64_t at = mst->chosen + 4 * (place * mst->node.n_nodes + number);
        if (has_chosen && edges[place] != NO_EDGE)
            node_check(gravel_put(mst->node.gravel, at, &edges[place], 4, mst->node.number));
        weights[place] = edges[place] = NO_EDGE;
    }
    node_unmap(&mst->node, weights);
    node_unmap(&mst->node, edges);
}

static void empty_loop_back(struct mst *mst, bool has_chosen)
{
    for (uint32_t number = 0; number < mst->node.n_nodes; number++)
        if (is_loop_back(mst, number))
            empty_sections(mst, number, has_chosen);
}

/* ---- a trial ----------------------------------------------------------------------------------- */

void mst_reset(void *self)
{
    struct mst *mst = self;
    enqueue(mst, mst->begin, mst->n_vertices);
    node_finish(&mst->node);
    empty_loop_back(mst, false);
}

/* Of n vertices: offers of those with an edge to another component. @return  how many. */
static uint64_t look(struct mst *mst, uint64_t n)
{
    const unsigned turn = mst->n_rounds % 2;
    NODE_SET(mst->look, 2, cl_mem, mst->vertices[turn]);
    NODE_SET(mst->look, 7, cl_mem, mst->vertices[!turn]);
    return count(mst, mst->look, n);
}

/* @param n  [in, out] this node's vertices that look; those that offer. @return  offers of all nodes. */
static uint64_t look_all(struct mst *mst, uint64_t *n)
{
    *n = look(mst, *n);
    return node_sum(&mst->node, *n);
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

/* What components chose, to all nodes. n_live: equal at all nodes. */
static void announce(struct mst *mst, uint64_t n_live)
{
    if (mst->node.n_nodes == 1)
        return;
    NODE_SET(mst->announce, 3, cl_mem, mst->live[mst->n_rounds % 2]);
    node_send_full(&mst->node, mst->announce, n_live, (struct node_bound){0});
    empty_loop_back(mst, true);
    node_barrier(&mst->node);
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
    uint64_t n_live = mst->n_vertices, n_own = mst->n_vertices, n_offers;
    unsigned side = 0;
    progress_begin(&mst->progress, stderr, "mst", mst->n_vertices,
                   mst->options.quiet || mst->node.number != 0);
    mst->n_offers = 0;
    mst->section_s = 0;
    for (mst->n_rounds = 0; (n_offers = look_all(mst, &n_own)) != 0; mst->n_rounds++) {
        mst->n_offers += n_offers;
        choose(mst, n_own);
        announce(mst, n_live);
        n_live = join(mst, n_live, &side);
        progress_at(&mst->progress, mst->n_vertices - n_live);
    }
    progress_end(&mst->progress);
}

cl_uint *mst_read(struct mst *mst)
{
    cl_uint *is_in_tree = app_array(mst->edges.n, sizeof *is_in_tree, "the tree");
    memset(is_in_tree, 0, mst->edges.n * sizeof *is_in_tree);
    cl_uint *chosen =
        node_map(&mst->node, mst->node.number, mst->chosen, 4 * mst->n_vertices, CL_MAP_READ);
    for (uint64_t v = 0; v < mst->n_vertices; v++)
        if (chosen[v] != NO_EDGE)
            is_in_tree[chosen[v]] = 1;
    node_unmap(&mst->node, chosen);
    return is_in_tree;
}
