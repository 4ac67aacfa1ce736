/* SPDX-License-Identifier: MIT */
/*
 * What keeps a job from opening, or makes it slow: by what its ranks say, each finding with ranks, hosts and a remedy.
 *
 * Path:    gather.c, reach.c -> findings.c -> cluster.c.
 * Threads: main's; functions of their arguments alone.
 */
#ifndef TOOLS_INFO_FINDINGS_H
#define TOOLS_INFO_FINDINGS_H

#include <jansson.h>
#include <sched.h>

/**
 * Compare all ranks.
 *
 * @param ranks  as info_gather gives them.
 * @return       [{"what": text, "remedy": text, "is_fatal": whether gravel_open would fail}]; the caller's.
 */
json_t *info_find(const json_t *ranks);

/** Add a note for each pair of which one does not answer the other. @param pairs  as info_reach gives them. */
void info_find_silent(const json_t *ranks, const json_t *pairs, json_t *findings);

/** The device that a rank takes, by its turn among those of its host, "0:0"; NULL: none. */
const char *info_device_of(const json_t *rank);

/** Read a set of cores as Linux writes it, "0-3,8". @param set  [out] up to the first character of no list */
void info_cores_read(const char *text, cpu_set_t *set);

#endif
