/* SPDX-License-Identifier: MIT */
/*
 * Whether all nodes were given the same, and have read the same input: node-local copies of a file may differ.
 *
 * Path:    node_open, mer.c -> this -> gravel_reduce
 * Threads: main's.
 */
#ifndef APPS_AGREE_H
#define APPS_AGREE_H

#include "frame/node.h"

/** End the process, naming the option, unless all nodes have the same options. Collective. */
void agree_on_options(struct node *node);

/** End the process, naming the file and the nodes, unless all nodes have read the same bytes. Collective. */
void agree_on_input(struct node *node, struct node_input input);

#endif
