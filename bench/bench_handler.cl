/* SPDX-License-Identifier: MIT */
/*
 * Handlers of one body, in every kind, and the kernels that send to them: message i is for counter `key` of the node.
 * Global size: any number of whole groups.
 *
 * Path:    bench_handler.c -> kernels here -> handlers here, at the next node -> bench_handler.c checks the counters.
 */
#include "gravel.cl.h"

#define COUNT(call, table, key) \
    atomic_inc((volatile global uint *)gravel_call_local(call, table) + (key))

void plain(struct gravel_call call, ulong key, ulong table)
{
    COUNT(call, table, key);
}
void keyed(struct gravel_call call, ulong key, ulong table)
{
    COUNT(call, table, key);
}
void narrow(struct gravel_call call, uint key, uint table)
{
    COUNT(call, table, key);
}
ulong asked(struct gravel_call call, ulong key, ulong table)
{
    return COUNT(call, table, key);
}

#define SENDER(handler, SEND)                                                                    \
    kernel void send_##handler(GRAVEL_ARENA, ulong table, ulong answers, uint n_keys, uint node) \
    {                                                                                            \
        GRAVEL_OPEN(g);                                                                          \
        const struct gravel_reply reply = {answers, GRAVEL_NO_SIGNAL};                           \
        for (uint round = 0; round < ROUNDS; round++) {                                          \
            const uint place = (uint)get_global_id(0) * ROUNDS + round;                          \
            const uint key = place * 2654435761u % n_keys;                                       \
            SEND;                                                                                \
            (void)reply;                                                                         \
        }                                                                                        \
    }
SENDER(plain, gravel_am2_wg(g, GRAVEL_HANDLER(plain), key, table, node))
SENDER(keyed, gravel_am2_wg(g, GRAVEL_HANDLER(keyed), key, table, node))
SENDER(narrow, gravel_am2_wg(g, GRAVEL_HANDLER(narrow), key, table, node))
SENDER(asked, gravel_ask2_wg(g, GRAVEL_HANDLER(asked), key, table, reply, place, node))
