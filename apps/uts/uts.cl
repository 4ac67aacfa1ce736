/* SPDX-License-Identifier: MIT */
/*
 * Unbalanced tree search: a task is a node that has children, and its group makes them.
 *
 * How many children a node has follows from its 31 random bits by thresholds, which the host has found: whole numbers, so that
 * every device makes the same tree.
 *
 * Path:    uts.c -> this -> counts.
 * Memory:  groups share the deques, and add to counts by relaxed atomics.
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

/* Counts by thresholds: the least number for one child, for two, ... */
static uint count_children(uint random, global const uint *limits)
{
    uint n = 0, most = MOST_CHILDREN;
    while (n < most) { /* as many thresholds as are not above */
        uint middle = (n + most) / 2;
        bool has = limits[middle] <= random;
        n = has ? middle + 1 : n;
        most = has ? most : middle;
    }
    return n;
}

/*
 * Global size: a deque a group. limits: [MOST_CHILDREN] thresholds of nodes above `depth`; others are binomial: `n_binomial`
 * children with `chance` of 2^31. counts: [3] nodes, leaves and depth, to which what is found is added.
 */
kernel void search(GRAVEL_STEAL, global const uint *limits, uint depth, uint chance,
                   uint n_binomial, volatile global uint *counts)
{
    GRAVEL_STEAL_OPEN(s);
    uint lane = get_local_id(0), size = get_local_size(0);
    uint n_nodes = 0, n_leaves = 0, deepest = 0;
    GRAVEL_STEAL_EACH (s, node) {
        for (uint first = 0; first < node.n_children; first += size) {
            uint i = first + lane, has = i < node.n_children;
            struct task child = {{0}, node.depth + 1, 0};
            if (has) {
                sha1_spawn(node.state, i, child.state);
                uint random = sha1_random(child.state);
                child.n_children = child.depth < depth ? count_children(random, limits)
                                   : random < chance   ? n_binomial
                                                       : 0;
                n_nodes++;
                n_leaves += child.n_children == 0;
                deepest = max(deepest, child.depth);
            }
            gravel_steal_push_wg_if(s, has && child.n_children, child);
        }
    }
    atomic_add(&counts[0], n_nodes);
    atomic_add(&counts[1], n_leaves);
    atomic_max(&counts[2], deepest);
}
