/* SPDX-License-Identifier: MIT */
/*
 * Measures critical sections on a device: by servers, in both modes, by locks, and by atomic operations.
 *
 * Path:    probe.c -> servers.c -> gravel/server.h and servers.cl.
 * Owner:   the caller of what is returned.
 * Threads: any one; not under an MPI communicator (transport self).
 */
#ifndef TOOLS_INFO_SERVERS_H
#define TOOLS_INFO_SERVERS_H

#include "gravel/gravel.h"

#include <jansson.h>

/**
 * Measure, in some seconds. What a launch leaves in memory is checked, each time.
 *
 * @param config  the device is taken from it, and whatever does not concern transport and servers.
 * @param code    [out] 0; GRAVEL_ECORRUPT if memory does not hold what it must; or what a call of gravel.h returned.
 * @return        {"keys": [{"keys": n, "phases": a, "resident": b, "locks": c, "lock_groups": d, "atomics": e}],
 *                "not_resident": why, or null}, in sections a second; a way that the device does not have is null.
 */
json_t *info_servers_measure(const struct gravel_config *config, int *code);

#endif
