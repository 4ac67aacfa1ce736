/* SPDX-License-Identifier: MIT */
/* The rooms of blocks on the device. See room.h. */
#include "pump/room.h"

#define VALUE_BYTES 8u /* values begin at a multiple of it */

static uint32_t round_to_line(uint32_t bytes)
{
    return (bytes + GRAVELP_CACHELINE - 1) & ~(uint32_t)(GRAVELP_CACHELINE - 1);
}

struct gravel_rooms gravel_rooms_of(const struct gravelp_arena *arena)
{
    uint32_t counts_bytes = round_to_line((arena->n_nodes + 1) * (uint32_t)sizeof(uint32_t));
    uint32_t body_bytes =
        gravel_block_bytes(arena->n_queues, (uint64_t)arena->n_slots * arena->slot_bytes);
    uint32_t gaps = round_to_line(arena->n_nodes * GRAVEL_BLOCK_MESSAGE_MOST_BYTES);
    return (struct gravel_rooms){
        .n_rooms = (uint64_t)arena->n_queues * GRAVEL_BLOCK_ROOMS,
        .n_nodes = arena->n_nodes,
        .counts_bytes = counts_bytes,
        .body_bytes = body_bytes,
        .room_bytes = counts_bytes + body_bytes + gaps, /* all multiples of a line */
    };
}

uint32_t gravel_room_fits(const struct gravel_rooms *rooms, uint32_t command)
{
    return (rooms->body_bytes - VALUE_BYTES) / GRAVELP_MESSAGE_BYTES(command);
}

struct gravel_room gravel_room_of(const struct gravel_rooms *rooms,
                                  const struct gravel_package_run *run, uint32_t room)
{
    uint64_t number = (uint64_t)run->queue * GRAVEL_BLOCK_ROOMS + room;
    uint64_t block = number * rooms->room_bytes, n = run->n_messages + rooms->n_nodes;
    uint64_t indices = block + rooms->counts_bytes;
    uint64_t indices_bytes = n * GRAVELP_INDEX_BYTES(run->command);
    uint64_t values = indices + ((indices_bytes + VALUE_BYTES - 1) & ~(uint64_t)(VALUE_BYTES - 1));
    return (struct gravel_room){number, block, indices, values};
}
