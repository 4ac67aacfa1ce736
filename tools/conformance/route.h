/* SPDX-License-Identifier: MIT */
/*
 * The ledger's rule: which messages there are, where each must go and what it carries. Compiled by both sides.
 *
 * Messages of a node are numbered through: launch, group, round and lane in one number, from the top.
 *
 * Path:    ledger.cl sends by it -> ledger.c checks by it.
 */
#ifndef TOOLS_CONFORMANCE_ROUTE_H
#define TOOLS_CONFORMANCE_ROUTE_H

#include "layout/base.h"

#define LEDGER_GROUP 256u /* lanes */
#define LEDGER_ROUNDS 16u /* messages of each lane in a launch */
#define LEDGER_GROUPS 64u /* of a launch */
#define LEDGER_LAUNCH (LEDGER_GROUP * LEDGER_ROUNDS * LEDGER_GROUPS) /* messages */

/* splitmix64 */
static inline gravelp_u64 ledger_mix(gravelp_u64 x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline gravelp_u64 ledger_number(gravelp_u64 launch, gravelp_u32 group, gravelp_u32 round,
                                        gravelp_u32 lane)
{
    return launch * LEDGER_LAUNCH + (group * LEDGER_ROUNDS + round) * LEDGER_GROUP + lane;
}

static inline gravelp_u32 ledger_destination(gravelp_u32 origin, gravelp_u64 number,
                                             gravelp_u32 n_nodes)
{
    return (gravelp_u32)(ledger_mix(number * 4096u + origin) >> 40) % n_nodes;
}

/* In the forms with a predicate, three of four are sent. */
static inline gravelp_u32 ledger_is_sent(gravelp_u32 origin, gravelp_u64 number)
{
    return (ledger_mix(number * 4096u + origin) & 3u) != 0;
}

/* Never 0. */
static inline gravelp_u64 ledger_checksum(gravelp_u32 origin, gravelp_u64 number,
                                          gravelp_u32 destination)
{
    return ledger_mix(ledger_mix(number) ^ ((gravelp_u64)origin << 32 | destination)) | 1u;
}

#endif
