/* SPDX-License-Identifier: MIT */
/*
 * UTS: count the nodes of a tree that is unknown before, and whose parts differ in size as much as they can.
 *
 * Work-groups have the tree's nodes as tasks of their deques, and steal from each other. The search runs on one node.
 *
 * Path: main -> uts.cl -> counts; tree.c has the trees, check.c searches them with one thread
 * Source: Olivier et al., UTS: An Unbalanced Tree Search Benchmark, LCPC 2006; Hower et al., ASPLOS 2014, where a task
 * runtime searches T1, T2, T4 and T5.
 */
#include "uts/uts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char uts_cl[];

enum { N_COUNTS = 3 }; /* of a work-item: nodes, leaves, depth */

/* ---- options --------------------------------------------------------------------------------- */

/* Chooses the published tree, except for what -d and -r change. */
static void choose_tree(struct uts *uts)
{
    const struct tree *published = &uts_trees[uts->number];
    uts->tree = *published;
    if (uts->depth != UTS_AS_PUBLISHED && published->type == BINOMIAL)
        die("-d: tree %s is binomial, and has no depth to be set", published->name);
    if (uts->depth != UTS_AS_PUBLISHED)
        uts->tree.depth = uts->depth;
    if (uts->root != UTS_AS_PUBLISHED)
        uts->tree.root = uts->root;
    uts->is_changed = uts->tree.depth != published->depth || uts->tree.root != published->root;
}

static const struct app_option own_options[] = {
    {"tree", 't', "default|T1|T2|T3|T4|T5|T1L|T2L|T3L",
     "Tree of UTS's sample workloads: T1 to T5 have 4 million nodes, T1L to T3L 100 million; or "
     "default, of 1732 (T1)",
     OPTION_INDEX(struct uts, number, uint32_t)},
    {"depth", 'd', "N", "Depth of a geometric or hybrid tree (the published one)",
     OPTION_NUMBER(struct uts, depth, 1, 1000)},
    {"root", 'r', "SEED", "Seed of the root (the published one)",
     OPTION_NUMBER(struct uts, root, 0, INT32_MAX)},
    TASKS_OPTION(struct uts, node, "How groups share tasks, as GRAVEL_STEAL_POLICY (promoted)"),
    {"groups", 0, "N", "Work-groups, each with a deque; 0: as many as run side by side (0)",
     OPTION_NUMBER(struct uts, n_groups, 0, 1 << 20)},
    {"capacity", 0, "N", "Tasks of a deque, a power of two (8192)",
     OPTION_POWER(struct uts, capacity, 1, 1 << 24)},
    {0}};

/* ---- set-up ---------------------------------------------------------------------------------- */

static void upload_limits(struct uts *uts)
{
    uts->n_rows = tree_n_rows(&uts->tree);
    cl_uint *limits = app_array((uint64_t)uts->n_rows * MOST_CHILDREN, sizeof *limits, "limits");
    for (uint32_t d = 0; d < uts->n_rows; d++)
        tree_limits(&uts->tree, d, limits + (size_t)d * MOST_CHILDREN);
    uts->limits =
        node_upload(&uts->node, (size_t)uts->n_rows * MOST_CHILDREN * sizeof *limits, limits);
}

static size_t counts_bytes(const struct uts *uts)
{
    const size_t n_items = (size_t)gravel_steal_n_groups(uts->tasks.steal) * uts->node.group_items;
    return n_items * N_COUNTS * sizeof(cl_ulong);
}

static void set_up(void *self)
{
    struct uts *uts = self;
    struct node *node = &uts->node;
    char options[64];
    cl_device_type type = 0;
    choose_tree(uts);
    node_open(node, 0);
    if (node->n_nodes > 1)
        die("groups steal from groups of their own node: run it on one node, not on %u",
            node->n_nodes);
    clGetDeviceInfo(gravel_cl_device(node->gravel), CL_DEVICE_TYPE, sizeof type, &type, NULL);
    snprintf(options, sizeof options, "-DMOST_CHILDREN=%uu%s", MOST_CHILDREN,
             type & CL_DEVICE_TYPE_CPU ? " -DSHA1_OUT_OF_LINE" : "");
    node_build(node, "uts.cl", uts_cl, options);
    tasks_open(
        &uts->tasks, node,
        (struct gravel_steal_options)GRAVEL_STEAL_OPTIONS(.n_groups = uts->n_groups,
                                                          .capacity = (uint32_t)uts->capacity,
                                                          .task_bytes = sizeof(struct task)));
    upload_limits(uts);
    uts->counts = node_array(node, counts_bytes(uts), NULL);
    uts->search = node_kernel(&uts->node, "search");
    NODE_SET(uts->search, 1, ARRAY(uts->limits), UINT(uts->n_rows), UINT(tree_chance(&uts->tree)),
             UINT(uts->tree.n_binomial), ARRAY(uts->counts));
}

/* ---- trials ---------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct uts *uts = self;
    node_fill(&uts->node, uts->counts, 0, counts_bytes(uts));
    node_finish(&uts->node);
    TRY(gravel_steal_stats_reset(uts->tasks.steal));
}

static void run(void *self)
{
    struct uts *uts = self;
    struct task root = tree_root(&uts->tree);
    TRY(gravel_steal_fill_at(uts->tasks.steal, 0, &root, root.n_children != 0));
    tasks_run(&uts->tasks, uts->search);
}

/* The root, and what work-items found. */
static void add_up(struct uts *uts)
{
    const uint64_t n = counts_bytes(uts) / sizeof(cl_ulong);
    cl_ulong *counts = app_array(n, sizeof *counts, "counts");
    node_read(&uts->node, uts->counts, counts_bytes(uts), counts);
    uts->size = (struct tree_size){1, tree_root(&uts->tree).n_children == 0, 0};
    for (const cl_ulong *own = counts; own < counts + n; own += N_COUNTS) {
        uts->size.n_nodes += own[0];
        uts->size.n_leaves += own[1];
        uts->size.depth = own[2] > uts->size.depth ? own[2] : uts->size.depth;
    }
    free(counts);
}

/* Describes the tree by the search that warmed up. */
static void describe(void *self, struct trials *trials)
{
    struct uts *uts = self;
    add_up(uts);
    snprintf(trials->variant, sizeof trials->variant, "%.31s",
             gravel_config_of(uts->node.gravel)->steal_policy);
    snprintf(trials->input, sizeof trials->input, "%s%s, %llu nodes", uts->tree.name,
             uts->is_changed ? " changed" : "", (unsigned long long)uts->size.n_nodes);
    trials->work = (double)uts->size.n_nodes;
    trials_add_word(trials, "tree", uts->tree.name);
    trials_add_number(trials, "depth_of_shape", uts->tree.depth);
    trials_add_number(trials, "root", uts->tree.root);
}

static void result(void *self, struct trials *trials)
{
    struct uts *uts = self;
    add_up(uts);
    trials_add_number(trials, "nodes", uts->size.n_nodes);
    trials_add_number(trials, "leaves", uts->size.n_leaves);
    trials_add_number(trials, "depth", uts->size.depth);
    tasks_report(&uts->tasks, trials);
    trials_say(trials, "  %llu nodes, %llu leaves, depth %llu\n",
               (unsigned long long)uts->size.n_nodes, (unsigned long long)uts->size.n_leaves,
               (unsigned long long)uts->size.depth);
}

static uint64_t count_different(struct tree_size a, struct tree_size b)
{
    return (a.n_nodes != b.n_nodes) + (a.n_leaves != b.n_leaves) + (a.depth != b.depth);
}

static uint64_t check(void *self, struct trials *trials)
{
    struct uts *uts = self;
    double begin_s = trials_clock();
    struct tree_size serial = tree_search(&uts->tree);
    double serial_s = trials_clock() - begin_s;
    uint64_t n_wrong = count_different(uts->size, serial);
    if (!uts->is_changed)
        n_wrong += count_different(uts->size, uts->tree.published);
    trials_add_real(trials, "serial_seconds", serial_s);
    trials_say(trials, "  serial: %.6f s, %llu nodes%s\n", serial_s,
               (unsigned long long)serial.n_nodes,
               uts->is_changed ? "" : "; compared with what is published too");
    return n_wrong;
}

static void close_all(void *self)
{
    struct uts *uts = self;
    tasks_close(&uts->tasks);
}

/* ---- main ------------------------------------------------------------------------------------ */

static const struct app app = {.name = "uts",
                               .unit = "nodes/s",
                               .doc = "Count the nodes of an unbalanced tree whose nodes are tasks "
                                      "that work-groups steal from each other, and say how many "
                                      "nodes a second that was.",
                               .group_items = 32,
                               .groups = {{"Tree:", 1, own_options, 0}},
                               APP_FIELDS(struct uts),
                               .open = set_up,
                               .reset = reset,
                               .run = run,
                               .describe = describe,
                               .result = result,
                               .check = check,
                               .close = close_all};

int main(int argc, char **argv)
{
    struct uts uts = {.number = 1,
                      /* T1 */ .depth = UTS_AS_PUBLISHED,
                      .root = UTS_AS_PUBLISHED,
                      .capacity = 8192};
    return app_main(&app, &uts, argc, argv);
}
