/* SPDX-License-Identifier: MIT */
/*
 * Whether the ranks of a job reach each other with packets as long as the network has: a job may open, and hang at its
 * first long frames, where hosts or switches differ in MTU.
 *
 * Path:    cluster.c -> reach.c -> lib/transport.
 * Threads: main's, once in a process, behind info_gather.
 */
#ifndef TOOLS_INFO_REACH_H
#define TOOLS_INFO_REACH_H

#include <jansson.h>

/**
 * Send a long frame from each rank to each other. Collective. Ends within 15 s; where MPI keeps a rank for 45 s, its
 * process ends with a line on standard error.
 *
 * @param n_ranks  of the job.
 * @return         at rank 0 the pairs [i, j], i < j, of which one heard nothing of the other; {error: text} if the
 *                 transport does not open; NULL at other ranks, and if there is one rank alone.
 */
json_t *info_reach(size_t n_ranks);

#endif
