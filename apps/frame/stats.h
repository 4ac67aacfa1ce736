/* SPDX-License-Identifier: MIT */
/*
 * What all nodes counted, as a table or as JSON.
 *
 * Path: app.c, after the last barrier -> this -> stdout
 * Threads: main's.
 * Source: Orr 2016, table 5-4 (remote share, mean network message) and section 5.5 (polling).
 */
#ifndef APPS_STATS_H
#define APPS_STATS_H

#include "frame/node.h"
#include "frame/trials.h"

/**
 * Print what node 0 has to say: the last trial's statistics and the summary. Collective.
 *
 * @param n_wrong  what the check found wrong at this node [count]; 0 if not checked.
 * @return         EXIT_SUCCESS, or EXIT_FAILURE if any node found something wrong.
 */
int stats_report(struct node *node, struct trials *trials, bool was_checked, uint64_t n_wrong);

#endif
