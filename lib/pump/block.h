/* SPDX-License-Identifier: MIT */
/*
 * A block: the messages of a run of packages, grouped by destination by the device. In a room on the device:
 *
 *     block = counts [n_nodes + 1], padded to a cache line | indices [n] | values [n]
 *
 * Indices and values of node 0 come first, then those of node 1, and so on: n is n_messages + n_nodes, for each part
 * begins at an even message, so that copies of it begin at 8 bytes. Puts of a part stand in the order of their
 * packages, other messages in any. Element n_nodes of the counts is 0; it is more if the device found something to
 * refuse, and then the block holds nothing else.
 *
 * On the host it is a list of node buffers, each filled but for its headers: every part is copied from the device
 * straight to where its messages travel from, to as many buffers as it takes.
 *
 * Path:    cl/kernels/aggregate.cl -> device_aggregator.c -> lib/pump/blocks.c -> aggregator.c -> sender.c.
 * Owner:   the pump; the aggregator's from U1 on until it has released the run's tickets (C2). The buffers go home to
 *          the pump's pool.
 */
#ifndef GRAVEL_PUMP_BLOCK_H
#define GRAVEL_PUMP_BLOCK_H

#include "layout/package.h"

#include <stdint.h>

/* Packages with one ticket after the other, in slots one behind the other, of one command and base. */
struct gravel_package_run {
    uint32_t queue, ticket; /* of the first */
    uint32_t n_packages;
    uint32_t command;
    uint64_t base;
    uint32_t n_messages;    /* in all */
    uint32_t most_messages; /* of one */
};

struct gravel_buffer;

struct gravel_block {
    struct gravel_package_run run;
    struct gravel_buffer *first;
    /* in the order of their destinations; NULL: they have been shipped */
};

#define GRAVEL_BLOCK_MESSAGE_MOST_BYTES 16u /* a wide index and a value */

/** Whether messages of a command may change places: any but puts and active messages. False for a malformed one. */
static inline int gravel_command_commutes(uint32_t command)
{
    uint32_t op = GRAVELP_COMMAND_OP(command), type = GRAVELP_COMMAND_TYPE(command);
    return op >= GRAVEL_INC && op <= GRAVEL_XOR && type <= GRAVEL_DOUBLE &&
           (command & ~GRAVELP_COMMAND_WIDE) == GRAVELP_COMMAND(op, type);
}

/** Whether messages of a command are puts: binned too, in the order of their packages. False for a malformed one. */
static inline int gravel_command_is_put(uint32_t command)
{
    uint32_t type = GRAVELP_COMMAND_TYPE(command);
    return type <= GRAVEL_DOUBLE &&
           (command & ~GRAVELP_COMMAND_WIDE) == GRAVELP_COMMAND(GRAVEL_PUT, type);
}

#endif
