/* SPDX-License-Identifier: MIT */
/*
 * Kernels of rounds. N: elements of an array.
 *
 * Path: test_rounds.c -> this -> cl/rounds.cl.h
 */
#include "gravel.cl.h"

#define EACH(r, i, n)              \
    uint i = gravel_round_item(r); \
    i < (n);                       \
    i += gravel_round_items(r)

/* own [N], of `node`; wrong [2]: elements that a phase has not seen as the one before wrote them; sums that are not of the
 * round before. Element i counts COUNT(i) by _wi, which a group's word does not hold, and 2 by _wg. */
#define COUNT(i) ((i) % 2 ? (ulong)3 << 30 : (i) % 4 ? (ulong)1 << 33 : 1)
#define COUNTED ((ulong)N / 4 * ((6ul << 30) + (1ul << 33) + 1) + 2 * N)
kernel void meet(GRAVEL_ARENA, GRAVEL_ROUND, ulong own, ulong wrong, uint node)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, write)
        {
            global uint *words = gravel_local(r.group, own);
            const uint number = (uint)gravel_round_number(r);
            uint n = 0;
            for (EACH(r, i, N)) {
                words[i] = 1000 * number + i;
                gravel_round_count_wi(r, COUNT(i));
                n += 2;
            }
            gravel_round_count_wg(r, n);
        }
        GRAVEL_PHASE(r, read)
        {
            global const uint *words = gravel_local(r.group, own);
            const uint number = (uint)gravel_round_number(r);
            const bool is_sum = gravel_round_sum(r) == (number ? COUNTED : 0);
            for (EACH(r, i, N)) {
                const uint other = (i * 13 + 77) % N;
                if (words[other] != 1000 * number + other)
                    gravel_inc_uint_wi(r.group, wrong, 0, node);
                if (!is_sum)
                    gravel_inc_uint_wi(r.group, wrong, 1, node);
            }
        }
    }
}

/* Calls of a group: the first one's work-items, except every third, send to words of `node`. */
kernel void update(GRAVEL_ARENA, GRAVEL_ROUND, ulong words, uint node)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, together)
        {
            const uint i = gravel_round_item(r), active = i % 3 != 1;
            if (i - (uint)get_local_id(0) == 0) {
                gravel_add_uint_wg_if(r.group, active, words, 0, i + 1, node);
                gravel_max_ulong_wg_if(r.group, active, words, 1, i, node);
                gravel_put_int_wg_if(r.group, active, words, 4 + i % 8, (int)(i % 8), node);
            }
        }
    }
}

/* A message to element `index` in round 2. */
kernel void astray(GRAVEL_ARENA, GRAVEL_ROUND, ulong words, uint index, uint node)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, all)
        {
            if (gravel_round_item(r) == 0 && gravel_round_number(r) == 2)
                gravel_inc_uint_wi(r.group, words, index, node);
            gravel_round_count_wg(r, 1);
        }
    }
}

kernel void no_phase(GRAVEL_ARENA, GRAVEL_ROUND)
{
    GRAVEL_ROUND_OPEN(r);
    (void)r;
}

/* n steps of a chain of numbers, whose last is each work-item's of `last`. */
kernel void work(GRAVEL_ARENA, GRAVEL_ROUND, global uint *last, uint n)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, chain)
        {
            uint number = gravel_round_item(r) + 1;
            for (uint i = 0; i < n && get_local_id(0) == 0; i++) { /* which no compiler shortens */
                number ^= number << 13;
                number ^= number >> 17;
                number ^= number << 5;
            }
            last[gravel_round_item(r)] = number;
        }
    }
}

/* In round 2 the first n work-items stay in their phase until the gate opens. */
kernel void endless(GRAVEL_ARENA, GRAVEL_ROUND, volatile global const uint *gate, uint n)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, before)
        {
            gravel_round_count_wg(r, 1);
        }
        GRAVEL_PHASE(r, endless)
        {
            if (gravel_round_number(r) == 2 && gravel_round_item(r) < n)
                while (*gate == 0)
                    ;
        }
    }
}

#ifdef GRAVEL_HANDLER_grow
#include "accumulator.cl.h"
#include "block_pool.cl.h"

/* What else kernels have: each of N items allocates a block and frees it, and adds one to words of `node`: to the first by an
 * accumulator, to the second by a handler of the device. */
kernel void others(GRAVEL_ARENA, GRAVEL_ROUND, GRAVEL_ACCUMULATOR(total), ulong pool, ulong words,
                   uint node)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, all)
        {
            for (EACH(r, i, N)) {
                const ulong block = gravel_block_alloc_wi(r.group, pool);
                gravel_block_free_wi(r.group, pool, block);
                gravel_accumulate_uint_wi(r.group, total, 0, 1, node);
                gravel_am2_wi(r.group, GRAVEL_HANDLER(grow), words, 1, node);
            }
        }
    }
}
#endif
