/* SPDX-License-Identifier: MIT */
/*
 * A block: the messages of a run of packages, grouped by destination by the device. In a room of its queue on the
 * device:
 *
 *     block = counts [n_nodes + 1], padded to a cache line | indices [n] | values [n]
 *
 * Indices and values of node 0 come first, then those of node 1, and so on: n is n_messages + n_nodes, for each part
 * begins at an even message, so that copies of it begin at 8 bytes. Puts of a part are in the order of their
 * packages, other messages in any. Element n_nodes of the counts is 0; it is more if the device found something to
 * refuse, and then the block holds nothing else.
 *
 * The run becomes two kernels, one of puts three, and a copy of the counts to the host, which then knows where to copy
 * the parts: an increment costs the bus 4 bytes instead of 8, and the host reads no message. On the host a block is a
 * list of node buffers, each filled except for its headers: every part is copied from the device straight to where its
 * messages travel from, to as many buffers as it takes.
 *
 * Path:    cl/kernels/aggregate.cl -> device_aggregator.c -> lib/pump/blocks.c -> aggregator.c -> sender.c.
 * Owner:   the pump; the aggregator's from U1 on until it has released the run's tickets (C2). The buffers return to
 *          the pump's pool.
 */
#ifndef GRAVEL_PUMP_BLOCK_H
#define GRAVEL_PUMP_BLOCK_H

#include "layout/package.h"
#include "memory/memory.h"
#include "transport/buffer.h"

#include <string.h>

/* Packages with one ticket after the other, in adjacent slots, of one command and base. */
struct gravel_package_run {
    uint32_t queue, ticket; /* of the first */
    uint32_t n_packages;
    uint32_t command;
    uint64_t base;
    uint32_t n_messages;    /* in all */
    uint32_t most_messages; /* of one */
};

struct gravel_block {
    struct gravel_package_run run;
    struct gravel_buffer *first;
    /* in the order of their destinations; NULL: they have been shipped */
};

#define GRAVEL_BLOCK_MESSAGE_MOST_BYTES 12u /* an index and a value */

/** Returns whether messages of a command may be reordered: any except puts, active messages and malformed ones. */
static inline int gravel_command_commutes(uint32_t command)
{
    uint32_t op = GRAVELP_COMMAND_OP(command), type = GRAVELP_COMMAND_TYPE(command);
    return op >= GRAVEL_INC && op <= GRAVEL_XOR && type <= GRAVEL_DOUBLE &&
           command == GRAVELP_COMMAND(op, type);
}

/** Returns whether a command, which may be malformed, is a put: binned too, in the order of the packages. */
static inline int gravel_command_is_put(uint32_t command)
{
    uint32_t type = GRAVELP_COMMAND_TYPE(command);
    return type <= GRAVEL_DOUBLE && command == GRAVELP_COMMAND(GRAVEL_PUT, type);
}

/* ---- how a run is shared out ------------------------------------------------------------------- */

/* Packages for each group of count_messages, and tiles of messages, which the groups of group_by_node take in turn. A
 * tile is as many whole packages as fit, or, of packages longer than a tile, some columns in each of several rounds. */
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

/** Returns the bytes of an element of a command's widest row. */
static inline uint32_t gravel_row_bytes(uint32_t command)
{
    uint32_t value = GRAVELP_N_VALUES(command) ? GRAVELP_VALUE_BYTES(command) : 0;
    return value == 8 ? 8 : GRAVELP_INDEX_BYTES(command);
}

/**
 * @param group        work-items of a group, a power of two.
 * @param most_groups  of count_messages.
 * @param in_order     0: messages of the run may be reordered. Else most packages of a tile.
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

/* ---- whether there are blocks, and what they take ----------------------------------------------- */

#define GRAVEL_BLOCK_MOST_NODES 4096u /* of more, few messages of any run go to the same */

#define GRAVEL_BLOCK_ROOMS \
    8u /* of each queue: being binned, copied or shipped, and some that wait to be applied */

/** Returns the bytes of a block's messages, at most. @param queue_bytes  of one queue. */
static inline uint32_t gravel_block_bytes(uint32_t n_queues, uint64_t queue_bytes)
{
    const uint64_t all = 128u << 20, most = GRAVEL_ROWS_MOST_BYTES, least = 64u << 10;
    uint64_t share = all / GRAVEL_BLOCK_ROOMS / n_queues;
    uint64_t bytes = share < least ? least : share < most ? share : most;
    return (uint32_t)(queue_bytes < bytes ? queue_bytes : bytes);
}

/**
 * Returns whether a device bins long runs. A CPU device has no bus to spare.
 *
 * @param setting  GRAVEL_DEVICE_AGGREGATION's value.
 */
static inline bool gravel_device_bins(const struct gravel_device *device, const char *setting)
{
    if (!strcmp(setting, "off") || gravel_step_is_shared(device->step))
        return false;
    return !strcmp(setting, "on") ||
           (gravel_step_is_pumped(device->step) && !device->capability.is_cpu);
}

/**
 * Enqueue copies of rows of messages on the device to a buffer that is laid out for as many.
 *
 * @param copied  [out] the last copy's event; replaces what was there.
 * @return        CL_SUCCESS, or what the driver returned.
 */
cl_int gravel_rows_copy(cl_command_queue queue, const struct gravel_rows *rows,
                        const struct gravel_buffer *buffer, cl_event *copied);

#endif
