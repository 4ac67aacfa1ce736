/* SPDX-License-Identifier: MIT */
/*
 * The check: one thread searches the tree depth first, and counts children by the formula.
 *
 * Path: uts.c -> this -> tree.c
 * Owner: nothing outlives the call.
 * Threads: main's.
 */
#include "uts/uts.h"

#include <stdlib.h>

struct stack {
    struct task *tasks;
    uint64_t n, capacity;
};

static void push(struct stack *stack, const struct task *task)
{
    if (stack->n == stack->capacity) {
        stack->capacity = stack->capacity ? 2 * stack->capacity : 1024;
        stack->tasks = realloc(stack->tasks, stack->capacity * sizeof *stack->tasks);
        if (!stack->tasks)
            die("no memory for %llu nodes", (unsigned long long)stack->capacity);
    }
    stack->tasks[stack->n++] = *task;
}

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
        push(stack, &child);
    }
}

struct tree_size tree_search(const struct tree *tree)
{
    struct tree_size size = {0, 0, 0};
    struct stack stack = {NULL, 0, 0};
    struct task node = tree_root(tree);
    push(&stack, &node);
    while (stack.n) {
        node = stack.tasks[--stack.n];
        visit(tree, &node, &stack, &size);
    }
    free(stack.tasks);
    return size;
}
