/* SPDX-License-Identifier: MIT */
/*
 * How the kernels that bin a run share it out: packages for each group of count_messages, and tiles of messages, which
 * the groups of group_by_node take in turn (cl/kernels/aggregate.cl).
 *
 * A tile is as many whole packages as fit, or, of packages longer than a tile, some columns in each of several rounds.
 *
 * Path:    a run -> tiling.c -> device_aggregator.c, as arguments and sizes of the kernels.
 * Threads: any; no state.
 */
#ifndef GRAVEL_PUMP_TILING_H
#define GRAVEL_PUMP_TILING_H

#include "pump/block.h"

#include <stdint.h>

struct gravel_tiling {
    /* count_messages; of a run whose messages keep their order, a tile for each group */
    uint32_t packages_each, n_groups;
    uint32_t team; /* lanes that share a package */
    /* group_by_node */
    uint32_t tile_packages, n_tiles;
    uint32_t columns, n_rounds; /* of a package: in one round, and rounds */
    uint32_t each;              /* messages that a lane takes, at most */
};

/**
 * @param group        work-items of a group, a power of two.
 * @param most_groups  of count_messages.
 * @param in_order     0: messages of the run may change places. Else most packages of a tile.
 */
struct gravel_tiling gravel_tiling_of(const struct gravel_package_run *run, uint32_t slot_bytes,
                                      uint32_t group, uint32_t most_groups, uint32_t in_order);

/** Bytes of an element of a command's widest row. */
uint32_t gravel_row_bytes(uint32_t command);

#endif
