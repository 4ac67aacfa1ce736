/* SPDX-License-Identifier: MIT */
/*
 * What kernels hand to the host: records, lines, and questions whose answers are waited for.
 * Global size: any number of whole groups.
 *
 * Path:    bench_records.c -> gravel.cl.h, print.cl.h -> bench_records.c checks what has come.
 */
#include "gravel.cl.h"
#include "print.cl.h"

/* 32 bytes. */
struct record {
    uint item, values[7];
};

GRAVELP_INLINE struct record record_of(uint item)
{
    return (struct record){item,
                           {item + 1, item + 2, item + 3, item + 4, item + 5, item + 6, item + 7}};
}
#define IS_ONE_OF_16(item) (((item)*2654435761u) >> 28 == 0)

kernel void append(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    const struct record record = record_of((uint)get_global_id(0));
    gravel_append_wg(g, records, record, 0);
}
kernel void append_if(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    const struct record record = record_of((uint)get_global_id(0));
    gravel_append_wg_if(g, IS_ONE_OF_16(record.item), records, record, 0);
}
kernel void append_wi(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    const struct record record = record_of((uint)get_global_id(0));
    if (IS_ONE_OF_16(record.item))
        gravel_append_wi(g, records, record, 0);
}

kernel void print(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    const uint i = (uint)get_global_id(0);
    gravel_printf_wg(g, "%u of %u", i, 3 * i);
}

/* Increments of random words; `never` is true of none. */
kernel void count(GRAVEL_ARENA, ulong words, uint n_words, uint never)
{
    GRAVEL_OPEN(g);
    const uint i = (uint)get_global_id(0);
    for (uint k = 0; k < 16; k++)
        gravel_inc_uint_wg(g, words, (i * 16 + k) * 2654435761u % n_words, 0);
    (void)never;
}
kernel void count_and_print(GRAVEL_ARENA, ulong words, uint n_words, uint never)
{
    GRAVEL_OPEN(g);
    const uint i = (uint)get_global_id(0);
    for (uint k = 0; k < 16; k++) {
        const uint at = (i * 16 + k) * 2654435761u % n_words;
        if (at == never)
            gravel_printf_wi(g, "%u at %u", i, at);
        gravel_inc_uint_wg(g, words, at, 0);
    }
}

/* One group: rounds of a question and a wait. */
kernel void ask(GRAVEL_ARENA, ulong answers, ulong signal, uint rounds)
{
    GRAVEL_OPEN(g);
    const struct gravel_reply reply = {answers, signal};
    const uint lane = (uint)get_local_id(0);
    for (uint n = 1; n <= rounds; n++) {
        gravel_ask1_wg_if(g, lane == 0, GRAVEL_HANDLER(next), (ulong)n, reply, 0, 0);
        if (!gravel_wait_until_uint_wg(g, signal, GRAVEL_CMP_EQ, n))
            return;
    }
}
kernel void get(GRAVEL_ARENA, ulong answers, ulong signal, uint rounds)
{
    GRAVEL_OPEN(g);
    const struct gravel_reply reply = {answers, signal};
    const uint lane = (uint)get_local_id(0);
    for (uint n = 1; n <= rounds; n++) {
        gravel_get_ulong_wg_if(g, lane == 0, answers, 1, reply, 0, 0);
        if (!gravel_wait_until_uint_wg(g, signal, GRAVEL_CMP_EQ, n))
            return;
    }
}
