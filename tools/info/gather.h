/* SPDX-License-Identifier: MIT */
/*
 * What each rank of a job says, at all of them: through Gravel's network thread, whose opening is bounded, and without a
 * device.
 *
 * Path:    cluster.c -> gather.c -> lib/network.
 * Threads: main's, once in a process.
 */
#ifndef TOOLS_INFO_GATHER_H
#define TOOLS_INFO_GATHER_H

#include <jansson.h>

/**
 * Exchange. Collective: every rank that the launcher has started makes this call.
 *
 * @param own  this rank's object; it gets "rank", "first" (the first rank on its host), "local" (its number among
 *             those), and "handover": {"takers": ranks of the host that can map its node buffers, "error": why it has
 *             no memory that others could map, or null, "why_not": why it cannot map another's, or null}.
 * @param all  [out] an array of the objects of all ranks; the caller's.
 * @return     0; as gravel_open: GRAVEL_ECONFIG, GRAVEL_EMPI, GRAVEL_EPEER, GRAVEL_ENOMEM.
 */
int info_gather(json_t *own, json_t **all);

#endif
