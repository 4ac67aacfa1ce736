/* SPDX-License-Identifier: MIT */
/*
 * What decides the updates of --divergence, for host and kernels: the same for a whole launch.
 */
#ifndef APPS_GUPS_DIVERGENT_H
#define APPS_GUPS_DIVERGENT_H

struct divergent {
    ulong length_key, update_key; /* of the random numbers */
    ulong active_below;           /* a work-item is active if its random 32 bits are below this */
    ulong first_item; /* number of the node's first work-item among those of all nodes */
    ulong table;      /* its heap offset; of mask + 1 words */
    uint mask;
    uint most; /* updates of an active work-item, 1 to most */
};

#endif
