/* SPDX-License-Identifier: MIT */
/*
 * Handlers that send. See sender.h.
 */
#include "serve/sender.h"

#include "base/power.h"
#include "layout/server.h"

uint64_t gravel_sender_room(const struct gravel_endpoints *endpoints)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < endpoints->n_handlers; i++)
        n += endpoints->handlers[i].serve.max_pending < GRAVEL_SENDER_MOST_ROOM
                 ? endpoints->handlers[i].serve.max_pending
                 : 2 * GRAVEL_SENDER_MOST_ROOM;
    return n;
}

uint32_t gravel_sender_ring(const struct gravel_endpoints *endpoints)
{
    const uint64_t room = gravel_sender_room(endpoints);
    return room ? gravel_power_from(room + GRAVELP_SPILL_BATCH) : 0;
}
