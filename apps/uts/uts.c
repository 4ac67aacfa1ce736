/* SPDX-License-Identifier: MIT */
/*
 * UTS: count the nodes of a tree that is unknown before, and whose parts differ in size as much as they can.
 *
 * Work-groups have the tree's nodes as tasks of their deques, and steal from each other. The search runs on one node.
 *
 * Path: main -> uts.cl -> counts
 * Source: Olivier et al., UTS: An Unbalanced Tree Search Benchmark, LCPC 2006; Hower et al., ASPLOS 2014, where a task
 * runtime searches T1, T2, T4 and T5. Trees and sizes are the benchmark's sample workloads, version 1.1.
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
#define HYBRID_PART 0.5 /* of the depth that is geometric; UTS's default */

enum tree_type { BINOMIAL, GEOMETRIC, HYBRID };
enum tree_shape { LINEAR, CYCLIC = 2, FIXED = 3 }; /* the numbers of UTS's option -a */

struct tree_size {
    uint64_t n_nodes, n_leaves, depth;
};

struct tree {
    const char *name;
    enum tree_type type;
    enum tree_shape shape;
    uint32_t depth;        /* that shape and type speak of; UTS's -d */
    double branching;      /* children of the root: -b */
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
    {"default", GEOMETRIC, LINEAR, 6, 4, 0, 0, 0, {1732, 1050, 6}},
    {"T1", GEOMETRIC, FIXED, 10, 4, 19, 0, 0, {4130071, 3305118, 10}},
    {"T2", GEOMETRIC, CYCLIC, 16, 6, 502, 0, 0, {4117769, 2342762, 81}},
    {"T3", BINOMIAL, LINEAR, 0, 2000, 42, 0.124875, 8, {4112897, 3599034, 1572}},
    {"T4", HYBRID, LINEAR, 16, 6, 1, 0.234375, 4, {4132453, 3108986, 134}},
    {"T5", GEOMETRIC, LINEAR, 20, 4, 34, 0, 0, {4147582, 2181318, 20}},
    {"T1L", GEOMETRIC, FIXED, 13, 4, 29, 0, 0, {102181082, 81746377, 13}},
    {"T2L", GEOMETRIC, CYCLIC, 23, 7, 220, 0, 0, {96793510, 53791152, 67}},
    {"T3L", BINOMIAL, LINEAR, 0, 2000, 7, 0.200014, 5, {111345631, 89076904, 17844}},
};

/* Returns how many children a geometric node has on average. */
static double branching_at(const struct tree *tree, uint32_t depth)
{
    const double most = tree->depth;
    if (depth == 0)
        return tree->branching;
    if (tree->shape == FIXED)
        return depth < tree->depth ? tree->branching : 0;
    if (tree->shape == LINEAR)
        return tree->branching * (1.0 - depth / most);
    if (depth > 5 * tree->depth)
        return 0;
    return pow(tree->branching, sin(2.0 * 3.141592653589793 * depth / most));
}

static uint32_t n_children(const struct tree *tree, uint32_t random, uint32_t depth)
{
    const double probability = (double)random / RANDOM_END;
    if (tree->type == BINOMIAL || (tree->type == HYBRID && depth >= HYBRID_PART * tree->depth))
        return probability < tree->chance ? tree->n_binomial : 0;
    const double p = 1.0 / (1.0 + branching_at(tree, depth));
    const double n = floor(log(1 - probability) / log(1 - p));
    return n < MOST_CHILDREN ? (uint32_t)n : MOST_CHILDREN;
}

static struct task tree_root(const struct tree *tree)
{
    const sha1_word seed[SHA1_WORDS] = {0, 0, 0, 0, tree->root};
    struct task root = {.depth = 0};
    sha1_hash(seed, SHA1_WORDS, root.state);
    root.n_children = tree->type == BINOMIAL ? (uint32_t)floor(tree->branching)
                                             : n_children(tree, sha1_random(root.state), 0);
    return root;
}

static uint32_t tree_n_rows(const struct tree *tree)
{
    if (tree->type == BINOMIAL)
        return 0;
    if (tree->type == HYBRID)
        return (uint32_t)ceil(HYBRID_PART * tree->depth);
    return tree->shape == CYCLIC ? 5 * tree->depth + 1 : tree->depth;
}

/* The number of children never falls as the random number rises. */
static void tree_limits(const struct tree *tree, uint32_t depth, uint32_t *limits)
{
    for (uint32_t n = 1; n <= MOST_CHILDREN; n++) {
        uint32_t low = n > 1 ? limits[n - 2] : 0, high = RANDOM_END;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (n_children(tree, middle, depth) >= n)
                high = middle;
            else
                low = middle + 1;
        }
        limits[n - 1] = low;
    }
}

static uint32_t tree_chance(const struct tree *tree)
{
    return tree->type == GEOMETRIC ? 0 : (uint32_t)ceil(tree->chance * RANDOM_END);
}

struct uts {
    struct options options;
    struct node node;
    struct tasks tasks;
    const struct tree *published; /* -t */
    uint32_t depth;               /* -d; 0: the published one */
    struct tree tree;             /* the one that these make */
    uint64_t capacity;
    uint32_t n_rows; /* of thresholds */
    cl_mem limits;   /* [n_rows][MOST_CHILDREN] */
    cl_mem counts;   /* [3] nodes, leaves, depth */
    cl_kernel search;
    struct tree_size size; /* of the last trial */
};

/* ---- set-up ---------------------------------------------------------------------------------- */

static const struct app_option own_options[] = {
    {"tree", 't', "default|T1|T2|T3|T4|T5|T1L|T2L|T3L",
     "Tree of UTS's sample workloads: T1 to T5 have 4 million nodes, T1L to T3L 100 million; or "
     "default, of 1732 (T1)",
     OPTION_ROW(struct uts, published, const struct tree, uts_trees)},
    {"depth", 'd', "N", "Depth of a geometric or hybrid tree (the published one)",
     OPTION_NUMBER(struct uts, depth, 1, 1000)},
    TASKS_OPTION(struct uts, node, "How groups share tasks, as GRAVEL_STEAL_POLICY (promoted)"),
    {"capacity", 0, "N", "Tasks of a deque, a power of two (8192)",
     OPTION_POWER(struct uts, capacity, 1, 1 << 24)},
    {0}};

static void upload_limits(struct uts *uts)
{
    uts->n_rows = tree_n_rows(&uts->tree);
    cl_uint *limits = app_array((uint64_t)uts->n_rows * MOST_CHILDREN, sizeof *limits, "limits");
    for (uint32_t d = 0; d < uts->n_rows; d++)
        tree_limits(&uts->tree, d, limits + (size_t)d * MOST_CHILDREN);
    uts->limits =
        node_upload(&uts->node, (size_t)uts->n_rows * MOST_CHILDREN * sizeof *limits, limits);
}

static void set_up(void *self)
{
    struct uts *uts = self;
    struct node *node = &uts->node;
    uts->tree = *uts->published;
    if (uts->depth && uts->tree.type == BINOMIAL)
        die("-d: tree %s is binomial, and has no depth to be set", uts->tree.name);
    if (uts->depth)
        uts->tree.depth = uts->depth;
    node_open(node, 0);
    if (node->n_nodes > 1)
        die("groups steal from groups of their own node: run it on one node, not on %u",
            node->n_nodes);
    node_build(node, "uts.cl", uts_cl, NULL);
    tasks_open(
        &uts->tasks, node,
        (struct gravel_steal_options)GRAVEL_STEAL_OPTIONS(.capacity = (uint32_t)uts->capacity,
                                                          .task_bytes = sizeof(struct task)));
    upload_limits(uts);
    uts->counts = node_array(node, sizeof(cl_uint[3]), NULL);
    uts->search = node_kernel(&uts->node, "search");
    NODE_SET(uts->search, 1, ARRAY(uts->limits), UINT(uts->n_rows), UINT(tree_chance(&uts->tree)),
             UINT(uts->tree.n_binomial), ARRAY(uts->counts));
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
    struct uts uts = {.published = &uts_trees[1], .capacity = 8192};
    return app_main(&app, &uts, argc, argv);
}
