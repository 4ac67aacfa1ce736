/* SPDX-License-Identifier: MIT */
/*
 * Greedy colouring as the dissertation measures it: a vertex that has its colour sends it to each later neighbour, to own
 * ones too, in any model's way. With --schedule one node's vertices are tasks that groups steal from each other. The
 * library of graphs has the fast form.
 *
 * The order of vertices is random. A colour depends on the earlier neighbours alone, so it is the same on any number of
 * nodes. Every process has the whole graph while it lists where words arrive.
 *
 * Path:    main -> open_node -> run -> color.cl -> check
 * Owner:   open_node makes what close_node and node_close free.
 * Threads: main's.
 * Source:  Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Che et al., Pannotia, 2013; Orr 2016, section
 *          5.4.2; Orr et al. 2015, section 5.3.
 */
#include "frame/app.h"
#include "frame/random.h"
#include "frame/tasks.h"
#include "graph/greedy.h"
#include "graph/node_part.h"

#include <string.h>

struct color {
    struct options options;
    struct node node;
    struct graph_part part;
    uint64_t n_edges; /* of the whole graph, each counted at both ends */
    uint64_t words;   /* heap offset of uint [n_words]; with --schedule `own_words` has them */
    uint64_t n_words; /* earlier neighbours of own vertices */
    uint64_t longest; /* list of later neighbours, 1 at least */
    cl_kernel kernel;
    cl_mem starts, ends, later, own_words, colors, n_left;
    struct tasks tasks;
    uint64_t n_rounds; /* of the last trial */
};

/* ---- open and close -------------------------------------------------------------------------- */

/* Orders vertices; no two have one number. */
static uint64_t key_of(const void *seed, uint32_t vertex)
{
    return random_at(random_key(~*(const uint64_t *)seed), vertex); /* no edges were drawn by it */
}

static bool is_before(const struct color *color, uint32_t u, uint32_t v)
{
    return key_of(&color->options.seed, u) < key_of(&color->options.seed, v);
}

/* Lists where each own vertex' colour is to arrive: for each later neighbour the node, and which of its words. */
static void list(struct color *color)
{
    const struct partition *partition = &color->part.partition;
    const uint64_t n = color->part.rows.n_vertices, first = color->part.first;
    struct graph whole;
    part_whole(&whole, &color->part);
    uint32_t *starts = app_array(n + 1, sizeof *starts, "a list of vertices"),
             *ends = app_array(n + 1, sizeof *ends, "a list of vertices"), node = 0, at = 0,
             *next = app_array(n, sizeof *next, "a list of vertices");
    for (uint64_t i = 0; i < n; i++) {
        uint32_t n_before = 0;
        for (uint64_t e = whole.offsets[first + i]; e < whole.offsets[first + i + 1]; e++)
            n_before += is_before(color, whole.neighbours[e], (uint32_t)(first + i));
        const uint64_t n_later = graph_degree(&whole, first + i) - n_before;
        starts[i + 1] = starts[i] + n_before;
        ends[i + 1] = ends[i] + (uint32_t)n_later;
        color->longest = n_later > color->longest ? n_later : color->longest;
    }
    uint32_t(*later)[2] = app_array(ends[n], sizeof *later, "a list of edges");
    memcpy(next, ends, n * sizeof *next);
    for (uint64_t v = 0; v < whole.n_vertices; v++) {
        at = partition_owner(partition, v) == node ? at : 0;
        node = partition_owner(partition, v);
        for (uint64_t e = whole.offsets[v]; e < whole.offsets[v + 1]; e++) {
            const uint32_t u = whole.neighbours[e];
            if (!is_before(color, u, (uint32_t)v))
                continue;
            if (partition_has(partition, color->node.number, u)) {
                uint32_t *word = later[next[u - first]++];
                word[0] = node;
                word[1] = at;
            }
            at++;
        }
    }
    graph_free(&whole);
    free(next);
    color->n_words = starts[n];
    color->later = node_upload(&color->node, ends[n] * sizeof *later, later);
    color->starts = node_upload(&color->node, (n + 1) * sizeof *starts, starts);
    color->ends = node_upload(&color->node, (n + 1) * sizeof *ends, ends);
}

static void open_node(void *self)
{
    extern const char color_cl[];
    struct color *color = self;
    struct node *node = &color->node;
    const bool has_tasks = node->schedule;
    if (has_tasks && node->model != model_gravel)
        die("--schedule: colours are stored in place and nothing is sent: no --model");
    part_survey(&color->part, color->options.seed, (struct part_wish){.is_undirected = true});
    /* Asks for what one node needs: only an open node knows how many there are. */
    node_open(node, color->part.survey.n_edges * sizeof(cl_uint));
    node_part(node, &color->part);
    const uint64_t n = color->part.rows.n_vertices;
    color->n_edges = node_sum(node, color->part.rows.n_edges);
    list(color);
    part_forget_edges(&color->part);
    color->longest = node_most(node, color->longest);
    TRY(gravel_alloc(node->gravel, (node_most(node, color->n_words) + 1) * sizeof(cl_uint),
                     &color->words));
    color->own_words = node_array(node, has_tasks ? color->n_words * sizeof(cl_uint) : 0, NULL);
    color->colors = node_array(node, n * sizeof(cl_uint), NULL);
    color->n_left = node_array(node, sizeof(cl_uint), NULL);
    if (has_tasks)
        tasks_open_stretches(&color->tasks, node, n);
    node_build(node, "color.cl", color_cl, has_tasks ? "-DHAS_TASKS" : "");
    color->kernel = node_kernel(node, has_tasks ? "color_tasks" : "color");
    if (has_tasks)
        NODE_SET(color->kernel, 1, UINT(n), ARRAY(color->starts), ARRAY(color->ends),
                 ARRAY(color->later), ARRAY(color->own_words), ARRAY(color->colors),
                 ARRAY(color->n_left));
    else
        NODE_SET(color->kernel, 2, ULONG(color->words), ARRAY(color->starts), ARRAY(color->ends),
                 ARRAY(color->later), ARRAY(color->colors), ARRAY(color->n_left));
}

static void close_node(void *self)
{
    struct color *color = self;
    tasks_close(&color->tasks);
    part_close(&color->part);
}

/* ---- a trial --------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct color *color = self;
    struct node *node = &color->node;
    node_fill(node, color->colors, NO_COLOR, color->part.rows.n_vertices * sizeof(cl_uint));
    if (node->schedule) {
        node_fill(node, color->own_words, NO_COLOR, color->n_words * sizeof(cl_uint));
        TRY(gravel_steal_stats_reset(color->tasks.steal));
    } else {
        node_fill_heaps(node, color->words, color->n_words, NO_COLOR);
    }
    node_finish(node);
    TRY(gravel_barrier(node->gravel));
}

static void run(void *self)
{
    struct color *color = self;
    struct node *node = &color->node;
    const struct node_bound bound = {.n_messages = color->longest, .message_bytes = 8};
    cl_uint n_left = 1;
    for (color->n_rounds = 0; node_sum(node, n_left); color->n_rounds++) {
        node_fill(node, color->n_left, 0, sizeof n_left);
        if (node->schedule) {
            tasks_run(&color->tasks, color->kernel);
        } else {
            node_send(node, color->kernel, color->part.rows.n_vertices, bound);
            TRY(gravel_barrier(node->gravel));
        }
        node_read(node, color->n_left, sizeof n_left, &n_left);
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

static void describe(void *self, struct trials *trials)
{
    const struct color *color = self;
    trials->work = (double)color->n_edges;
    part_describe(&color->part, color->options.seed, color->n_edges, trials);
    trials_add_number(trials, "rounds", color->n_rounds);
}

static void result(void *self, struct trials *trials)
{
    struct color *color = self;
    tasks_report(&color->tasks, trials);
}

/* @return  this node's vertices with another colour than one after the other have [count] */
static uint64_t check(void *self, struct trials *trials)
{
    struct color *color = self;
    const uint64_t n = color->part.rows.n_vertices;
    struct graph whole;
    uint64_t n_wrong = 0;
    part_whole(&whole, &color->part);
    const double begin_s = trials_clock();
    uint32_t *right = greedy_colors(&whole, &color->options.seed, key_of);
    trials_add_serial(trials, "greedy, serial", begin_s);
    uint32_t *found = app_array(n, sizeof *found, "the check");
    node_read(&color->node, color->colors, n * sizeof *found, found);
    for (uint64_t i = 0; i < n; i++)
        n_wrong += found[i] != right[color->part.first + i];
    free(found);
    free(right);
    graph_free(&whole);
    return n_wrong;
}

static const struct app_option own_options[] = {
    TASKS_OPTION(struct color, node,
                 "Share the vertices out to groups' deques, on one node, by this policy of "
                 "GRAVEL_STEAL_POLICY"),
    {0}};

static const struct app app = {
    .name = "color",
    .unit = "edges/s",
    .doc = "Colour the vertices of a graph so that neighbours differ, by a message to each later "
           "neighbour, and say how many edges a second that took. Directions of edges, loops and "
           "repeated edges do not count.",
    .groups = {{"Color:", 1, own_options, 0},
               GRAPH_OPTIONS_GROUP(offsetof(struct color, part.options))},
    .has_models = true,
    APP_FIELDS(struct color),
    .open = open_node,
    .reset = reset,
    .run = run,
    .describe = describe,
    .result = result,
    .check = check,
    .close = close_node};

int main(int argc, char **argv)
{
    struct color color = {.part.options = GRAPH_OPTIONS_DEFAULT, .longest = 1};
    return app_main(&app, &color, argc, argv);
}
