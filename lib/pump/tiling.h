/* SPDX-License-Identifier: MIT */
/*
 * How the kernels that bin a run share it out: packages for each group of count_messages, and tiles of messages, which
 * the groups of group_by_node take in turn (cl/kernels/aggregate.cl).
 *
 * A tile is as many whole packages as fit, or, of packages longer than a tile, some columns in each of several rounds.
 *
 * Path:    a run -> tiling.h -> device_aggregator.c, as arguments and sizes of the kernels.
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

#define TILING_TEAM 32u     /* lanes that share a package, if there are packages for all teams */
#define TILING_MOST_EACH 8u /* messages of a tile that a lane takes; of rows of 8 bytes, half */

static inline uint32_t gravel_divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/** Bytes of an element of a command's widest row. */
static inline uint32_t gravel_row_bytes(uint32_t command)
{
    uint32_t value = GRAVELP_N_VALUES(command) ? GRAVELP_VALUE_BYTES(command) : 0;
    return value == 8 ? 8 : GRAVELP_INDEX_BYTES(command);
}

/**
 * @param group        work-items of a group, a power of two.
 * @param most_groups  of count_messages.
 * @param in_order     0: messages of the run may change places. Else most packages of a tile.
 */
static inline struct gravel_tiling gravel_tiling_of(const struct gravel_package_run *run,
                                                    uint32_t slot_bytes, uint32_t group,
                                                    uint32_t most_groups, uint32_t in_order)
{
    uint32_t n = run->n_packages ? run->n_packages : 1;
    uint32_t columns = GRAVELP_SLOT_COLUMNS(slot_bytes, run->command);
    if (run->most_messages && run->most_messages < columns) /* those of the longest package */
        columns = GRAVELP_PACKAGE_STRIDE(run->most_messages);
    uint32_t each = gravel_row_bytes(run->command) == 8 ? TILING_MOST_EACH / 2 : TILING_MOST_EACH;
    uint32_t tile = each * group, at_once = columns < tile ? columns : tile;
    uint32_t tile_packages = tile / at_once;
    if (in_order && tile_packages > in_order)
        tile_packages = in_order;
    uint32_t packages_each = in_order ? tile_packages : gravel_divide_up(n, most_groups);
    bool has_teams = group > TILING_TEAM && packages_each >= group / TILING_TEAM;
    return (struct gravel_tiling){
        .packages_each = packages_each,
        .n_groups = gravel_divide_up(n, packages_each),
        .team = has_teams ? TILING_TEAM : group,
        .tile_packages = tile_packages,
        .n_tiles = gravel_divide_up(n, tile_packages),
        .columns = at_once,
        .n_rounds = gravel_divide_up(columns, at_once),
        .each = each,
    };
}

#endif
