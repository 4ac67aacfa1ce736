/* SPDX-License-Identifier: MIT */
/*
 * What the pairs of a job's ranks are to each other: whether one hands frames over to the other in memory or sends
 * them by MPI, how long a round trip takes, and how many bytes a second go across. One pair is measured at a time.
 *
 * Path:    cluster.c -> pairs.c -> lib/transport.
 * Threads: main's, once in a process, behind info_gather.
 */
#ifndef TOOLS_INFO_PAIRS_H
#define TOOLS_INFO_PAIRS_H

#include <jansson.h>

/**
 * Measure all pairs. Collective. Ends within 30 s, and what there was no time for is not measured; where MPI keeps a
 * rank for 45 s, its process ends with a line on standard error.
 *
 * @param all  of info_gather.
 * @return     at rank 0 an array: {ranks: [i, j], way: "handed over" or "MPI", round_trip_us, bytes_per_s} for each
 *             i < j, in order; {ranks, way: "silent"} where j does not answer, {ranks, way: null} if not measured.
 *             {error: text} if the transport does not open. NULL at other ranks, and if there is one rank alone.
 */
json_t *info_pairs(const json_t *all);

#endif
