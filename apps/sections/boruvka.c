/* SPDX-License-Identifier: MIT */
/*
 * Minimum spanning trees by Boruvka's algorithm, with a critical section for each component. Edges have no direction,
 * and weights that are drawn.
 *
 * Path:    main -> form.c -> boruvka.cl -> check
 * Source:  Boruvka 1926; Wang, Fussell, Lin 2019, section 4 (MST).
 */
#include "frame/random.h"
#include "graph/part.h"
#include "sections/form.h"

#include <stdlib.h>

extern const char boruvka_cl[];

/* Packs an edge, the same in boruvka.cl: its weight, its lesser end and its greater end, from the highest bits on. */
#define VERTEX_BITS 28
#define EDGE(weight, from, to) \
    ((uint64_t)(weight) << 2 * VERTEX_BITS | (uint64_t)(from) << VERTEX_BITS | (to))
enum { EDGES, LOCKS };
struct offer {
    cl_ulong edge;
    cl_uint component, unused;
};

struct boruvka {
    struct options options;
    struct node node;
    struct sections sections;
    struct graph_part part; /* undirected: an edge is in the rows of both its ends */
    cl_uint *numbers;       /* of all vertices */
    cl_kernel offer, lightest, hang, relabel;
    cl_mem components, parents;
    cl_mem vertices[2], count; /* vertices that offer, by parity of rounds */
    cl_mem tree, n_tree;       /* edges [vertices at most], their number */
    uint64_t n_rounds;
};

/* ---- set-up -------------------------------------------------------------------------------------- */

static void make_kernels(struct boruvka *mst)
{
    struct node *node = &mst->node;
    const struct graph *rows = &mst->part.rows;
    const uint64_t n = rows->n_vertices, bytes = n * sizeof(cl_uint);
    cl_mem offsets = node_part_offsets(node, &mst->part);
    cl_mem neighbours = node_array(node, rows->n_edges * sizeof(cl_uint), rows->neighbours);
    cl_mem weights = node_array(node, rows->n_edges * sizeof(cl_uint), rows->weights);
    mst->components = node_array(node, bytes, NULL);
    mst->parents = node_array(node, bytes, NULL);
    cl_mem offers = node_array(node, n * sizeof(struct offer), NULL);
    mst->count = node_array(node, sizeof(cl_uint), NULL);
    mst->n_tree = node_array(node, sizeof(cl_uint), NULL);
    mst->tree = node_array(node, n * sizeof(cl_ulong), NULL);
    for (int side = 0; side < 2; side++)
        mst->vertices[side] = node_array(node, bytes, NULL);
    mst->offer = sections_kernel(&mst->sections, "offer");
    mst->lightest = sections_kernel_of_form(&mst->sections, "lightest");
    mst->hang = sections_kernel(&mst->sections, "hang");
    mst->relabel = sections_kernel(&mst->sections, "relabel");
    SECTIONS_SET(&mst->sections, mst->offer, ARRAY(mst->vertices[0]), ARRAY(mst->vertices[1]),
                 ARRAY(offsets), ARRAY(neighbours), ARRAY(weights), ARRAY(mst->components),
                 ARRAY(offers), ARRAY(mst->count));
    SECTIONS_SET(&mst->sections, mst->lightest, ARRAY(offers));
    SECTIONS_SET(&mst->sections, mst->hang, ARRAY(mst->components), ARRAY(mst->parents),
                 ARRAY(mst->tree), ARRAY(mst->n_tree));
    SECTIONS_SET(&mst->sections, mst->relabel, ARRAY(mst->components), ARRAY(mst->parents));
    mst->numbers = app_array(n, sizeof *mst->numbers, "vertices");
    for (uint32_t v = 0; v < n; v++)
        mst->numbers[v] = v;
}

static void set_up(void *self)
{
    static const struct gravel_handler handler = {
        .name = "lightest", .n_args = 2, .serve = {.n_keys = 1}};
    struct boruvka *mst = self;
    part_open(&mst->part, mst->options.seed,
              (struct part_wish){.is_undirected = true, .has_weights = true});
    const uint64_t n = mst->part.whole.n_vertices;
    if (n > UINT64_C(1) << VERTEX_BITS)
        die("%llu vertices are more than 2^%u", (unsigned long long)n, VERTEX_BITS);
    sections_open(
        &mst->sections, &mst->node,
        &(struct sections_program){"boruvka.cl", boruvka_cl, &handler, 1, {8 * n, 4 * n}});
    node_part(&mst->node, &mst->part, (struct block_range){0, n});
    make_kernels(mst);
}

static void close_all(void *self)
{
    struct boruvka *mst = self;
    free(mst->numbers);
    part_close(&mst->part);
}

/* ---- trials -------------------------------------------------------------------------------------- */

/* All vertices are components. */
static void reset(void *self)
{
    struct boruvka *mst = self;
    const uint64_t n = mst->part.rows.n_vertices;
    const cl_mem begun[] = {mst->components, mst->parents, mst->vertices[0]};
    for (int i = 0; i < 3; i++)
        node_write(&mst->node, begun[i], 0, n * sizeof *mst->numbers, mst->numbers);
    node_fill(&mst->node, mst->n_tree, 0, sizeof(cl_uint));
    node_fill_heaps(&mst->node, mst->sections.at[EDGES], 2 * n, UINT32_MAX);
    node_fill_heaps(&mst->node, mst->sections.at[LOCKS], n, 0);
}

/* Lets n vertices offer. @return  how many have an edge to another component. */
static uint64_t offer(struct boruvka *mst, uint64_t n)
{
    const unsigned side = mst->n_rounds % 2;
    cl_uint n_offers;
    SECTIONS_SET(&mst->sections, mst->offer, ARRAY(mst->vertices[side]),
                 ARRAY(mst->vertices[!side]));
    node_fill(&mst->node, mst->count, 0, sizeof n_offers);
    sections_enqueue(&mst->sections, mst->offer, n, 0);
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
        sections_enqueue(&mst->sections, mst->hang, n_vertices, 0);
        sections_enqueue(&mst->sections, mst->relabel, n_vertices, 0);
    }
}

static void describe(void *self, struct trials *trials)
{
    const struct boruvka *mst = self;
    part_describe(&mst->part, trials);
    sections_describe(&mst->sections, trials, mst->part.whole.n_edges / 2); /* each counts once */
    trials_add_number(trials, "rounds", mst->n_rounds);
}

/* Compares with Kruskal's tree, which takes the first of equal edges, whose numbers rise as their ends do: as many edges, and
 * the same sum of hashes. */
static uint64_t check(void *self, struct trials *trials)
{
    struct boruvka *mst = self;
    const struct graph *rows = &mst->part.rows;
    uint64_t sum = 0, n_right = 0;
    cl_uint n_tree;
    node_read(&mst->node, mst->n_tree, sizeof n_tree, &n_tree);
    cl_ulong *tree = app_array(n_tree, sizeof *tree, "the check");
    node_read(&mst->node, mst->tree, n_tree * sizeof *tree, tree);
    uint8_t *is_in = serial_forest(rows);
    (void)trials;
    for (uint64_t i = 0; i < n_tree; i++)
        sum += random_mix(tree[i]);
    for (uint32_t u = 0; u < rows->n_vertices; u++)
        for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++)
            if (is_in[e]) {
                sum -= random_mix(EDGE(rows->weights[e], u, rows->neighbours[e]));
                n_right++;
            }
    free(tree);
    free(is_in);
    return sum != 0 || n_tree != n_right;
}

/* ---- the program ------------------------------------------------------------------------------ */

static const struct app app = {
    .name = "boruvka",
    .unit = "edges/s",
    .doc = "Find a graph's minimum spanning tree, or one for each of its parts, with a critical "
           "section for each component, on one node. Weights are drawn.",
    .method = "Kruskal, serial",
    .close = close_all,
    SECTIONS_APP(struct boruvka, GRAPH_OPTIONS_GROUP(offsetof(struct boruvka, part.options)))};

int main(int argc, char **argv)
{
    struct boruvka boruvka = {.sections = {.without = "atomic", .is_of_one_node = true}};
    return app_main(&app, &boruvka, argc, argv);
}
