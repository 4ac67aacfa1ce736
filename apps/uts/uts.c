/* SPDX-License-Identifier: MIT */
/*
 * UTS: count the nodes of a tree that is unknown before, and whose parts differ in size as much as they can.
 *
 * Work-groups have the tree's nodes as tasks of their deques, and steal from each other. The search runs on one node.
 *
 * Path: main -> uts.cl -> counts
 * Source: Olivier et al., UTS: An Unbalanced Tree Search Benchmark, LCPC 2006. Trees and sizes are of the benchmark's sample
 * workloads, version 1.1.
 */
#include "frame/app.h"
#include "frame/tasks.h"
#include "uts/sha1.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern const char uts_cl[];

/* ---- trees ----------------------------------------------------------------------------------- */

#define RANDOM_END 0x80000000u
#define CAPACITY 8192u /* tasks of a deque */

struct tree_size {
    uint64_t n_nodes, n_leaves, depth;
};

/* Geometric, down to a depth; or binomial, where that is 0. */
struct tree {
    const char *name;
    uint32_t depth;        /* UTS's -d */
    double branching;      /* children of the root, and of geometric nodes on average: -b */
    uint32_t root;         /* seed: -r */
    double chance;         /* of a binomial node to have children: -q */
    uint32_t n_binomial;   /* how many then: -m */
    struct tree_size size; /* as published */
};

struct task {
    uint32_t state[SHA1_WORDS];
    uint32_t depth, n_children;
};

static const struct tree uts_trees[] = {
    {"T1", 10, 4, 19, 0, 0, {4130071, 3305118, 10}},
    {"T3", 0, 2000, 42, 0.124875, 8, {4112897, 3599034, 1572}},
    {"T1L", 13, 4, 29, 0, 0, {102181082, 81746377, 13}},
    {"T3L", 0, 2000, 7, 0.200014, 5, {111345631, 89076904, 17844}},
};

static uint32_t n_children(const struct tree *tree, uint32_t random, uint32_t depth)
{
    const double probability = (double)random / RANDOM_END;
    if (!tree->depth)
        return probability < tree->chance ? tree->n_binomial : 0;
    if (depth >= tree->depth)
        return 0;
    const double n = floor(log(1 - probability) / log(1 - 1 / (1 + tree->branching)));
    return n < MOST_CHILDREN ? (uint32_t)n : MOST_CHILDREN;
}

static struct task tree_root(const struct tree *tree)
{
    const sha1_word seed[SHA1_WORDS] = {0, 0, 0, 0, tree->root};
    struct task root = {.depth = 0};
    sha1_hash(seed, SHA1_WORDS, root.state);
    root.n_children =
        tree->depth ? n_children(tree, sha1_random(root.state), 0) : (uint32_t)tree->branching;
    return root;
}

/* Finds the least random number for one child, for two, ...: of a geometric node that number never falls as it rises. */
static void tree_limits(const struct tree *tree, uint32_t limits[MOST_CHILDREN])
{
    for (uint32_t n = 1; n <= MOST_CHILDREN; n++) {
        uint32_t low = 0, high = RANDOM_END;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (n_children(tree, middle, 0) >= n)
                high = middle;
            else
                low = middle + 1;
        }
        limits[n - 1] = low;
    }
}

struct uts {
    struct options options;
    struct node node;
    struct tasks tasks;
    const struct tree *published; /* -t */
    uint32_t depth;               /* -d; 0: the published one */
    struct tree tree;             /* the one that these make */
    cl_mem counts;                /* [3] nodes, leaves, depth */
    cl_kernel search;
    struct tree_size size; /* of the last trial */
};

/* ---- set-up ---------------------------------------------------------------------------------- */

static const struct app_option own_options[] = {
    {"tree", 't', "T1|T3|T1L|T3L",
     "Tree of UTS's sample workloads: geometric T1 or binomial T3, of 4 million nodes, or T1L or "
     "T3L, of 100 million (T1)",
     OPTION_ROW(struct uts, published, const struct tree, uts_trees)},
    {"depth", 'd', "N", "Depth of a geometric tree (the published one)",
     OPTION_NUMBER(struct uts, depth, 1, 1000)},
    TASKS_OPTION(struct uts, node, "How groups share tasks, as GRAVEL_STEAL_POLICY (promoted)"),
    {0}};

static void set_up(void *self)
{
    struct uts *uts = self;
    struct node *node = &uts->node;
    uint32_t limits[MOST_CHILDREN];
    uts->tree = *uts->published;
    if (uts->depth && !uts->tree.depth)
        die("-d: tree %s is binomial, and has no depth to be set", uts->tree.name);
    if (uts->depth)
        uts->tree.depth = uts->depth;
    node_open(node, 0);
    if (node->n_nodes > 1)
        die("groups steal from groups of their own node: run it on one node, not on %u",
            node->n_nodes);
    node_build(node, "uts.cl", uts_cl, NULL);
    tasks_open(&uts->tasks, node,
               (struct gravel_steal_options)
                   GRAVEL_STEAL_OPTIONS(.capacity = CAPACITY, .task_bytes = sizeof(struct task)));
    tree_limits(&uts->tree, limits);
    uts->counts = node_array(node, sizeof(cl_uint[3]), NULL);
    uts->search = node_kernel(&uts->node, "search");
    NODE_SET(uts->search, 1, ARRAY(node_array(node, sizeof limits, limits)), UINT(uts->tree.depth),
             UINT(ceil(uts->tree.chance * RANDOM_END)), UINT(uts->tree.n_binomial),
             ARRAY(uts->counts));
}

/* ---- trials ---------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct uts *uts = self;
    node_fill(&uts->node, uts->counts, 0, sizeof(cl_uint[3]));
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

/* Reads what work-items found, besides the root. */
static void read_size(struct uts *uts)
{
    cl_uint found[3];
    node_read(&uts->node, uts->counts, sizeof found, found);
    uts->size =
        (struct tree_size){1 + (uint64_t)found[0],
                           (uint64_t)found[1] + (tree_root(&uts->tree).n_children == 0), found[2]};
}

/* Describes the tree by the search that warmed up. */
static void describe(void *self, struct trials *trials)
{
    struct uts *uts = self;
    read_size(uts);
    snprintf(trials->variant, sizeof trials->variant, "%.31s",
             gravel_config_of(uts->node.gravel)->steal_policy);
    snprintf(trials->input, sizeof trials->input, "%s%s, %llu nodes", uts->tree.name,
             uts->depth ? " changed" : "", (unsigned long long)uts->size.n_nodes);
    trials->work = (double)uts->size.n_nodes;
    trials_add_word(trials, "tree", uts->tree.name);
}

static void result(void *self, struct trials *trials)
{
    struct uts *uts = self;
    read_size(uts);
    trials_add_number(trials, "nodes", uts->size.n_nodes);
    trials_add_number(trials, "leaves", uts->size.n_leaves);
    trials_add_number(trials, "depth", uts->size.depth);
    tasks_report(&uts->tasks, trials);
}

/* ---- check: one thread searches the tree depth first, and counts children by the formula -------- */

/* Adds what is below a node, and the node. */
static void tree_search(const struct tree *tree, const struct task *node, struct tree_size *size)
{
    size->n_nodes++;
    size->n_leaves += node->n_children == 0;
    size->depth = node->depth > size->depth ? node->depth : size->depth;
    for (uint32_t i = 0; i < node->n_children; i++) {
        struct task child = {.depth = node->depth + 1};
        sha1_spawn(node->state, i, child.state);
        child.n_children = n_children(tree, sha1_random(child.state), child.depth);
        tree_search(tree, &child, size);
    }
}

/* Compares with a serial search, and with what is published. */
static uint64_t check(void *self, struct trials *trials)
{
    struct uts *uts = self;
    const struct task root = tree_root(&uts->tree);
    struct tree_size serial = {0, 0, 0};
    const double begin_s = trials_clock();
    tree_search(&uts->tree, &root, &serial);
    trials_add_serial(trials, "serial", begin_s);
    return (memcmp(&uts->size, &serial, sizeof serial) != 0) +
           (!uts->depth && memcmp(&serial, &uts->published->size, sizeof serial) != 0);
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
    struct uts uts = {.published = &uts_trees[0]};
    return app_main(&app, &uts, argc, argv);
}
