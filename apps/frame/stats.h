/* SPDX-License-Identifier: MIT */
/*
 * What all nodes counted, as a table or as JSON.
 *
 * Path: app.c, after the last barrier -> this -> stdout
 * Owner: stats_gather's result is the caller's to free.
 * Threads: main's.
 * Source: Orr 2016, table 5-4 (remote share, mean network message) and section 5.5 (polling).
 */
#ifndef APPS_STATS_H
#define APPS_STATS_H

#include "frame/node.h"
#include "frame/trials.h"

/** Fetch every process's counters. Collective. @return [n_processes], the same everywhere. */
struct gravel_stats *stats_gather(struct node *node);

/** Print a line a process: where its messages went, and why its buffers left. */
void stats_print(FILE *out, const struct gravel_stats *stats, uint32_t n_processes);

/** An array with an object a process: all counters and the ratios made of them. @return a new
 * reference. */
json_t *stats_json(const struct gravel_stats *stats, uint32_t n_processes);

/**
 * Print what node 0 has to say: the last trial's statistics and the summary. Collective.
 *
 * @param n_wrong  what the check found wrong at this node [count]; 0 if not checked.
 * @return         EXIT_SUCCESS, or EXIT_FAILURE if any node found something wrong.
 */
int stats_report(struct node *node, struct trials *trials, bool was_checked, uint64_t n_wrong);

#endif
