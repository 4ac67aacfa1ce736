/* SPDX-License-Identifier: MIT */
/*
 * Minimum spanning trees by Boruvka's algorithm, with a critical section for each component.
 *
 * Every round each vertex offers its lightest edge to another component, a component takes the lightest offer, and what
 * that joins is one component in the next round.
 *
 * Nodes meet three times a round: when offers are counted, so that no node offers before all have joined; when all sections
 * have run; and when all choices have arrived. Joining needs no messages: every node does all of it.
 *
 * Path: main -> open_node (edges.c) -> run -> mst.cl -> check.c -> report
 * Owner: open_node makes what close_node frees.
 * Threads: main's.
 * Source: Boruvka 1926; Wang, Fussell, Lin 2019, section 4 (MST).
 */
#include "mst.h"

#include <stdio.h>
#include <stdlib.h>

extern const char mst_cl[];

/* ---- memory ------------------------------------------------------------------------------------ */

static void make_sections(struct mst *mst)
{
    mst->n_sections = block_of(mst->n_vertices, mst->node.n_nodes);
    const uint64_t bytes = 4 * mst->n_sections;
    TRY(gravel_alloc(mst->node.gravel, bytes, &mst->lightest_weights));
    TRY(gravel_alloc(mst->node.gravel, bytes, &mst->lightest_edges));
    TRY(gravel_alloc(mst->node.gravel, bytes, &mst->locks));
    mst->chosen = mst->lightest_edges;
    if (mst->node.n_nodes > 1)
        TRY(gravel_alloc(mst->node.gravel, 4 * mst->n_vertices, &mst->chosen));
    TRY(gravel_set_constant(mst->node.gravel, 0, mst->lightest_weights));
    TRY(gravel_set_constant(mst->node.gravel, 1, mst->lightest_edges));
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

static void set_section(struct mst *mst, cl_kernel kernel)
{
    const cl_uint first = sections_first_argument(&mst->sections);
    NODE_SET(kernel, first, ARRAY(mst->offers));
    if (!mst->sections.form->mode)
        NODE_SET(kernel, first + 1, ULONG(mst->lightest_weights), ULONG(mst->lightest_edges),
                 ULONG(mst->locks));
}

/* Sets what does not change from round to round. */
static void set_arguments(struct mst *mst)
{
    NODE_SET(mst->begin, 2, UINT(mst->n_sections), ARRAY(mst->components), ARRAY(mst->roots[0]),
             ARRAY(mst->roots[1]), ARRAY(mst->vertices[0]), ARRAY(mst->live[0]),
             ULONG(mst->lightest_weights), ULONG(mst->lightest_edges), ULONG(mst->locks),
             ULONG(mst->chosen));
    NODE_SET(mst->look, 3, ARRAY(mst->offsets), ARRAY(mst->entries), ARRAY(mst->components),
             ARRAY(mst->offers));
    NODE_SET(mst->look, 8, ARRAY(mst->counts));
    NODE_SET(mst->hang, 3, ARRAY(mst->ends), ARRAY(mst->components));
    NODE_SET(mst->hang, 6, ULONG(mst->chosen));
    NODE_SET(mst->jump, 5, ARRAY(mst->counts));
    NODE_SET(mst->keep, 5, ARRAY(mst->counts), ULONG(mst->lightest_weights), ULONG(mst->chosen));
    NODE_SET(mst->relabel, 3, ARRAY(mst->components));
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
    if (mst->node.n_nodes > 1) {
        mst->announce = node_kernel(&mst->node, "announce");
        NODE_SET(mst->announce, 4, ULONG(mst->lightest_weights), ULONG(mst->lightest_edges),
                 ULONG(mst->chosen));
    }
    set_arguments(mst);
}

/* ---- open and close ---------------------------------------------------------------------------- */

/* Edges have numbers that all nodes agree on, so that each goes through the whole graph, and keeps its own rows. */
static void take_edges(struct mst *mst)
{
    struct graph whole = {0}, *graph = &mst->part.rows;
    node_part(&mst->node, &mst->part);
    if (mst->node.n_processes > 1) {
        part_whole(&whole, &mst->part);
        graph = &whole;
    }
    graph_draw_weights(graph, 0, mst->options.seed);
    mst->has_floats = graph->weights_are == GRAPH_FLOAT;
    edges_open(&mst->edges, graph, &mst->part);
    part_forget_edges(&mst->part);
    graph_free(&whole);
}

static void open_node(void *self)
{
    static const struct gravel_handler handlers[] = {
        {.name = "lightest", .n_args = 2, .serve = {.n_keys = 1}}};
    struct mst *mst = self;
    part_survey(&mst->part, mst->options.seed, (struct part_wish){.refuse_negative = true});
    mst->n_vertices = mst->part.survey.n_vertices;
    sections_open(&mst->sections, &mst->node, 12 * mst->n_vertices, "mst.cl", mst_cl, handlers, 1);
    take_edges(mst);
    make_sections(mst);
    make_arrays(mst);
    make_kernels(mst);
}

static void close_node(void *self)
{
    struct mst *mst = self;
    edges_close(&mst->edges);
    part_close(&mst->part);
}

#define NO_EDGE CL_UINT_MAX

/* n work-items, in whole groups; argument 1 is n. */
static void enqueue(struct mst *mst, cl_kernel kernel, uint64_t n)
{
    NODE_SET(kernel, 1, UINT(n));
    node_enqueue(&mst->node, kernel, n, mst->node.group_items);
}

/* Returns what a kernel that starts from 0 counts. */
static uint64_t count(struct mst *mst, cl_kernel kernel, uint64_t n)
{
    cl_uint counted;
    node_fill(&mst->node, mst->counts, 0, sizeof counted);
    enqueue(mst, kernel, n);
    node_read(&mst->node, mst->counts, sizeof counted, &counted);
    return counted;
}

/* ---- a trial ----------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct mst *mst = self;
    enqueue(mst, mst->begin, mst->n_vertices);
    node_finish(&mst->node);
}

/* @param n  [in, out] this node's vertices that look; those that offer, which have an edge to another component. @return  offers of all nodes. */
static uint64_t look(struct mst *mst, uint64_t *n)
{
    const unsigned turn = mst->n_rounds % 2;
    NODE_SET(mst->look, 2, ARRAY(mst->vertices[turn]));
    NODE_SET(mst->look, 7, ARRAY(mst->vertices[!turn]));
    *n = count(mst, mst->look, *n);
    return node_sum(&mst->node, *n);
}

static void choose(struct mst *mst, uint64_t n_offers)
{
    const double begin_s = trials_clock();
    sections_run(&mst->sections, &mst->node, mst->lightest, n_offers);
    TRY(gravel_barrier(mst->node.gravel));
    mst->section_s += trials_clock() - begin_s;
}

/* Sends all nodes what components chose. n_live: equal at all nodes. */
static void announce(struct mst *mst, uint64_t n_live)
{
    if (mst->node.n_nodes == 1)
        return;
    NODE_SET(mst->announce, 3, ARRAY(mst->live[mst->n_rounds % 2]));
    node_send(&mst->node, mst->announce, node_full(&mst->node, mst->announce, n_live),
              (struct node_bound){0});
    TRY(gravel_barrier(mst->node.gravel));
}

/* Joins n_live components. @param side  [in, out] the array that has the roots. @return  how many are left. */
static uint64_t join(struct mst *mst, uint64_t n_live, unsigned *side)
{
    const unsigned turn = mst->n_rounds % 2;
    NODE_SET(mst->hang, 2, ARRAY(mst->live[turn]));
    NODE_SET(mst->hang, 5, ARRAY(mst->roots[*side]));
    NODE_SET(mst->jump, 2, ARRAY(mst->live[turn]));
    enqueue(mst, mst->hang, n_live);
    /* Components below others, however deep, hang directly below roots. */
    for (uint64_t is_below = 1; is_below; *side = !*side) {
        NODE_SET(mst->jump, 3, ARRAY(mst->roots[*side]), ARRAY(mst->roots[!*side]));
        is_below = count(mst, mst->jump, n_live);
    }
    NODE_SET(mst->relabel, 2, ARRAY(mst->roots[*side]));
    enqueue(mst, mst->relabel, mst->n_vertices);
    NODE_SET(mst->keep, 2, ARRAY(mst->live[turn]), ARRAY(mst->roots[*side]),
             ARRAY(mst->live[!turn]));
    return count(mst, mst->keep, n_live);
}

static void run(void *self)
{
    struct mst *mst = self;
    uint64_t n_live = mst->n_vertices, n_own = mst->n_vertices, n_offers;
    unsigned side = 0;
    mst->n_offers = 0;
    mst->section_s = 0;
    for (mst->n_rounds = 0; (n_offers = look(mst, &n_own)) != 0; mst->n_rounds++) {
        mst->n_offers += n_offers;
        choose(mst, n_own);
        announce(mst, n_live);
        n_live = join(mst, n_live, &side);
    }
}

cl_uint *read_tree(struct mst *mst)
{
    cl_uint *is_in_tree = app_array(mst->edges.n, sizeof *is_in_tree, "the tree");
    cl_uint *chosen = app_array(mst->n_vertices, sizeof *chosen, "the tree");
    TRY(gravel_get(mst->node.gravel, mst->chosen, chosen, 4 * mst->n_vertices, mst->node.number));
    for (uint64_t v = 0; v < mst->n_vertices; v++)
        if (chosen[v] != NO_EDGE)
            is_in_tree[chosen[v]] = 1;
    free(chosen);
    return is_in_tree;
}

/* ---- the program ------------------------------------------------------------------------------ */

static void describe(void *self, struct trials *trials)
{
    const struct mst *mst = self;
    snprintf(trials->variant, sizeof trials->variant, "%s", mst->sections.form->name);
    trials->work = (double)mst->edges.n;
    part_describe(&mst->part, mst->options.seed, mst->edges.n, trials);
    trials_add_number(trials, "groups", mst->sections.n_groups);
}

static void result(void *self, struct trials *trials)
{
    struct mst *mst = self;
    cl_uint *is_in_tree = read_tree(mst);
    mst->n_tree = 0;
    mst->tree_weight = 0;
    for (uint64_t e = 0; e < mst->edges.n; e++)
        if (is_in_tree[e]) {
            mst->n_tree++;
            mst->tree_weight += edge_weight(mst, e);
        }
    free(is_in_tree);
    trials_add_number(trials, "rounds", mst->n_rounds);
    trials_add_number(trials, "offers", mst->n_offers);
    trials_add_number(trials, "tree_edges", mst->n_tree);
    trials_add_real(trials, "tree_weight", mst->tree_weight);
    trials_add_real(trials, "section_seconds", mst->section_s);
    trials_say(trials,
               "  %llu edges of weight %.10g; %llu offers in %llu rounds, sections %.6f s\n",
               (unsigned long long)mst->n_tree, mst->tree_weight, (unsigned long long)mst->n_offers,
               (unsigned long long)mst->n_rounds, mst->section_s);
}

static const struct app app = {
    .name = "mst",
    .unit = "edges/s",
    .doc = "Find a graph's minimum spanning tree, or one for each of its parts, with a critical "
           "section for each component. Directions of edges and loops do not count.",
    .group_items = SECTIONS_GROUP,
    .groups = {SECTIONS_OPTIONS_GROUP(offsetof(struct mst, sections)),
               GRAPH_OPTIONS_GROUP(offsetof(struct mst, part.options))},
    APP_FIELDS(struct mst),
    .open = open_node,
    .reset = reset,
    .run = run,
    .describe = describe,
    .result = result,
    .check = check_tree,
    .close = close_node};

int main(int argc, char **argv)
{
    struct mst mst = {.sections = SECTIONS_WITHOUT(" nested atomic"),
                      .part.options = GRAPH_OPTIONS_DEFAULT};
    return app_main(&app, &mst, argc, argv);
}
