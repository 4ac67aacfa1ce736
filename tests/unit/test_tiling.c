/* SPDX-License-Identifier: MIT */
/*
 * How a run is shared out, for runs and packages of any length, slots and groups of any size: every package is counted
 * by one group, every column lies in one tile, and no tile has more messages than a group takes.
 *
 * Path: meson test -> this -> lib/pump/block.h
 */

#include "cases.h"
#include "pump/block.h"
#include "layout/package.h"

static const uint32_t slot_sizes[] = {GRAVELP_SLOT_MIN_BYTES, 2112, 9280, 64 + 10000 * 8};
static const uint32_t lengths[] = {0, 1, 15, 16, 17, 256, 1000, 10000};
static const uint32_t commands[] = {GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT),
                                    GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_ULONG)};
#define EACH(array, i) (size_t i = 0; i < sizeof(array) / sizeof *(array); i++)

static void check(uint32_t n_packages, uint32_t length, uint32_t slot_bytes, uint32_t command,
                  uint32_t group, uint32_t most_groups, uint32_t in_order)
{
    const struct gravel_package_run run = {
        .n_packages = n_packages, .command = command, .most_messages = length};
    const struct gravel_tiling tiling =
        gravel_tiling_of(&run, slot_bytes, group, most_groups, in_order);
    uint32_t fit = GRAVELP_SLOT_COLUMNS(slot_bytes, command);
    uint32_t wanted = length && length < fit ? length : fit, n = n_packages ? n_packages : 1;
    uint32_t messages = tiling.tile_packages * tiling.columns;

    if (in_order) {
        assert_int_equal(tiling.n_groups, tiling.n_tiles);
        assert_int_equal(tiling.packages_each, tiling.tile_packages);
        assert_in_range(tiling.tile_packages, 1, in_order);
    } else {
        assert_in_range(tiling.n_groups, 1, most_groups);
    }
    assert_in_range(n, (tiling.n_groups - 1) * tiling.packages_each + 1,
                    tiling.n_groups * tiling.packages_each);
    assert_int_equal(group % tiling.team, 0);

    assert_in_range(n, (tiling.n_tiles - 1) * tiling.tile_packages + 1,
                    tiling.n_tiles * tiling.tile_packages);
    assert_in_range(tiling.columns * tiling.n_rounds, wanted, UINT32_MAX);
    assert_in_range(messages, 1, tiling.each * group);
    assert_in_range(tiling.each * gravel_row_bytes(command), 1, 64);
}

TEST(every_package_and_column_is_shared_out_once)
{
    for
        EACH(slot_sizes, slot)
        for
            EACH(lengths, length)
            for
                EACH(commands, command)
            for (uint32_t group = 1; group <= 256; group *= 2)
                for (uint32_t n = 0; n < 5000; n += n / 3 + 1)
                    for (uint32_t in_order = 0; in_order < 1000; in_order = 4 * in_order + 1)
                        check(n, lengths[length], slot_sizes[slot], commands[command], group,
                              4 * group + 8, in_order);
}
