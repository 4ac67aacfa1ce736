/* SPDX-License-Identifier: MIT */
/*
 * A launch of clients and servers on an open node.
 *
 * Path:    gravel/server.h -> launch.c -> modes.c -> node/launch.c.
 * Threads: one launch at a time.
 */
#ifndef GRAVEL_SERVER_LAUNCH_H
#define GRAVEL_SERVER_LAUNCH_H

#include "node/node.h"

struct gravel_servers_launch {
    struct gravel *gravel;
    cl_kernel clients, server;
    cl_kernel pairs; /* serves transactions; NULL if there are none */
    uint64_t n_items;
    uint32_t n_groups;                             /* virtual groups of clients */
    size_t client_items, server_items, pair_items; /* of a group */
    cl_event event;                                /* of the last kernel so far */
};

/**
 * modes.c: run a launch to its end, in phases or side by side.
 *
 * @param is_broken  [out] whether messages were dropped after a fault, which the node's threads report.
 * @return           0; GRAVEL_EINVAL: the kernel of clients takes no work; what kernels and copies return.
 */
int gravel_servers_run(struct gravel_servers_launch *launch, bool *is_broken);

#endif
