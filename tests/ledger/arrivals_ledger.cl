/* SPDX-License-Identifier: MIT */
/*
 * Each work-item prints lines, or appends records to nodes that look random, by all forms. arrivals_ledger.c knows what comes
 * where.
 *
 * Path: arrivals_ledger.c -> this
 */
#include "gravel.cl.h"
#include "print.cl.h"

struct small {
    uint to, item, place, mark;
};
struct large {
    struct small head;
    uint rest[56];
};

static uint hash(uint item, uint place)
{
    return (item * 2654435761u ^ place * 2246822519u) >> 9;
}

static struct small record(uint item, uint place, uint n_nodes)
{
    const uint mark = hash(item, place);
    return (struct small){mark % n_nodes, item, place, mark};
}

kernel void lines(GRAVEL_ARENA, uint time, uint n_calls)
{
    GRAVEL_OPEN(g);
    const uint i = (uint)get_global_id(0);
    for (uint call = time * n_calls; call < (time + 1) * n_calls; call++) {
        gravel_printf_wg(g, "line %u", 3 * call);
        gravel_printf_wg_if(g, i % 3 == 0, "line %u", 3 * call + 1);
        if (i % 5 == 0)
            gravel_printf_wi(g, "line %u", 3 * call + 2);
    }
}

kernel void records(GRAVEL_ARENA, uint time, uint n_calls)
{
    GRAVEL_OPEN(g);
    const uint i = (uint)get_global_id(0), n_nodes = gravel_n_nodes(g);
    for (uint place = time * n_calls * 3; place < (time + 1) * n_calls * 3; place += 3) {
        const struct small first = record(i, place, n_nodes), third = record(i, place + 2, n_nodes);
        struct large second;
        second.head = record(i, place + 1, n_nodes);
        for (uint k = 0; k < 56; k++)
            second.rest[k] = second.head.mark + k;
        gravel_append_wg(g, small, first, first.to);
        gravel_append_wg_if(g, i % 3 == 0, large, second, second.head.to);
        if (i % 5 == 0)
            gravel_append_wi(g, small, third, third.to);
    }
}
