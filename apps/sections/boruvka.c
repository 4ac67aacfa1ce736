/* SPDX-License-Identifier: MIT */
/*
 * Minimum spanning trees by Boruvka's algorithm, with a critical section for each component. Edges have no direction,
 * and weights that are drawn.
 *
 * Path:    main -> form.c -> boruvka.cl -> check
 * Owner:   set_up makes what close_all frees; the rest is the node's.
 * Threads: main's.
 * Source:  Boruvka 1926; Wang, Fussell, Lin 2019, section 4 (MST).
 */
#include "graph/node_part.h"
#include "sections/form.h"
#include "sections/kruskal.h"

#include <string.h>

extern const char boruvka_cl[];

/* As boruvka.cl has them. */
struct entry {
    cl_uint neighbour, weight, edge;
};
struct offer {
    cl_uint component, weight, edge;
};
struct edge {
    cl_uint from, to, weight;
};

struct boruvka {
    struct options options;
    struct node node;
    struct sections sections;
    struct graph_part part; /* undirected: an edge is in the rows of both its ends */
    uint64_t n_edges;       /* each once */
    struct edge *list;      /* [n_edges] */
    cl_kernel begin, offer, lightest, hang, relabel;
    cl_mem vertices[2], count; /* vertices that offer, by parity of rounds */
    cl_mem is_in;              /* [n_edges] of the tree */
    uint64_t n_rounds;
};

/* ---- set-up -------------------------------------------------------------------------------------- */

/* Numbers edges, in rows that ascend: those to lesser neighbours come first in a row. */
static cl_mem number_edges(struct boruvka *mst)
{
    const struct graph *rows = &mst->part.rows;
    struct entry *entries = app_array(rows->n_edges, sizeof *entries, "edges");
    uint64_t *next = app_array(rows->n_vertices, sizeof *next, "rows");
    mst->list = app_array(rows->n_edges / 2, sizeof *mst->list, "edges");
    memcpy(next, rows->offsets, rows->n_vertices * sizeof *next);
    for (uint32_t u = 0; u < rows->n_vertices; u++)
        for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++) {
            const cl_uint v = rows->neighbours[e], weight = rows->weights[e].as_uint;
            const cl_uint number = (cl_uint)mst->n_edges;
            if (v < u)
                continue;
            entries[e] = (struct entry){v, weight, number};
            entries[next[v]++] = (struct entry){u, weight, number};
            mst->list[mst->n_edges++] = (struct edge){u, v, weight};
        }
    free(next);
    return node_upload(&mst->node, rows->n_edges * sizeof *entries, entries);
}

static void make_kernels(struct boruvka *mst)
{
    struct node *node = &mst->node;
    const struct graph *rows = &mst->part.rows;
    const uint64_t n = rows->n_vertices, bytes = n * sizeof(cl_uint);
    cl_mem entries = number_edges(mst);
    cl_mem list = node_array(node, mst->n_edges * sizeof *mst->list, mst->list);
    cl_mem offsets = node_array(node, (n + 1) * sizeof *rows->offsets, rows->offsets);
    cl_mem components = node_array(node, bytes, NULL), parents = node_array(node, bytes, NULL);
    cl_mem offers = node_array(node, n * sizeof(struct offer), NULL);
    mst->count = node_array(node, sizeof(cl_uint), NULL);
    mst->is_in = node_array(node, mst->n_edges * sizeof(cl_uint), NULL);
    for (int side = 0; side < 2; side++)
        mst->vertices[side] = node_array(node, bytes, NULL);
    mst->begin = sections_kernel(&mst->sections, "begin");
    mst->offer = sections_kernel(&mst->sections, "offer");
    mst->lightest = sections_kernel_of_form(&mst->sections, "lightest");
    mst->hang = sections_kernel(&mst->sections, "hang");
    mst->relabel = sections_kernel(&mst->sections, "relabel");
    SECTIONS_SET(&mst->sections, mst->begin, ARRAY(components), ARRAY(parents),
                 ARRAY(mst->vertices[0]));
    SECTIONS_SET(&mst->sections, mst->offer, ARRAY(mst->vertices[0]), ARRAY(mst->vertices[1]),
                 ARRAY(offsets), ARRAY(entries), ARRAY(components), ARRAY(offers),
                 ARRAY(mst->count));
    SECTIONS_SET(&mst->sections, mst->lightest, ARRAY(offers));
    SECTIONS_SET(&mst->sections, mst->hang, ARRAY(list), ARRAY(components), ARRAY(parents),
                 ARRAY(mst->is_in));
    SECTIONS_SET(&mst->sections, mst->relabel, ARRAY(components), ARRAY(parents));
}

static void set_up(void *self)
{
    static const struct gravel_handler handler = {
        .name = "lightest", .n_args = 2, .serve = {.n_keys = 1}};
    struct boruvka *mst = self;
    part_survey(&mst->part, mst->options.seed, (struct part_wish){.is_undirected = true});
    const uint64_t bytes = 4 * mst->part.survey.n_vertices;
    sections_open(
        &mst->sections, &mst->node,
        &(struct sections_program){"boruvka.cl", boruvka_cl, &handler, 1, {bytes, bytes, bytes}});
    node_part(&mst->node, &mst->part);
    graph_draw_weights(&mst->part.rows, 0, mst->options.seed);
    make_kernels(mst);
}

static void close_all(void *self)
{
    struct boruvka *mst = self;
    free(mst->list);
    part_close(&mst->part);
}

/* ---- trials -------------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct boruvka *mst = self;
    node_fill(&mst->node, mst->is_in, 0, mst->n_edges * sizeof(cl_uint));
    sections_enqueue(&mst->sections, mst->begin, mst->part.rows.n_vertices);
    node_finish(&mst->node);
}

/* Lets n vertices offer. @return  how many have an edge to another component. */
static uint64_t offer(struct boruvka *mst, uint64_t n)
{
    const unsigned side = mst->n_rounds % 2;
    cl_uint n_offers;
    SECTIONS_SET(&mst->sections, mst->offer, ARRAY(mst->vertices[side]),
                 ARRAY(mst->vertices[!side]));
    node_fill(&mst->node, mst->count, 0, sizeof n_offers);
    sections_enqueue(&mst->sections, mst->offer, n);
    node_read(&mst->node, mst->count, sizeof n_offers, &n_offers);
    return n_offers;
}

static void run(void *self)
{
    struct boruvka *mst = self;
    const uint64_t n_vertices = mst->part.rows.n_vertices;
    uint64_t n = n_vertices;
    for (mst->n_rounds = 0; (n = offer(mst, n)) != 0; mst->n_rounds++) {
        sections_run(&mst->sections, mst->lightest, n);
        sections_enqueue(&mst->sections, mst->hang, n_vertices);
        sections_enqueue(&mst->sections, mst->relabel, n_vertices);
    }
}

static void describe(void *self, struct trials *trials)
{
    const struct boruvka *mst = self;
    sections_describe(&mst->sections, trials, mst->n_edges, "%s", "");
    part_describe(&mst->part, mst->options.seed, mst->n_edges, trials);
    trials_add_number(trials, "rounds", mst->n_rounds);
}

static uint64_t check(void *self, struct trials *trials)
{
    struct boruvka *mst = self;
    const uint64_t n = mst->n_edges;
    cl_uint *is_in = app_array(n, sizeof *is_in, "the check");
    struct kruskal_edge *edges = app_array(n, sizeof *edges, "the check");
    uint64_t n_wrong = 0;
    node_read(&mst->node, mst->is_in, n * sizeof *is_in, is_in);
    for (uint64_t e = 0; e < n; e++)
        edges[e] =
            (struct kruskal_edge){mst->list[e].weight, e, mst->list[e].from, mst->list[e].to};
    const double begin_s = trials_clock();
    uint8_t *expected = kruskal(edges, n, mst->part.rows.n_vertices);
    trials_add_serial(trials, "Kruskal, serial", begin_s);
    for (uint64_t e = 0; e < n; e++)
        n_wrong += is_in[e] != expected[e];
    free(expected);
    free(edges);
    free(is_in);
    return n_wrong;
}

/* ---- the program ------------------------------------------------------------------------------ */

static const struct app app = {
    .name = "boruvka",
    .unit = "edges/s",
    .doc = "Find a graph's minimum spanning tree, or one for each of its parts, with a critical "
           "section for each component, on one node. Weights are drawn.",
    .close = close_all,
    SECTIONS_APP(struct boruvka, GRAPH_OPTIONS_GROUP(offsetof(struct boruvka, part.options)))};

int main(int argc, char **argv)
{
    struct boruvka boruvka = {.sections = {.without = "atomic", .is_of_one_node = true},
                              .part.options = GRAPH_OPTIONS_DEFAULT};
    return app_main(&app, &boruvka, argc, argv);
}
