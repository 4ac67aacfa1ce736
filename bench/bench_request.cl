/* SPDX-License-Identifier: MIT */
/*
 * Requests: every work-item of every group draws numbers at another node, `depth` of them between two waits.
 * Global size: any number of whole groups. counters: ulong [N_COUNTERS] at the owner; answers: ulong [global size] and
 * signals: uint [groups] here. When it ends every signal has counted rounds * depth * local size.
 *
 * Path:    bench_request.c -> gravel.cl.h -> bench_request.c checks counters and signals.
 */
#include "gravel.cl.h"

kernel void ask(GRAVEL_ARENA, ulong counters, ulong answers, ulong signals, uint rounds, uint depth,
                uint node)
{
    GRAVEL_OPEN(g);
    uint i = (uint)get_global_id(0), lane = (uint)get_local_id(0),
         group = (i - lane) / (uint)get_local_size(0);
    struct gravel_reply reply = {answers + 8 * (ulong)(i - lane), signals + 4 * (ulong)group};
    uint n = 0;
    for (uint round = 0; round < rounds; round++) {
        for (uint k = 0; k < depth; k++)
            n += gravel_fetch_add_ulong_wg(g, counters,
                                           (i * 2654435761u + round * depth + k) % N_COUNTERS, 1,
                                           reply, lane, node);
        if (WAITS && !gravel_wait_until_uint_wg(g, reply.signal, GRAVEL_CMP_EQ, n))
            return;
    }
}
