/* SPDX-License-Identifier: MIT */
/*
 * The mailbox of a device's resident servers: messages with keys that come by the network while a launch runs.
 *
 *     mailbox = one struct gravelp_mail_words a server | a publish word a slot | n_mail slots
 *     slot    = struct gravelp_mail | argument row 0 | argument row 1 ... | answers, of messages that ask
 *
 * It is a ring whose producer is the host, and of which every server reads every slot and runs what it owns: only the
 * program's text knows who owns a key (GRAVEL_OWNER). A slot is free when all servers have passed it. Publish words lie
 * side by side, so that the host brings slots that lie one behind the other in two plain copies, slots first: rows of
 * a buffer go astray in some drivers (lib/memory/arena.c).
 *
 * Path:    lib/serve/servers.c lays it out -> lib/serve/mail.c fills slots -> mail.cl.h reads them.
 */
#ifndef GRAVELP_MAIL_H
#define GRAVELP_MAIL_H

#include "server.h"

/* Of a server. */
struct gravelp_mail_words {
    gravelp_u32 passed; /* I6: slots whose messages it has run, free-running */
    gravelp_u32 padding[15];
};

/* Ahead of a slot's rows, which are as far apart as those of an inbox. */
struct gravelp_mail {
    gravelp_u32 handler, n_messages;
    gravelp_u32 source, node;
    gravelp_u32 answer_row; /* in which servers leave answers; or GRAVELP_NO_ANSWERS */
    gravelp_u32 padding;
    gravelp_u64 heap; /* the node's, in the arena [bytes] */
    gravelp_u32 more_padding[8];
};

GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_mail_words) == GRAVELP_CACHELINE, "one line a server");
GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_mail) == GRAVELP_CACHELINE, "rows begin with a line");

#define GRAVELP_MAIL_SLOT_BYTES(columns, n_rows) \
    ((gravelp_u32)sizeof(struct gravelp_mail) + 8u * (columns) * (n_rows))

/* Byte offsets from the start of the mailbox: of a slot's publish word (I5: ticket + 1), of the slot, and of all. */
#define GRAVELP_MAIL_PUBLISHED(n_owners, slot) \
    ((n_owners) * sizeof(struct gravelp_mail_words) + (slot) * sizeof(gravelp_u32))
#define GRAVELP_MAIL_SLOT(n_owners, n_slots, slot_bytes, slot)                                 \
    ((GRAVELP_MAIL_PUBLISHED(n_owners, n_slots) + GRAVELP_CACHELINE - 1) / GRAVELP_CACHELINE * \
         GRAVELP_CACHELINE +                                                                   \
     (gravelp_u64)(slot) * (slot_bytes))

#endif
