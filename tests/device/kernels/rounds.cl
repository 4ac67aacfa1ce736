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

/* Every operation on words of `node`, [16] of each type at `words`, one behind the other; the first N items send. */
#define UPDATES(TYPE, at)                                                   \
    gravel_inc_##TYPE##_wi(r.group, words, at, node);                       \
    gravel_add_##TYPE##_wi(r.group, words, at + 1, (TYPE)(i + 1), node);    \
    gravel_min_##TYPE##_wi(r.group, words, at + 2, (TYPE)i - 7, node);      \
    gravel_max_##TYPE##_wi(r.group, words, at + 3, (TYPE)i, node);          \
    gravel_and_##TYPE##_wi(r.group, words, at + 4, ~(TYPE)i, node);         \
    gravel_or_##TYPE##_wi(r.group, words, at + 5, (TYPE)i << 3, node);      \
    gravel_xor_##TYPE##_wi(r.group, words, at + 6, (TYPE)i * 5 + 1, node);  \
    gravel_put_##TYPE##_wi(r.group, words, at + 7, (TYPE)number - 3, node); \
    gravel_put_##TYPE##_wi(r.group, words, at + 8u + i % 8, (TYPE)(i % 8), node);
kernel void update(GRAVEL_ARENA, GRAVEL_ROUND, ulong words, uint node)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, alone)
        {
            const int number = (int)gravel_round_number(r);
            for (EACH(r, i, N)) {
                UPDATES(int, 0)
                UPDATES(uint, 16)
            }
        }
        GRAVEL_PHASE(r, of_64_bits)
        {
            const int number = (int)gravel_round_number(r);
            for (EACH(r, i, N)) {
                UPDATES(long, 16)
                UPDATES(ulong, 32)
                gravel_add_float_wi(r.group, words, 96, 0.5f, node);
                gravel_put_float_wi(r.group, words, 97, 2.5f, node);
            }
        }
        GRAVEL_PHASE(r, together)
        {
            const uint i = gravel_round_item(r), active = i % 3 != 1;
            if (i - (uint)get_local_id(0) == 0) { /* the first group */
                gravel_add_uint_wg_if(r.group, active, words, 112, i + 1, node);
                gravel_max_ulong_wg_if(r.group, active, words, 64, i, node);
                gravel_put_int_wg_if(r.group, active, words, 113 + i % 8, (int)(i % 8), node);
            }
        }
    }
}

/* Requests, answered in this node's heap: tickets of a counter at words + 0; a word of each item's own is swapped, and
 * another one compared; signals [2] count answers, and puts at `node`. answers [3][N]. wrong: answers of the round before
 * that are not as they must be. */
kernel void request(GRAVEL_ARENA, GRAVEL_ROUND, ulong words, ulong answers, ulong signals,
                    ulong wrong, uint node)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, ask)
        {
            global const uint *got = gravel_local(r.group, answers);
            const struct gravel_reply tickets = {answers, signals},
                                      swapped = {answers + 4 * N, signals},
                                      compared = {answers + 8 * N, signals};
            const uint number = (uint)gravel_round_number(r);
            for (EACH(r, i, N)) {
                const bool is_ticket = got[i] >= (number - 1) * N && got[i] < number * N;
                if (number &&
                    (!is_ticket || got[N + i] != number - 1 || got[2 * N + i] != number - 1))
                    gravel_inc_uint_wi(r.group, wrong, 0, node);
                gravel_fetch_add_uint_wi(r.group, words, 0, 1, tickets, i, node);
                gravel_swap_uint_wi(r.group, words, 1 + i, number + 1, swapped, i, node);
                gravel_cas_uint_wi(r.group, words, 1 + N + i, number, number + 1, compared, i,
                                   node);
                gravel_put_signal_uint_wi(r.group, words, 1 + 2 * N + i, number, signals + 4, node);
            }
        }
    }
}

#ifdef GRAVEL_HANDLER_tally
/* What goes to the host: active messages, N each round. */
kernel void call(GRAVEL_ARENA, GRAVEL_ROUND, uint node)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, all)
        {
            for (EACH(r, i, N))
                gravel_am2_wi(r.group, GRAVEL_HANDLER(tally), gravel_round_number(r), i, node);
        }
    }
}
#endif

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

/* Group 0 stays in its phase until the word at `stop` is not 0. */
kernel void stay(GRAVEL_ARENA, GRAVEL_ROUND, ulong stop)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, all)
        {
            if (gravel_round_item(r) == 0)
                gravel_wait_until_uint_wi(r.group, stop, GRAVEL_CMP_NE, 0);
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
