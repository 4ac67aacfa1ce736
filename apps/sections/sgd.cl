/* SPDX-License-Identifier: MIT */
/*
 * Stochastic gradient descent on a matrix of ratings: each rating moves its user's row of factors and its item's,
 * together, in the forms of form.h.
 *
 * Rows of users come first, then those of items; a row's number is its key. Behind the factors a row counts its steps:
 * one that is lost is found.
 *
 * Path:   sgd.c -> this.
 * Source: Wang, Fussell, Lin 2019, section 4 (SGD); Koren, Bell, Volinsky, Matrix factorization techniques for
 * recommender systems, 2009.
 */
#include "gravel.cl.h"

#include "sections/lock.cl.h"

#define PAIRS 8u          /* of factors: SGD_FACTORS / 2 */
#define WORDS (PAIRS + 1) /* of a row */
#define RATE 0.02f        /* how far a step goes */
#define WEIGHT 0.05f      /* of the factors' own size in a step */

/* The rating less the mean of all. */
struct rating {
    uint user, item;
    float value;
};

/* Pointers have no space: where OpenCL has a generic one, those of row_load are of it. */
void step(ulong *user, ulong *item, float value)
{
    float2 sum = 0;
    for (uint i = 0; i < PAIRS; i++)
        sum += as_float2(user[i]) * as_float2(item[i]);
    const float error = value - (sum.x + sum.y);
    for (uint i = 0; i < PAIRS; i++) {
        const float2 p = as_float2(user[i]), q = as_float2(item[i]);
        user[i] = as_ulong(p + RATE * (error * q - WEIGHT * p));
        item[i] = as_ulong(q + RATE * (error * p - WEIGHT * q));
    }
    user[PAIRS]++;
    item[PAIRS]++;
}

void row_copy(ulong *words, global const ulong *row)
{
    for (uint i = 0; i < WORDS; i++)
        words[i] = row[i];
}
void row_set(global ulong *row, const ulong *words)
{
    for (uint i = 0; i < WORDS; i++)
        row[i] = words[i];
}

/* ---- served: both rows are keys -------------------------------------------------------------------------- */

/* constants 0: heap offset of rows, ulong [][WORDS] */
global ulong *row_of(struct gravel_call call, ulong row)
{
    return (global ulong *)gravel_call_local(call, call.constants[0]) + row * WORDS;
}
void row_load(struct gravel_call call, ulong row, ulong *words)
{
    row_copy(words, row_of(call, row));
}
void row_store(struct gravel_call call, ulong row, const ulong *words)
{
    row_set(row_of(call, row), words);
}
void learn(struct gravel_call call, ulong *user, ulong *item, ulong value)
{
    step(user, item, as_float((uint)value));
}

/* Heap offsets of rows and of locks, uint [users + items]; ratings [items of the launch]. */
#define LEARN                                                         \
    GRAVEL_ARENA, uint n, uint stride, ulong rows_at, ulong locks_at, \
        global const struct rating *ratings

kernel void learn_served(LEARN)
{
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        struct rating rating = ratings[active ? item : 0];
        gravel_am3_wg_if(g, active, GRAVEL_HANDLER(learn), rating.user, rating.item,
                         as_uint(rating.value), gravel_node(g));
    }
}

/* ---- locked: a lock a row, the user's first ------------------------------------------------------------ */

kernel void learn_locked(LEARN)
{
    GRAVEL_OPEN(g);
    global ulong *rows = gravel_local(g, rows_at);
    global uint *locks = gravel_local(g, locks_at);
    for (uint i = (uint)get_global_id(0); i < n; i += stride) {
        const struct rating rating = ratings[i];
        WITH_BOTH_LOCKS(&locks[rating.user], &locks[rating.item])
        {
            ulong user[WORDS], item[WORDS];
            row_copy(user, rows + (ulong)rating.user * WORDS);
            row_copy(item, rows + (ulong)rating.item * WORDS);
            step(user, item, rating.value);
            row_set(rows + (ulong)rating.user * WORDS, user);
            row_set(rows + (ulong)rating.item * WORDS, item);
        }
    }
}
