/* SPDX-License-Identifier: MIT */
/*
 * Spill rings: where messages wait that handlers with keys send to servers.
 *
 *     rings = struct gravelp_queue_words of the owner 0, of 1 ... | n_spill messages of owner 0 | of 1 ...
 *
 * A ring is a queue whose producers are work-items that run handlers, and whose consumer is the server that owns the
 * keys. No producer waits for room: as many messages as handlers have declared fit, and as many more as a server takes
 * from its ring at once, which keep their places until they have been run.
 *
 * Path:    lib/serve/servers.c lays them out -> spill.cl.h fills and empties them.
 */
#ifndef GRAVELP_SPILL_H
#define GRAVELP_SPILL_H

#include "server.h"

/* Ahead of a message's arguments, which are ulong. */
struct gravelp_spilled {
    gravelp_u32 published; /* O1: ticket + 1 */
    gravelp_u32 handler;
};

/* Messages that a server takes from its ring at once, at most. */
#define GRAVELP_SPILL_BATCH 1024u

#define GRAVELP_SPILLED_BYTES(n_args) (sizeof(struct gravelp_spilled) + 8u * (n_args))

/* Byte offsets from the start of the server region. */
#define GRAVELP_SPILL_WORDS(servers, owner)                                              \
    (GRAVELP_INBOX_SLOT((servers)->n_servers, (servers)->n_slots, (servers)->slot_bytes, \
                        (servers)->n_servers, 1) +                                       \
     (owner) * sizeof(struct gravelp_queue_words))
#define GRAVELP_SPILLED(servers, owner, place)               \
    (GRAVELP_SPILL_WORDS(servers, (servers)->n_owners) +     \
     ((gravelp_u64)(owner) * (servers)->n_spill + (place)) * \
         GRAVELP_SPILLED_BYTES((servers)->n_spill_args))

#endif
