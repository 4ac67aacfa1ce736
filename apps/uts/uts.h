/* SPDX-License-Identifier: MIT */
/*
 * What the parts of UTS share.
 *
 * Path: uts.c (options, trials) -> tree.c (trees, thresholds, check)
 * Owner: uts.c.
 * Threads: main's.
 */
#ifndef APPS_UTS_H
#define APPS_UTS_H

#include "frame/app.h"
#include "frame/tasks.h"
#include "uts/sha1.h"

#define MOST_CHILDREN 100 /* of a node but a binomial tree's root; UTS's MAXNUMCHILDREN */

enum tree_type { BINOMIAL, GEOMETRIC, HYBRID };
enum tree_shape { LINEAR, CYCLIC = 2, FIXED = 3 }; /* the numbers of UTS's option -a */

struct tree_size {
    uint64_t n_nodes, n_leaves, depth;
};

struct tree {
    const char *name;
    enum tree_type type;
    enum tree_shape shape;
    uint32_t depth;      /* that shape and type speak of; UTS's -d */
    double branching;    /* children of the root: -b */
    uint32_t root;       /* seed: -r */
    double chance;       /* of a binomial node to have children: -q */
    uint32_t n_binomial; /* how many then: -m */
    struct tree_size published;
};

struct task {
    uint32_t state[SHA1_WORDS];
    uint32_t depth, n_children;
};

#define UTS_AS_PUBLISHED UINT32_MAX

struct uts {
    struct options options;
    struct node node;
    struct tasks tasks;
    uint32_t number;      /* -t: of uts_trees */
    uint32_t depth, root; /* -d, -r; UTS_AS_PUBLISHED */
    struct tree tree;     /* the one that these make */
    bool is_changed;      /* from the published one, of which alone the size is known */
    uint32_t n_groups;
    uint64_t capacity;
    uint32_t n_rows; /* of thresholds */
    cl_mem limits, counts;
    cl_kernel search;
    struct tree_size size; /* of the last trial */
};

/** The published trees, in the order of -t. */
extern const struct tree uts_trees[];

/** Children of a node other than a binomial tree's root, by UTS's formula. */
uint32_t tree_n_children(const struct tree *tree, uint32_t random, uint32_t depth);

/** The root, with as many children as it has. */
struct task tree_root(const struct tree *tree);

/** Depths with thresholds of their own: below, nodes are binomial or have no children. */
uint32_t tree_n_rows(const struct tree *tree);

/** Fill a row: the least random number for one child, two, ...; 2^31 if there is none. @param limits  [MOST_CHILDREN] */
void tree_limits(const struct tree *tree, uint32_t depth, uint32_t *limits);

/** A binomial node has children if its random number is less. */
uint32_t tree_chance(const struct tree *tree);

/** Search the tree with one thread, by the formula. */
struct tree_size tree_search(const struct tree *tree);

#endif
