/* SPDX-License-Identifier: MIT */
/*
 * The main of color, pagerank and sssp as the dissertation measures them: a message along every edge, to own vertices too, in
 * any model's way; or, with --schedule, one node's vertices as tasks that groups steal from each other. The library of graphs
 * has the fast forms. See graphs.h.
 *
 * Source: Che et al., Pannotia, 2013; Orr 2016, section 5.4.2; of the tasks Orr et al. 2015, section 5.3.
 */
#include "chapter5/graphs.h"

#include <gravel/steal.h>

#include <stdlib.h>

#define SCHEDULED_ITEMS 256u /* work-items of a group, as gravel_steal_create chooses */

struct graphs graphs = {.n_iterations = 20, .n_most = 1};

static const struct app_option own_options[] = {
    {"iterations", 'i', "N", "Make this many iterations (20)",
     OPTION_NUMBER(struct graphs, n_iterations, 1, 1000000)},
    {"schedule", 0, "promoted|private|counter",
     "Send nothing, on one node: share the vertices out to groups' deques, by this policy of "
     "GRAVEL_STEAL_POLICY",
     OPTION_WORD(struct graphs, schedule)},
    {0}};

/* ---- tasks: vertices in stretches of a group's work-items, each known by its number -------------- */

static struct {
    struct gravel_steal *steal;
    uint32_t *stretches; /* [n_stretches] */
    uint64_t n_stretches;
} tasks;

static void make_deques(uint32_t capacity)
{
    const struct gravel_steal_options options =
        GRAVEL_STEAL_OPTIONS(.capacity = capacity, .task_bytes = sizeof(cl_uint),
                             .group_size = graphs.node.group_items);
    TRY(gravel_steal_create(&tasks.steal, graphs.node.gravel, &options));
}

/* A deque has room for the largest share, and for an offer; how many groups there are is known of deques alone. */
static void open_tasks(uint64_t n_vertices)
{
    const uint32_t group_items = graphs.node.group_items;
    uint32_t capacity = 64;
    if (graphs.node.n_nodes > 1)
        die("--schedule: groups steal from groups of their own node: run it on one node, not on %u",
            graphs.node.n_nodes);
    tasks.n_stretches = (n_vertices + group_items - 1) / group_items;
    make_deques(capacity);
    while (capacity < tasks.n_stretches / gravel_steal_n_groups(tasks.steal) + 1)
        capacity *= 2;
    TRY(gravel_steal_destroy(tasks.steal));
    make_deques(capacity);
    tasks.stretches = app_array(tasks.n_stretches, sizeof *tasks.stretches, "tasks");
    for (uint64_t i = 0; i < tasks.n_stretches; i++)
        tasks.stretches[i] = (uint32_t)i;
}

/* ---- open and close -------------------------------------------------------------------------- */

static void open_node(void *self)
{
    struct node *node = &graphs.node;
    struct graph_part *part = &graphs.part;
    const struct graph *rows = &part->rows;
    char file[32];
    (void)self;
    const uint32_t group_items = node->group_items;
    if (graphs.schedule && node->model != model_gravel)
        die("--schedule: tasks store in place and send nothing: no --model");
    if (graphs.schedule)
        TRY(gravel_config_set(&node->config, "steal_policy", graphs.schedule));
    part_open(part, graphs.options.seed, graphs_program.wish);
    const uint64_t n = part->whole.n_vertices;
    /* Asks for what one node needs: only an open node knows how many there are. */
    node_open(node,
              sizeof(cl_uint) * (graphs_program.wish.is_undirected ? part->whole.n_edges + 1 : n));
    /* GPUs run a kernel that steals in smaller groups, because it takes many registers. */
    if (graphs.schedule && !group_items && node->group_items > SCHEDULED_ITEMS)
        node->group_items = SCHEDULED_ITEMS;
    graphs.block = block_of(n, node->n_nodes);
    node_part(node, part, block_range(n, node->n_nodes, node->number));
    const uint64_t n_words =
        graphs_program.wish.is_undirected ? node_most(node, rows->n_edges) + 1 : graphs.block;
    TRY(gravel_alloc(node->gravel, n_words * sizeof(cl_uint), &graphs.words));
    graphs.offsets = node_part_offsets(node, part);
    graphs.count = node_array(node, sizeof(cl_uint), NULL);
    graphs.result = node_array(node, rows->n_vertices * sizeof(cl_uint), NULL);
    if (graphs.schedule)
        open_tasks(rows->n_vertices);
    snprintf(file, sizeof file, "%s.cl", graphs_program.name);
    node_build(node, file, graphs_program.source, graphs.schedule ? "-DHAS_TASKS" : "");
    graphs_program.open();
}

static void close_node(void *self)
{
    (void)self;
    TRY(gravel_steal_destroy(tasks.steal));
    free(tasks.stretches);
    part_close(&graphs.part);
}

/* ---- a trial --------------------------------------------------------------------------------- */

static void reset(void *self)
{
    (void)self;
    graphs_program.reset();
    if (graphs.schedule)
        TRY(gravel_steal_stats_reset(tasks.steal));
    node_finish(&graphs.node);
}

void graphs_send(cl_kernel kernel, uint64_t n_items)
{
    struct node *node = &graphs.node;
    if (graphs.schedule) {
        if (tasks.n_stretches) /* shared out evenly */
            TRY(gravel_steal_fill(tasks.steal, tasks.stretches, tasks.n_stretches));
        TRY(gravel_steal_launch(tasks.steal, kernel, 0, NULL, NULL));
        TRY(gravel_steal_wait(tasks.steal));
    } else {
        node_send(node, kernel, n_items,
                  (struct node_bound){.n_messages = graphs.n_most, .message_bytes = 8});
        TRY(gravel_barrier(node->gravel));
    }
}

static void run(void *self)
{
    (void)self;
    for (graphs.n_rounds = 0; graphs_program.step();)
        graphs.n_rounds++;
}

/* ---- report and check ------------------------------------------------------------------------ */

static void describe(void *self, struct trials *trials)
{
    const bool has_iterations = graphs_program.has_iterations;
    (void)self;
    part_describe(&graphs.part, trials);
    trials->work *= has_iterations ? (double)graphs.n_rounds : 1;
    trials_add_number(trials, has_iterations ? "iterations" : "rounds", graphs.n_rounds);
    if (graphs_program.describe)
        graphs_program.describe(trials);
}

static void result(void *self, struct trials *trials)
{
    struct gravel_steal_stats stats;
    (void)self;
    if (!graphs.schedule)
        return;
    TRY(gravel_steal_stats_read(tasks.steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS));
    trials_add_number(trials, "tasks", stats.done);
    trials_add_number(trials, "stolen", stats.stolen);
}

static uint64_t check(void *self, struct trials *trials)
{
    const uint64_t n = graphs.part.rows.n_vertices;
    (void)self, (void)trials;
    cl_uint *found = app_array(n, sizeof *found, "the check");
    node_read(&graphs.node, graphs.result, n * sizeof *found, found);
    const uint64_t n_wrong = graphs_program.check(found);
    free(found);
    return n_wrong;
}

int main(int argc, char **argv)
{
    const struct app app = {
        .name = graphs_program.name,
        .unit = "edges/s",
        .doc = graphs_program.doc,
        .groups = {{"Rounds:", 1, own_options + !graphs_program.has_iterations, 0},
                   GRAPH_OPTIONS_GROUP(offsetof(struct graphs, part.options))},
        .has_models = true,
        APP_FIELDS(struct graphs),
        .open = open_node,
        .reset = reset,
        .run = run,
        .describe = describe,
        .result = result,
        .check = check,
        .method = graphs_program.method,
        .close = close_node};
    return app_main(&app, &graphs, argc, argv);
}
