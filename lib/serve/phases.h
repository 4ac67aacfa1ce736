/* SPDX-License-Identifier: MIT */
/*
 * Clients and servers in turns: a kernel of clients ends when an inbox is nearly full or no work is left, a kernel of
 * servers empties the inboxes, and so on. No work-group waits, so that it works on every step and with a single compute
 * unit.
 *
 * Path:    node/server.c -> phases.c -> kernels.
 * Threads: one that launches.
 * Source:  not in Wang, Fussell, Lin 2019, where clients and servers run side by side.
 */
#ifndef GRAVEL_SERVE_PHASES_H
#define GRAVEL_SERVE_PHASES_H

#include "serve/servers.h"

/**
 * Run a launch to its end.
 *
 * @param is_broken  [out] whether messages were dropped after a fault, which the node's threads tell.
 * @return           0; GRAVEL_EINVAL: the kernel of clients takes no work; what `run` and copies return.
 */
int gravel_phases_run(const struct gravel_servers_launch *launch, bool *is_broken);

#endif
