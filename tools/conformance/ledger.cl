/* SPDX-License-Identifier: MIT */
/*
 * Senders of the ledger test. Global size: LEDGER_GROUPS * LEDGER_GROUP in groups of LEDGER_GROUP; every
 * work-item sends LEDGER_ROUNDS messages, in order.
 *
 * Path:  route.h -> these kernels -> ledger.c.
 */
#include "gravel.cl.h"

/* BODY sends message `number` with `checksum` to `node`; `is_sent` is the predicate. */
#define SENDER(name, BODY)                                                             \
    kernel void name(GRAVEL_ARENA, ulong slots, ulong launch, uint has_predicate)      \
    {                                                                                  \
        GRAVEL_OPEN(g);                                                                \
        uint origin = gravel_node(g);                                                  \
        for (uint round = 0; round < LEDGER_ROUNDS; round++) {                         \
            uint group = (uint)(get_global_id(0) / get_local_size(0));                 \
            ulong number = ledger_number(launch, group, round, (uint)get_local_id(0)); \
            uint node = ledger_destination(origin, number, gravel_n_nodes(g));         \
            uint is_sent = !has_predicate || ledger_is_sent(origin, number);           \
            ulong checksum = ledger_checksum(origin, number, node);                    \
            uint slot = (uint)(number % LEDGER_LAUNCH) + origin * LEDGER_LAUNCH;       \
            (void)is_sent;                                                             \
            (void)slot;                                                                \
            BODY                                                                       \
        }                                                                              \
    }

SENDER(am, gravel_am3_wg(g, GRAVEL_HANDLER(enter), origin, number, checksum, node);)
SENDER(am_if, gravel_am3_wg_if(g, is_sent, GRAVEL_HANDLER(enter), origin, number, checksum, node);)
SENDER(am_wi, if (is_sent) gravel_am3_wi(g, GRAVEL_HANDLER(enter), origin, number, checksum, node);)
SENDER(put, gravel_put_ulong_wg(g, slots, slot, checksum, node);)
SENDER(put_if, gravel_put_ulong_wg_if(g, is_sent, slots, slot, checksum, node);)
SENDER(add, gravel_add_ulong_wg(g, slots, slot, checksum, node);)
