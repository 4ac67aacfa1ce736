/* SPDX-License-Identifier: MIT */
/*
 * The rooms of blocks on the device: their sizes, and where a room and the rows of its block begin.
 *
 * All rooms lie in one buffer, GRAVEL_BLOCK_ROOMS for each queue; block.h has what is in them.
 *
 * Path:    the arena's sizes -> room.c -> device_aggregator.c.
 * Threads: any; no state.
 */
#ifndef GRAVEL_PUMP_ROOM_H
#define GRAVEL_PUMP_ROOM_H

#include "layout/arena.h"
#include "pump/block.h"
#include "transport/buffer.h"

#include <stdint.h>

#define GRAVEL_BLOCK_ROOMS \
    8u /* of each queue: being binned, copied or shipped, and some that wait for their turn to be applied */

struct gravel_rooms {
    uint64_t n_rooms;
    uint32_t n_nodes;
    uint32_t counts_bytes; /* what a block begins with */
    uint32_t body_bytes;   /* of messages */
    uint32_t room_bytes;   /* a whole block, and gaps between its parts */
};

/* Offsets in the buffer [bytes]. */
struct gravel_room {
    uint64_t number; /* among all rooms */
    uint64_t block;
    uint64_t indices, values; /* rows of the block */
};

/** Bytes of a block's messages, at most. @param queue_bytes  of one queue. */
static inline uint32_t gravel_block_bytes(uint32_t n_queues, uint64_t queue_bytes)
{
    const uint64_t all = 128u << 20, most = GRAVEL_ROWS_MOST_BYTES, least = 64u << 10;
    uint64_t share = all / GRAVEL_BLOCK_ROOMS / n_queues;
    uint64_t bytes = share < least ? least : share < most ? share : most;
    return (uint32_t)(queue_bytes < bytes ? queue_bytes : bytes);
}

struct gravel_rooms gravel_rooms_of(const struct gravelp_arena *arena);

/** Messages of a command that a room holds [count]. */
uint32_t gravel_room_fits(const struct gravel_rooms *rooms, uint32_t command);

/** @param room  0 to GRAVEL_BLOCK_ROOMS - 1, of the run's queue. */
struct gravel_room gravel_room_of(const struct gravel_rooms *rooms,
                                  const struct gravel_package_run *run, uint32_t room);

#endif
