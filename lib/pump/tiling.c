/* SPDX-License-Identifier: MIT */
/* How the kernels that bin a run share it out. See tiling.h. */
#include "pump/tiling.h"

#include <stdbool.h>

#define TEAM 32u     /* lanes that share a package, if there are packages for all teams */
#define MOST_EACH 8u /* messages of a tile that a lane takes; of rows of 8 bytes, half */

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

uint32_t gravel_row_bytes(uint32_t command)
{
    uint32_t value = GRAVELP_N_VALUES(command) ? GRAVELP_VALUE_BYTES(command) : 0;
    return value == 8 ? 8 : GRAVELP_INDEX_BYTES(command);
}

/* Columns of the run's longest package. */
static uint32_t longest(const struct gravel_package_run *run, uint32_t slot_bytes)
{
    uint32_t fit = GRAVELP_SLOT_COLUMNS(slot_bytes, run->command);
    return run->most_messages && run->most_messages < fit
               ? GRAVELP_PACKAGE_STRIDE(run->most_messages)
               : fit;
}

struct gravel_tiling gravel_tiling_of(const struct gravel_package_run *run, uint32_t slot_bytes,
                                      uint32_t group, uint32_t most_groups, uint32_t in_order)
{
    uint32_t n = run->n_packages ? run->n_packages : 1, columns = longest(run, slot_bytes);
    uint32_t each = gravel_row_bytes(run->command) == 8 ? MOST_EACH / 2 : MOST_EACH;
    uint32_t tile = each * group, at_once = columns < tile ? columns : tile;
    uint32_t tile_packages = tile / at_once;
    if (in_order && tile_packages > in_order)
        tile_packages = in_order;
    uint32_t packages_each = in_order ? tile_packages : divide_up(n, most_groups);
    bool has_teams = group > TEAM && packages_each >= group / TEAM;
    return (struct gravel_tiling){
        .packages_each = packages_each,
        .n_groups = divide_up(n, packages_each),
        .team = has_teams ? TEAM : group,
        .tile_packages = tile_packages,
        .n_tiles = divide_up(n, tile_packages),
        .columns = at_once,
        .n_rounds = divide_up(columns, at_once),
        .each = each,
    };
}
