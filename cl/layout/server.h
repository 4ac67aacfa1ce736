/* SPDX-License-Identifier: MIT */
/*
 * The server region of the arena: an inbox for each server, and what a launch of clients and servers shares.
 *
 *     region = struct gravelp_servers | one struct gravelp_queue_words a server | slots of server 0 | of server 1 ... |
 *              a slot for messages that are dropped after a fault | spill rings, if handlers send
 *     slot   = struct gravelp_package | argument row 0 | argument row 1 ...
 *     rings  = struct gravelp_queue_words of the owner 0, of 1 ... | n_spill messages of owner 0 | of 1 ...
 *
 * An inbox is a queue of packages whose producers are work-groups of clients and whose consumer is a work-group. A slot
 * has no node row, and as many columns as `columns` says: rows are that far apart.
 *
 * A spill ring is a queue whose producers are work-items that run handlers with keys, and whose consumer is the server
 * that owns the keys. No producer waits for room: as many messages as handlers have declared fit, and as many more as a
 * server takes from its ring at once, which keep their slots until they have been run.
 *
 * Path:    lib/serve/servers.c lays it out -> outbox.cl.h and inbox.cl.h fill it -> serving.cl.h empties it.
 */
#ifndef GRAVELP_SERVER_H
#define GRAVELP_SERVER_H

#include "arena.h"
#include "package.h"

#define GRAVELP_MOST_SERVERS 256u

/* What a launch is for. */
#define GRAVELP_LAUNCH_NONE 0u
#define GRAVELP_LAUNCH_PHASES 1u
#define GRAVELP_LAUNCH_RESIDENT 2u

struct gravelp_servers {
    /* Written by the host when the node opens, constant afterwards. */
    gravelp_u32 n_servers;    /* inboxes */
    gravelp_u32 n_owners;     /* of them share out keys; one behind these has the transactions */
    gravelp_u32 n_slots;      /* of an inbox, a power of two */
    gravelp_u32 slot_bytes;   /* a multiple of GRAVELP_CACHELINE */
    gravelp_u32 columns;      /* of a slot, a power of two */
    gravelp_u32 full_at;      /* slots in use at which clients take no more work in phases */
    gravelp_u32 n_spill;      /* messages of a spill ring, a power of two; 0: no handler sends */
    gravelp_u32 n_spill_args; /* arguments of each */
    gravelp_u32 constant_padding[8];

    /* Written by the host between kernels. */
    gravelp_u64 n_items; /* of the launch */
    gravelp_u32 launch;  /* GRAVELP_LAUNCH_* */
    gravelp_u32 stop_at; /* virtual groups from this one on are left to the next kernel */
    gravelp_u32 host_padding[12];

    /* Written by the device; atomic. */
    gravelp_u32 next;      /* virtual groups that clients have taken */
    gravelp_u32 is_full;   /* not 0: an inbox has full_at slots in use, and clients end */
    gravelp_u32 is_broken; /* not 0: a fault has been reported, and messages were dropped */
    gravelp_u32 n_served;  /* messages that servers have run, in all launches; free-running */
    gravelp_u32 device_padding[12];
    /* Written by the device where clients and servers run concurrently; servers read it while they wait. */
    gravelp_u32 arrived;  /* groups that have begun: the first n_servers serve */
    gravelp_u32 finished; /* I3: groups of clients that have published all that they send */
    gravelp_u32 role_padding[14];
};

GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_servers) == 4 * GRAVELP_CACHELINE, "one line a writer");

/* Byte offsets from the start of the region: of the words of a queue, and of a slot of inbox `server`. */
#define GRAVELP_INBOX_WORDS(server) \
    (sizeof(struct gravelp_servers) + (server) * sizeof(struct gravelp_queue_words))
#define GRAVELP_INBOX_SLOT(n_servers, n_slots, slot_bytes, server, slot) \
    (GRAVELP_INBOX_WORDS(n_servers) + ((gravelp_u64)(server) * (n_slots) + (slot)) * (slot_bytes))

#define GRAVELP_INBOX_ROWS ((gravelp_u32)sizeof(struct gravelp_package))
#define GRAVELP_INBOX_SLOT_BYTES(columns, n_args) (GRAVELP_INBOX_ROWS + 8u * (columns) * (n_args))

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
#define GRAVELP_SPILLED(servers, owner, slot)               \
    (GRAVELP_SPILL_WORDS(servers, (servers)->n_owners) +    \
     ((gravelp_u64)(owner) * (servers)->n_spill + (slot)) * \
         GRAVELP_SPILLED_BYTES((servers)->n_spill_args))

#endif
