/* SPDX-License-Identifier: MIT */
/*
 * Nodes that histories run on. See run.c.
 */
#ifndef TESTS_HISTORY_RUN_H
#define TESTS_HISTORY_RUN_H

#include "table.h"

struct nodes;

/** Open by the launcher and the environment, with handlers of the device or without, and compile. Collective. */
struct nodes *nodes_open(bool asks);
void nodes_close(struct nodes *nodes);

/** What the seed does not say. */
void nodes_describe(const struct nodes *nodes, struct history *history);

bool is_first_node(const struct nodes *nodes);

/** Let it happen, and tell every rank what was seen. Collective. A history_run. */
void nodes_run(struct history *history, void *nodes);

/** The sum of the ranks' numbers. Collective. */
uint64_t nodes_sum(struct nodes *nodes, uint64_t number);

#endif
