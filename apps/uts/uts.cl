/* SPDX-License-Identifier: MIT */
/*
 * Unbalanced tree search: a task is a node that has children, and its group makes them.
 *
 * How many children a node has follows from its 31 random bits by thresholds, which the host has found for each depth:
 * whole numbers, so that every device makes the same tree.
 *
 * Path:    uts.c -> this -> tree.c counts what work-items found.
 * Memory:  no two groups share a word but the deques'.
 * Source:  Olivier et al., UTS: An Unbalanced Tree Search Benchmark, LCPC 2006.
 */
#include "sha1.h"

/* 28 bytes, as struct task on the host. */
struct task {
    uint state[SHA1_WORDS];
    uint depth, n_children;
};
#define GRAVEL_STEAL_TASK struct task
#include "gravel.cl.h"
#include "steal.cl.h"

/* Rows of thresholds by depth; below them binomial: `n_binomial` children with `chance` of 2^31. */
struct shape {
    uint n_rows, chance, n_binomial;
};

/* limits: [n_rows][MOST_CHILDREN] row d has the least number for one child, for two, ... */
static uint count_children(uint random, uint depth, struct shape shape, global const uint *limits)
{
    if (depth >= shape.n_rows)
        return random < shape.chance ? shape.n_binomial : 0;
    uint n = 0, most = MOST_CHILDREN;
    global const uint *row = limits + depth * MOST_CHILDREN;
    while (n < most) { /* as many thresholds as are not above */
        uint middle = (n + most) / 2;
        bool has = row[middle] <= random;
        n = has ? middle + 1 : n;
        most = has ? most : middle;
    }
    return n;
}

/*
 * Global size: a deque a group. counts: [work-items][3] nodes, leaves and depth that the work-item found; it adds to
 * them.
 */
kernel void search(GRAVEL_STEAL, global const uint *limits, uint n_rows, uint chance,
                   uint n_binomial, global ulong *counts)
{
    GRAVEL_STEAL_OPEN(s);
    struct shape shape = {n_rows, chance, n_binomial};
    uint lane = get_local_id(0), size = get_local_size(0);
    ulong n_nodes = 0, n_leaves = 0;
    uint deepest = 0;
    GRAVEL_STEAL_EACH(s, node)
    {
        for (uint first = 0; first < node.n_children; first += size) {
            uint i = first + lane, has = i < node.n_children;
            struct task child = {{0}, node.depth + 1, 0};
            if (has) {
                sha1_spawn(node.state, i, child.state);
                child.n_children =
                    count_children(sha1_random(child.state), child.depth, shape, limits);
                n_nodes++;
                n_leaves += child.n_children == 0;
                deepest = max(deepest, child.depth);
            }
            gravel_steal_push_wg_if(s, has && child.n_children, child);
        }
    }
    global ulong *mine = counts + 3 * get_global_id(0);
    mine[0] += n_nodes;
    mine[1] += n_leaves;
    mine[2] = max(mine[2], (ulong)deepest);
}
