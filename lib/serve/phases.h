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

/* A launch in phases. */
struct gravel_phases {
    struct gravel_servers *servers;
    cl_kernel clients, server;
    cl_kernel pairs; /* serves transactions; NULL if there are none */
    uint64_t n_items;
    size_t client_items, server_items, pair_items; /* of a group */
    struct gravel_limit limit;                     /* of the wait for a turn */
    /** Launch n groups and wait until they have ended. @return 0; else the launch ends with it. */
    int (*run)(void *context, cl_kernel kernel, size_t n_groups, size_t group_items);
    void *context;
};

/**
 * Run it to its end.
 *
 * @param is_broken  [out] whether messages were dropped after a fault, which the node's threads tell.
 * @return           0; GRAVEL_EINVAL: the kernel of clients takes no work; what `run` and copies return.
 */
int gravel_phases_run(const struct gravel_phases *phases, bool *is_broken);

#endif
