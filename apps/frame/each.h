/* SPDX-License-Identifier: MIT */
/*
 * Several things for each work-item, so that a sliced launch, whose slices have a bounded number of work-items, needs
 * fewer slices.
 *
 * There are two kernels with equal arguments. Work-item i of the first takes thing i; CPU compilers make the most of it,
 * because its barriers are in no loop. The second has `uint each` behind all others. A group takes
 * `each` times its size of things, all neighbours; a work-item takes every get_local_size(0)-th of those, beginning with
 *
 *     size_t i = first + (get_global_id(0) - get_local_id(0)) * each + get_local_id(0);
 *
 * Every work-item of every group goes round equally often, so sends need no predicate.
 *
 * Path: an application -> this -> node.h
 * Threads: main's.
 */
#ifndef APPS_EACH_H
#define APPS_EACH_H

#include "frame/node.h"

/**
 * Things that a work-item should take of n: on step pump so many that a long launch is a few slices; elsewhere 1.
 */
uint32_t node_derive_each(const struct node *node, uint64_t n);

struct node_kernels {
    cl_kernel one, several;
};

/**
 * Launch for `n` things (0 is allowed), `each` a work-item (not 0); the rest, and all if each is 1, with `one`. Where a
 * model has a host, all with `one`.
 *
 * @param bound  as node_send, of one thing.
 */
void node_send_each(struct node *node, const struct node_kernels *kernels, uint64_t n,
                    uint32_t each, struct node_bound bound);

#endif
