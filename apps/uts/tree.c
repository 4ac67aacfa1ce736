/* SPDX-License-Identifier: MIT */
/*
 * The published trees, how many children a node has, and the same as thresholds.
 *
 * Path: uts.c, check.c -> this
 * Threads: any.
 * Source: Olivier et al., UTS: An Unbalanced Tree Search Benchmark, LCPC 2006; trees and sizes are the benchmark's
 * sample workloads, version 1.1.
 */
#include "uts/uts.h"

#include <math.h>
#include <stdlib.h>

#define RANDOM_END 0x80000000u
#define HYBRID_PART 0.5 /* of the depth that is geometric; UTS's default */

const struct tree uts_trees[] = {
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

static double probability(uint32_t random)
{
    return (double)random / RANDOM_END;
}

/* Children of a geometric node on average. */
static double branching_at(const struct tree *tree, uint32_t depth)
{
    double most = tree->depth;
    if (depth == 0)
        return tree->branching;
    if (tree->shape == FIXED)
        return depth < tree->depth ? tree->branching : 0;
    if (tree->shape == CYCLIC)
        return depth > 5 * tree->depth
                   ? 0
                   : pow(tree->branching, sin(2.0 * 3.141592653589793 * depth / most));
    return tree->branching * (1.0 - depth / most);
}

static uint32_t n_geometric(const struct tree *tree, uint32_t random, uint32_t depth)
{
    double p = 1.0 / (1.0 + branching_at(tree, depth));
    double n = floor(log(1 - probability(random)) / log(1 - p));
    return n < MOST_CHILDREN ? (uint32_t)n : MOST_CHILDREN;
}

static bool is_geometric(const struct tree *tree, uint32_t depth)
{
    return tree->type == GEOMETRIC || (tree->type == HYBRID && depth < HYBRID_PART * tree->depth);
}

uint32_t tree_n_children(const struct tree *tree, uint32_t random, uint32_t depth)
{
    if (is_geometric(tree, depth))
        return n_geometric(tree, random, depth);
    return probability(random) < tree->chance ? tree->n_binomial : 0;
}

struct task tree_root(const struct tree *tree)
{
    const sha1_word seed[SHA1_WORDS] = {0, 0, 0, 0, tree->root};
    struct task root = {.depth = 0};
    sha1_hash(seed, SHA1_WORDS, root.state);
    root.n_children = tree->type == BINOMIAL ? (uint32_t)floor(tree->branching)
                                             : tree_n_children(tree, sha1_random(root.state), 0);
    return root;
}

uint32_t tree_n_rows(const struct tree *tree)
{
    if (tree->type == BINOMIAL)
        return 0;
    if (tree->type == HYBRID)
        return (uint32_t)ceil(HYBRID_PART * tree->depth);
    return tree->shape == CYCLIC ? 5 * tree->depth + 1 : tree->depth;
}

/* The number of children never falls as the random number rises. */
void tree_limits(const struct tree *tree, uint32_t depth, uint32_t *limits)
{
    for (uint32_t n = 1; n <= MOST_CHILDREN; n++) {
        uint32_t low = n > 1 ? limits[n - 2] : 0, high = RANDOM_END;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (tree_n_children(tree, middle, depth) >= n)
                high = middle;
            else
                low = middle + 1;
        }
        limits[n - 1] = low;
    }
}

uint32_t tree_chance(const struct tree *tree)
{
    return tree->type == GEOMETRIC ? 0 : (uint32_t)ceil(tree->chance * RANDOM_END);
}

/* ---- the check: one thread searches the tree depth first, and counts children by the formula -------- */

struct stack {
    struct task *tasks;
    uint64_t n, capacity;
};

static void visit(const struct tree *tree, const struct task *node, struct stack *stack,
                  struct tree_size *size)
{
    size->n_nodes++;
    size->n_leaves += node->n_children == 0;
    size->depth = node->depth > size->depth ? node->depth : size->depth;
    for (uint32_t i = 0; i < node->n_children; i++) {
        struct task child = {.depth = node->depth + 1};
        sha1_spawn(node->state, i, child.state);
        child.n_children = tree_n_children(tree, sha1_random(child.state), child.depth);
        stack->tasks =
            app_room(stack->tasks, stack->n, &stack->capacity, sizeof child, "nodes of a tree");
        stack->tasks[stack->n++] = child;
    }
}

struct tree_size tree_search(const struct tree *tree)
{
    struct tree_size size = {0, 0, 0};
    struct stack stack = {NULL, 0, 0};
    struct task node = tree_root(tree);
    for (visit(tree, &node, &stack, &size); stack.n; visit(tree, &node, &stack, &size))
        node = stack.tasks[--stack.n];
    free(stack.tasks);
    return size;
}
