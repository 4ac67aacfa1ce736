/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths from one vertex as the dissertation measures them: in a round each vertex that came nearer sends a message
 * along each of its edges, to own vertices too, in any model's way. With --schedule one node's vertices are tasks that
 * groups steal from each other. The library of graphs has the fast form.
 *
 * How many vertices came nearer is summed over all nodes before any sends, so rounds are the same on any number of nodes.
 *
 * Path:    main -> open_node -> search -> sssp.cl -> check
 * Owner:   open_node makes what close_node and node_close free.
 * Threads: main's.
 * Source:  Che et al., Pannotia, 2013; Orr 2016, section 5.4.2; Orr et al. 2015, section 5.3.
 */
#include "frame/app.h"
#include "frame/tasks.h"
#include "graph/node_part.h"
#include "graph/serial.h"

#include <math.h>
#include <stdlib.h>

#define FAR UINT32_MAX

struct sssp {
    struct options options;
    struct node node;
    struct graph_part part;
    uint64_t source;
    uint64_t distances; /* heap offset of uint [block] */
    uint64_t longest;   /* row, 1 at least [edges] */
    cl_kernel gather, relax, relax_tasks;
    cl_mem offsets, to, weights, offered, n_front;
    cl_mem front; /* or, with --schedule, distances */
    struct tasks tasks;
    uint64_t n_rounds; /* of the last search */
    cl_uint *found;    /* [own vertices] distances, of the last that was read */
};

/* ---- open and close -------------------------------------------------------------------------- */

static void prepare(struct sssp *sssp)
{
    extern const char sssp_cl[];
    struct node *node = &sssp->node;
    const struct graph_part *part = &sssp->part;
    node_build(node, "sssp.cl", sssp_cl, node->schedule ? "-DHAS_TASKS" : "");
    if (node->schedule) {
        tasks_open_stretches(&sssp->tasks, node, part->rows.n_vertices);
        sssp->relax_tasks = node_kernel(node, "relax_tasks");
        NODE_SET(sssp->relax_tasks, 1, UINT(part->rows.n_vertices), ARRAY(sssp->offsets),
                 ARRAY(sssp->to), ARRAY(sssp->weights), ARRAY(sssp->offered), ARRAY(sssp->front),
                 ARRAY(sssp->n_front));
        return;
    }
    sssp->gather = node_kernel(node, "gather");
    NODE_SET(sssp->gather, 2, ULONG(sssp->distances), ARRAY(sssp->offered), ARRAY(sssp->front),
             ARRAY(sssp->n_front));
    sssp->relax = node_kernel(node, "relax");
    NODE_SET(sssp->relax, 3, ULONG(sssp->distances), UINT(part->partition.block),
             ARRAY(sssp->front), ARRAY(sssp->offsets), ARRAY(sssp->to), ARRAY(sssp->weights),
             ARRAY(sssp->offered));
}

static void open_node(void *self)
{
    struct sssp *sssp = self;
    struct node *node = &sssp->node;
    struct graph_part *part = &sssp->part;
    const struct graph *rows = &part->rows;
    if (node->schedule && node->model != model_gravel)
        die("--schedule: distances are lowered in place and nothing is sent: no --model");
    part_survey(part, sssp->options.seed, (struct part_wish){.refuse_negative = true});
    if (part->survey.weights_are == GRAPH_FLOAT)
        die("%s: weights are not whole numbers: apps/sssp takes such", part->options.file);
    /* Asks for what one node needs: only an open node knows how many there are. */
    node_open(node, part->survey.n_vertices * sizeof(cl_uint));
    node_part(node, part);
    graph_draw_weights(&part->rows, part->first, sssp->options.seed);
    sssp->source = node_part_draw_source(node, part, sssp->options.seed);
    for (uint64_t u = 0; u < rows->n_vertices; u++)
        sssp->longest =
            graph_degree(rows, u) > sssp->longest ? graph_degree(rows, u) : sssp->longest;
    const size_t vertices_bytes = rows->n_vertices * sizeof(cl_uint),
                 edges_bytes = rows->n_edges * sizeof(cl_uint);
    TRY(gravel_alloc(node->gravel, part->partition.block * sizeof(cl_uint), &sssp->distances));
    sssp->offsets = node_part_offsets(node, part);
    sssp->to = node_array(node, edges_bytes, rows->neighbours);
    sssp->weights = node_array(node, edges_bytes, rows->weights);
    sssp->offered = node_array(node, vertices_bytes, NULL);
    sssp->front = node_array(node, vertices_bytes, NULL);
    sssp->n_front = node_array(node, sizeof(cl_uint), NULL);
    sssp->found = app_array(rows->n_vertices, sizeof *sssp->found, "distances");
    prepare(sssp);
}

static void close_node(void *self)
{
    struct sssp *sssp = self;
    tasks_close(&sssp->tasks);
    part_close(&sssp->part);
    free(sssp->found);
}

/* ---- a trial --------------------------------------------------------------------------------- */

/* The source is at 0, and all other vertices are out of reach. */
static void reset(void *self)
{
    static const cl_uint zero;
    struct sssp *sssp = self;
    struct node *node = &sssp->node;
    const struct partition *partition = &sssp->part.partition;
    const uint64_t n = sssp->part.rows.n_vertices,
                   at = partition_index(partition, sssp->source) * sizeof zero;
    const bool is_own = partition_has(partition, node->number, sssp->source);
    node_fill(node, sssp->offered, FAR, n * sizeof zero);
    if (node->schedule) {
        node_fill(node, sssp->front, FAR, n * sizeof zero);
        node_write(node, sssp->front, at, sizeof zero, &zero);
        TRY(gravel_steal_stats_reset(sssp->tasks.steal));
    } else {
        node_fill_heaps(node, sssp->distances, n, FAR);
        if (is_own)
            TRY(gravel_fill(node->gravel, sssp->distances + at, sizeof zero, &zero, sizeof zero,
                            node->number));
    }
    node_finish(node);
    TRY(gravel_barrier(node->gravel));
}

/* Has the vertices that came nearer listed, or, as tasks, relaxed. @return  how many at this node */
static uint64_t find_nearer(struct sssp *sssp)
{
    cl_uint n_front;
    node_fill(&sssp->node, sssp->n_front, 0, sizeof n_front);
    if (sssp->node.schedule)
        tasks_run(&sssp->tasks, sssp->relax_tasks);
    else
        node_run(&sssp->node, sssp->gather, sssp->part.rows.n_vertices);
    node_read(&sssp->node, sssp->n_front, sizeof n_front, &n_front);
    return n_front;
}

static void search(void *self)
{
    struct sssp *sssp = self;
    struct node *node = &sssp->node;
    const struct node_bound bound = {.n_messages = sssp->longest, .message_bytes = 8};
    uint64_t n_front = find_nearer(sssp);
    for (sssp->n_rounds = 0; node_sum(node, n_front); sssp->n_rounds++) {
        if (!node->schedule) {
            node_send(node, sssp->relax, node_full(node, sssp->relax, n_front), bound);
            TRY(gravel_barrier(node->gravel));
        }
        n_front = find_nearer(sssp);
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

/* The search that warmed up shows which vertices are reached. */
static void describe(void *self, struct trials *trials)
{
    struct sssp *sssp = self;
    const struct graph *rows = &sssp->part.rows;
    uint64_t n_edges = 0, n_reached = 0;
    node_read(&sssp->node, sssp->offered, rows->n_vertices * sizeof *sssp->found, sssp->found);
    for (uint64_t u = 0; u < rows->n_vertices; u++) {
        n_edges += sssp->found[u] == FAR ? 0 : graph_degree(rows, u);
        n_reached += sssp->found[u] != FAR;
    }
    n_edges = node_sum(&sssp->node, n_edges);
    trials->work = (double)n_edges;
    part_describe(&sssp->part, sssp->options.seed, sssp->part.survey.n_edges, trials);
    trials_add_number(trials, "source", sssp->source);
    trials_add_number(trials, "rounds", sssp->n_rounds);
    trials_add_number(trials, "reached_vertices", node_sum(&sssp->node, n_reached));
    trials_add_number(trials, "reached_edges", n_edges);
}

static void result(void *self, struct trials *trials)
{
    struct sssp *sssp = self;
    tasks_report(&sssp->tasks, trials);
}

/* Compares with Dijkstra's distances. @return  this node's vertices with a wrong one [count] */
static uint64_t check(void *self, struct trials *trials)
{
    struct sssp *sssp = self;
    const uint64_t n = sssp->part.rows.n_vertices, first = sssp->part.first;
    struct graph whole;
    uint64_t n_wrong = 0;
    part_whole(&whole, &sssp->part);
    graph_draw_weights(&whole, 0, sssp->options.seed);
    const double begin_s = trials_clock();
    double *distances = serial_distances(&whole, sssp->source);
    trials_add_serial(trials, "Dijkstra, serial", begin_s);
    node_read(&sssp->node, sssp->offered, n * sizeof *sssp->found, sssp->found);
    for (uint64_t i = 0; i < n; i++)
        n_wrong += sssp->found[i] == FAR ? !isinf(distances[first + i])
                                         : (double)sssp->found[i] != distances[first + i];
    free(distances);
    graph_free(&whole);
    return n_wrong;
}

static const struct app_option own_options[] = {
    TASKS_OPTION(struct sssp, node,
                 "Share the vertices out to groups' deques, on one node, by this policy of "
                 "GRAVEL_STEAL_POLICY"),
    {0}};

static const struct app app = {
    .name = "sssp",
    .unit = "edges/s",
    .doc = "Find the shortest paths from one vertex of a graph to all others by a message along "
           "every edge, and say how many edges a second that took.",
    .groups = {{"SSSP:", 1, own_options, 0},
               GRAPH_OPTIONS_GROUP(offsetof(struct sssp, part.options))},
    .has_models = true,
    APP_FIELDS(struct sssp),
    .open = open_node,
    .reset = reset,
    .run = search,
    .describe = describe,
    .result = result,
    .check = check,
    .close = close_node};

int main(int argc, char **argv)
{
    struct sssp sssp = {.part.options = GRAPH_OPTIONS_DEFAULT, .longest = 1};
    return app_main(&app, &sssp, argc, argv);
}
