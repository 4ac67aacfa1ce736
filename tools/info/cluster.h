/* SPDX-License-Identifier: MIT */
/*
 * One page about a job: what each rank has, and what differs between hosts.
 *
 * Path:    gravel-info.c -> cluster.c -> rank.c, gather.c, reach.c, findings.c.
 * Threads: main's, once in a process.
 */
#ifndef TOOLS_INFO_CLUSTER_H
#define TOOLS_INFO_CLUSTER_H

#include <jansson.h>

/**
 * Ask all ranks of this process's job; collective.
 *
 * @param device   as GRAVEL_DEVICE names it, or NULL: GRAVEL_DEVICE's.
 * @param limit_s  for each look at the drivers [seconds].
 * @return         {"ranks": [rank.h's], "findings": [findings.h's], "rank": this one's number}, at rank 0 of several with
 *                 "silent": reach.h's pairs; or, if the ranks did not meet, {"error": text, "ranks": [this one]}; NULL
 *                 without memory.
 */
json_t *info_cluster(const char *device, unsigned limit_s);

/** Print the page for people. */
void info_cluster_print(const json_t *cluster);

/** Whether gravel_open would fail, by what the ranks say, or a pair of them is silent. */
int info_cluster_is_broken(const json_t *cluster);

#endif
