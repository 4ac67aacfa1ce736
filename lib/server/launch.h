/* SPDX-License-Identifier: MIT */
/*
 * A launch of clients and servers on an open node.
 *
 * Path:    gravel/server.h -> launch.c -> phases.c or resident.c -> kernels.c -> node/launch.c.
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
 * kernels.c: make the kernels beside the clients', which are of the same program, and size all groups.
 *
 * @param launch  gravel, clients and n_items are set; its kernels are to be released, also on failure.
 * @return        0; GRAVEL_EINVAL: the program is no gravel_server_build's; GRAVEL_ECL.
 */
int gravel_servers_make_kernels(struct gravel_servers_launch *launch);
void gravel_servers_release_kernels(struct gravel_servers_launch *launch);

/** kernels.c: run a kernel of so many groups to its end. @return 0; else the launch ends with it. */
int gravel_servers_run(struct gravel_servers_launch *launch, cl_kernel kernel, size_t n_groups,
                       size_t group_items);

/** kernels.c: the same, while no other kernel runs handlers with keys. */
int gravel_servers_run_in_turn(struct gravel_servers_launch *launch, cl_kernel kernel,
                               size_t n_groups, size_t group_items);

/** kernels.c: what a kernel without GRAVEL_SERVE comes to. @return GRAVEL_EINVAL. */
int gravel_servers_fail_without_work(void);

/**
 * phases.c: run a launch to its end, in turns.
 *
 * @param is_broken  [out] whether messages were dropped after a fault, which the node's threads tell.
 * @return           0; GRAVEL_EINVAL: the kernel of clients takes no work; what kernels and copies return.
 */
int gravel_phases_run(struct gravel_servers_launch *launch, bool *is_broken);

/** resident.c: the same, side by side. */
int gravel_resident_run(struct gravel_servers_launch *launch, bool *is_broken);

#endif
