/* SPDX-License-Identifier: MIT */
/*
 * A transaction over two keys on its way between nodes: what the network threads send each other, and what the kernel
 * of its handler's steps reads and writes.
 *
 *     record = struct gravelp_transaction | the datum of the lesser key: ulong [datum_words]
 *
 * The lesser of two keys is that of the lesser node, and on one node the lesser number.
 *
 * Path:    lib/serve/transactions.c <-> call.cl.h (GRAVELP_STEP), and lib/serve/transactions.c of another node.
 */
#ifndef GRAVELP_TRANSACTION_H
#define GRAVELP_TRANSACTION_H

#include "base.h"

#define GRAVELP_TRANSACTION_REST 2u /* most arguments behind the keys */

struct gravelp_transaction {
    gravelp_u64 key[2];
    gravelp_u64 argument[GRAVELP_TRANSACTION_REST];
    gravelp_u64 heap;    /* of the node that the step is for: offset in the arena [bytes] */
    gravelp_u32 at;      /* that node */
    gravelp_u32 source;  /* node that sent the message */
    gravelp_u32 node[2]; /* of the keys */
    gravelp_u32 lesser;  /* which key, 0 or 1 */
    gravelp_u32 padding;
};

GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_transaction) == 64, "wire layout");

#define GRAVELP_TRANSACTION_BYTES(datum_words) \
    (sizeof(struct gravelp_transaction) + 8u * (datum_words))

/* Steps. Those that load or store have the lock of the lesser key, those that run that of the greater too. */
#define GRAVELP_STEP_ROUTE 0u /* find the keys' nodes */
#define GRAVELP_STEP_LOAD 1u  /* the lesser key's datum, into the record */
#define GRAVELP_STEP_RUN 2u   /* on this datum in the record, and the greater key's here */
#define GRAVELP_STEP_STORE 3u /* the lesser key's datum, from the record */
#define GRAVELP_STEP_WHOLE 4u /* run; both keys are of this node */
#define GRAVELP_N_STEPS 5u

#endif
