/* SPDX-License-Identifier: MIT */
/*
 * Maximum flows by push-relabel, with a critical section for each vertex.
 *
 * Served, the handler of an active vertex wakes its neighbours by messages of its own, so that the messages are the
 * list of what is to be done; with locks a list is made for each launch.
 *
 * Rounds: exact heights, and then active vertices are discharged until none is left, or so many have risen that exact
 * heights are worth their time. What cannot reach the sink stays where it is: the result is a preflow and a least cut.
 *
 * The network is a mesh as the Washington generator's: each vertex has an arc to the nearest three of the next row,
 * which wraps around; the source, vertex 0, has one to each of the first row, and each of the last row one to the sink,
 * the last vertex.
 *
 * Path:    main -> form.c -> maxflow.cl -> check
 * Owner:   set_up makes what close_all frees; the rest is the node's.
 * Threads: main's.
 * Source:  Goldberg and Tarjan 1988; Cherkassky and Goldberg, On Implementing the Push-Relabel Method for the Maximum
 * Flow Problem, 1997 (global relabeling); Wang, Fussell, Lin 2019, section 4 (MF); first DIMACS challenge, 1991.
 */
#include "frame/random.h"
#include "graph/build.h"
#include "sections/form.h"

#include <stdlib.h>

#define NEAREST 3u                       /* arcs to the next row */
#define MOST_SUPPLY UINT32_C(0x7fffffff) /* of the source, so that an excess fits a word */

extern const char maxflow_cl[];

/* As maxflow.cl has them. */
enum { OFFSETS, ARCS, VERTICES, N_RELABELS, N_ARRAYS };
struct arc {
    cl_uint to, twin, capacity, room, incoming;
};
struct vertex {
    cl_uint height, excess, is_active, lock;
};

struct maxflow {
    struct options options;
    struct node node;
    struct sections sections;
    uint64_t rows, columns, most_capacity;
    uint64_t n, n_arcs; /* vertices: source, rows, sink; arcs, with twins */
    cl_uint *offsets;   /* [n + 1] of rows */
    struct arc *arcs;   /* [n_arcs] as they begin: those of the source are full */
    cl_kernel receive, step_back, collect, discharge;
    cl_mem lists[2], count;     /* vertices [n] */
    uint64_t n_rounds, n_wrong; /* of the last trial */
};

/* ---- the network ------------------------------------------------------------------------------ */

static void list_mesh(const void *source, struct block_range all, graph_visit *visit, void *context)
{
    const struct maxflow *maxflow = source;
    const uint64_t columns = maxflow->columns, n = maxflow->rows * columns;
    const uint64_t key = random_key(maxflow->options.seed), most = maxflow->most_capacity;
    uint64_t i = 0;
    (void)all;
    for (uint64_t column = 1; column <= columns; column++) {
        const union graph_weight capacity = {(uint32_t)(NEAREST * most)};
        visit(context, (struct graph_edge){0, (uint32_t)column, capacity});
        visit(context,
              (struct graph_edge){(uint32_t)(n - columns + column), (uint32_t)n + 1, capacity});
    }
    for (uint64_t vertex = 0; vertex < n - columns; vertex++)
        for (uint64_t side = 0; side < NEAREST && side < columns; side++, i++) {
            const uint64_t column = (vertex % columns + columns + side - 1) % columns;
            const uint64_t to = vertex - vertex % columns + columns + column;
            const union graph_weight capacity = {(uint32_t)(1 + random_at(key, i) % most)};
            visit(context, (struct graph_edge){(uint32_t)vertex + 1, (uint32_t)to + 1, capacity});
        }
}

/* Puts each arc into the row of its tail, and its twin, without capacity, into the row of its head. */
static void make_arcs(struct maxflow *maxflow, const struct graph *graph)
{
    const uint64_t n = graph->n_vertices;
    cl_uint *next = app_array(n, sizeof *next, "the network");
    maxflow->n = n;
    maxflow->n_arcs = 2 * graph->n_edges;
    maxflow->offsets = app_array(n + 1, sizeof *maxflow->offsets, "the network");
    maxflow->arcs = app_array(maxflow->n_arcs, sizeof *maxflow->arcs, "the network");
    for (uint64_t u = 0; u < n; u++)
        maxflow->offsets[u + 1] += (cl_uint)graph_degree(graph, u);
    for (uint64_t e = 0; e < graph->n_edges; e++)
        maxflow->offsets[graph->neighbours[e] + 1]++;
    for (uint64_t u = 0; u < n; u++) {
        next[u] = maxflow->offsets[u];
        maxflow->offsets[u + 1] += maxflow->offsets[u];
    }
    for (cl_uint u = 0; u < n; u++)
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++) {
            const cl_uint v = graph->neighbours[e], capacity = graph->weights[e].as_uint;
            const cl_uint there = next[u]++, back = next[v]++, pushed = u == 0 ? capacity : 0;
            maxflow->arcs[there] = (struct arc){v, back, capacity, capacity - pushed, 0};
            maxflow->arcs[back] = (struct arc){u, there, 0, 0, pushed};
        }
    free(next);
}

static void make_network(struct maxflow *maxflow)
{
    const uint64_t supply = NEAREST * maxflow->columns * maxflow->most_capacity;
    const struct block_range whole = {0, maxflow->rows * maxflow->columns + 2};
    const struct graph_stream mesh = {
        .list = list_mesh, .source = maxflow, .n_items = 1, .weights_are = GRAPH_UINT};
    struct graph graph;
    if (supply > MOST_SUPPLY)
        die("the source's arcs have a capacity of %llu together, at most %u",
            (unsigned long long)supply, MOST_SUPPLY);
    graph_build_rows(&graph, whole, &mesh);
    make_arcs(maxflow, &graph);
    graph_free(&graph);
}

/* ---- set-up -------------------------------------------------------------------------------------- */

static void put(const struct maxflow *maxflow, uint32_t array, const void *data, uint64_t bytes)
{
    TRY(gravel_put(maxflow->node.gravel, maxflow->sections.at[array], data, bytes, 0));
    TRY(gravel_quiet(maxflow->node.gravel));
}

static void set_up(void *self)
{
    struct maxflow *maxflow = self;
    struct sections *sections = &maxflow->sections;
    make_network(maxflow);
    const uint64_t n = maxflow->n, offsets_bytes = (n + 1) * sizeof *maxflow->offsets;
    const uint64_t arcs_bytes = maxflow->n_arcs * sizeof(struct arc);
    const struct gravel_handler handler = {
        .name = "discharge",
        .n_args = 1,
        .serve = {.n_keys = 1, .max_pending = n}}; /* one message a vertex may wait */
    sections_open(sections, &maxflow->node,
                  &(struct sections_program){
                      "maxflow.cl",
                      maxflow_cl,
                      &handler,
                      1,
                      {offsets_bytes, arcs_bytes, n * sizeof(struct vertex), sizeof(cl_uint)}});
    TRY(gravel_set_constant(maxflow->node.gravel, N_ARRAYS, n));
    put(maxflow, OFFSETS, maxflow->offsets, offsets_bytes);
    for (int side = 0; side < 2; side++)
        maxflow->lists[side] = node_array(&maxflow->node, n * sizeof(cl_uint), NULL);
    maxflow->count = node_array(&maxflow->node, sizeof(cl_uint), NULL);
    maxflow->receive = sections_kernel(sections, "receive");
    maxflow->step_back = sections_kernel(sections, "step_back");
    maxflow->collect = sections_kernel(sections, "collect");
    maxflow->discharge = sections_kernel_of_form(sections, "discharge");
}

static void close_all(void *self)
{
    struct maxflow *maxflow = self;
    free(maxflow->offsets);
    free(maxflow->arcs);
}

/* ---- rounds ----------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct maxflow *maxflow = self;
    put(maxflow, ARCS, maxflow->arcs, maxflow->n_arcs * sizeof(struct arc));
    sections_fill(&maxflow->sections, VERTICES, maxflow->n * sizeof(struct vertex) / 4, 0);
}

/* Runs a kernel for n vertices, of a list or all. @return  how many it has put on the other list. */
static uint64_t launch(struct maxflow *maxflow, cl_kernel kernel, uint64_t n, unsigned list,
                       uint32_t height)
{
    cl_uint n_next;
    node_fill(&maxflow->node, maxflow->count, 0, sizeof n_next);
    SECTIONS_SET(&maxflow->sections, kernel, UINT(maxflow->n), ARRAY(maxflow->lists[list]),
                 ARRAY(maxflow->lists[!list]), ARRAY(maxflow->count), UINT(height));
    if (kernel == maxflow->discharge)
        sections_run(&maxflow->sections, kernel, n);
    else
        sections_enqueue(&maxflow->sections, kernel, n);
    node_read(&maxflow->node, maxflow->count, sizeof n_next, &n_next);
    return n_next;
}

/* Makes heights the distances to the sink. */
static void find_heights(struct maxflow *maxflow)
{
    const cl_uint sink = (cl_uint)maxflow->n - 1;
    uint64_t n = 1;
    launch(maxflow, maxflow->receive, maxflow->n, 0, 0);
    node_write(&maxflow->node, maxflow->lists[0], 0, sizeof sink, &sink);
    for (uint32_t height = 1; n; height++)
        n = launch(maxflow, maxflow->step_back, n, height % 2 == 0, height);
}

/* Returns how often vertices have risen since heights were exact. */
static cl_uint n_relabels(const struct maxflow *maxflow)
{
    cl_uint n;
    TRY(gravel_get(maxflow->node.gravel, maxflow->sections.at[N_RELABELS], &n, sizeof n, 0));
    return n;
}

static void run(void *self)
{
    struct maxflow *maxflow = self;
    uint64_t n;
    maxflow->n_rounds = 0;
    find_heights(maxflow);
    while ((n = launch(maxflow, maxflow->collect, maxflow->n, 1, 0)) != 0) {
        /* Served, until no vertex is active; else list after list. */
        for (unsigned list = 0; n && n_relabels(maxflow) < maxflow->n; list = !list)
            n = launch(maxflow, maxflow->discharge, n, list, 0);
        find_heights(maxflow);
        maxflow->n_rounds++;
    }
}

static void describe(void *self, struct trials *trials)
{
    const struct maxflow *maxflow = self;
    sections_describe(&maxflow->sections, trials, maxflow->n_arcs / 2, "mesh %llu x %llu",
                      (unsigned long long)maxflow->rows, (unsigned long long)maxflow->columns);
}

/* ---- check: a preflow, and a cut with its capacity, prove each other ---------------------------------- */

/* Checks capacities, and that each vertex's inflow less its outflow is its excess; that of the source is below 0. */
static uint64_t check_flow(const struct maxflow *maxflow, const struct arc *arcs,
                           const struct vertex *vertices)
{
    uint64_t n_wrong = 0;
    for (uint64_t v = 0; v < maxflow->n; v++) {
        int64_t sum = 0;
        for (uint64_t a = maxflow->offsets[v]; a < maxflow->offsets[v + 1]; a++) {
            const struct arc *arc = &arcs[a], *twin = &arcs[arc->twin];
            n_wrong += (uint64_t)arc->room + twin->room != (uint64_t)arc->capacity + twin->capacity;
            sum += (int64_t)arc->room - (int64_t)arc->capacity;
        }
        n_wrong += v == 0 ? sum > 0 : sum != (int64_t)vertices[v].excess;
    }
    return n_wrong;
}

/* Finds the vertices with a way to the sink along arcs with room. @return [vertices], to be freed */
static uint8_t *find_reach(const struct maxflow *maxflow, const struct arc *arcs)
{
    uint8_t *reaches = app_array(maxflow->n, sizeof *reaches, "the check");
    cl_uint *queue = app_array(maxflow->n, sizeof *queue, "the check");
    uint64_t n = 1;
    queue[0] = (cl_uint)maxflow->n - 1;
    reaches[queue[0]] = 1;
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t a = maxflow->offsets[queue[i]]; a < maxflow->offsets[queue[i] + 1]; a++)
            if (arcs[arcs[a].twin].room && !reaches[arcs[a].to]) {
                reaches[arcs[a].to] = 1;
                queue[n++] = arcs[a].to;
            }
    free(queue);
    return reaches;
}

/* Adds the flow to the report, and checks it. */
static void result(void *self, struct trials *trials)
{
    struct maxflow *maxflow = self;
    const uint64_t n = maxflow->n, n_arcs = maxflow->n_arcs;
    struct arc *arcs = sections_read(&maxflow->sections, ARCS, n_arcs * sizeof *arcs, 0);
    struct vertex *vertices = sections_read(&maxflow->sections, VERTICES, n * sizeof *vertices, 0);
    uint8_t *reaches = find_reach(maxflow, arcs);
    const uint64_t flow = vertices[n - 1].excess;
    uint64_t cut = 0;
    for (uint64_t a = 0; a < n_arcs; a++)
        cut += !reaches[arcs[arcs[a].twin].to] && reaches[arcs[a].to] ? arcs[a].capacity : 0;
    maxflow->n_wrong = check_flow(maxflow, arcs, vertices) + reaches[0] + (flow != cut);
    trials_add_number(trials, "flow", flow);
    trials_add_number(trials, "rounds", maxflow->n_rounds);
    trials_say(trials, "  flow %llu, in %llu rounds\n", (unsigned long long)flow,
               (unsigned long long)maxflow->n_rounds);
    free(arcs);
    free(vertices);
    free(reaches);
}

static uint64_t check(void *self, struct trials *trials)
{
    const struct maxflow *maxflow = self;
    (void)trials;
    return maxflow->n_wrong;
}

/* ---- the program ------------------------------------------------------------------------------ */

static const struct app_option own_options[] = {
    {"rows", 0, "N", "A mesh of N rows (64)", OPTION_NUMBER(struct maxflow, rows, 1, 1 << 14)},
    {"columns", 0, "N", "of N vertices each (64)",
     OPTION_NUMBER(struct maxflow, columns, 1, 1 << 14)},
    {"capacity", 0, "N", "Arcs have capacities from 1 to N (1000)",
     OPTION_NUMBER(struct maxflow, most_capacity, 1, 1000000)},
    {0}};

static const struct app app = {
    .name = "maxflow",
    .unit = "arcs/s",
    .doc = "Find the maximum flow of a network by push-relabel, with a critical section for each "
           "vertex, on one node.",
    .result = result,
    .close = close_all,
    SECTIONS_APP(struct maxflow, {"Network:", 1, own_options, 0})};

int main(int argc, char **argv)
{
    struct maxflow maxflow = {.sections = {.without = "atomic", .is_of_one_node = true},
                              .rows = 64,
                              .columns = 64,
                              .most_capacity = 1000};
    return app_main(&app, &maxflow, argc, argv);
}
