/* SPDX-License-Identifier: MIT */
/*
 * One update for each turn of a work-item, of a word drawn at random among n_words, of node `node`: a message each, or
 * added up by an accumulator. Global size: any number of whole groups.
 *
 * Path:    bench_accumulate.c -> kernels here -> the next node -> bench_accumulate.c checks the sum.
 */
#include "gravel.cl.h"
#include "accumulator.cl.h"

#define WORD_OF(place, n_words) (((place)*2654435761u ^ (place) >> 7) * 2246822519u % (n_words))
#define EACH(place) \
    for (uint turn = 0, place = (uint)get_global_id(0) * TURNS; turn < TURNS; turn++, place++)

kernel void send_messages(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a), ulong table, uint n_words, uint node)
{
    GRAVEL_OPEN(g);
    (void)a;
    EACH(place)
    gravel_inc_uint_wg(g, table, WORD_OF(place, n_words), node);
}

kernel void send_accumulated(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a), ulong table, uint n_words,
                             uint node)
{
    GRAVEL_OPEN(g);
    (void)table;
    EACH(place)
    gravel_accumulate_uint_wi(g, a, WORD_OF(place, n_words), 1, node);
}
