/* SPDX-License-Identifier: MIT */
/*
 * Ratings that are drawn, with the statistics of MovieLens 10M: 143 a user, 6.54 users an item, half stars from 0.5 to 5,
 * a mean near 3.5 and a standard deviation near 1; a few users and items have most of them.
 *
 * The row of rank r of n gets a share that falls as a power of r, the exponent such that the first one's is that of the
 * data set: 0.07 % of the ratings for a user, 0.35 % for an item. Values follow from hidden tastes and noise. A user may rate
 * an item twice.
 *
 * Path: sgd.c -> this
 * Owner: see sgd.h.
 * Threads: main's.
 * Source: Harper, Konstan, The MovieLens Datasets: History and Context, 2015.
 */
#include "sgd.h"

#include "frame/random.h"

#include <math.h>
#include <stdlib.h>

#define RATINGS_A_USER 143
#define USERS_AN_ITEM 6.54
#define USER_EXPONENT 1.55
#define ITEM_EXPONENT 1.77
#define TASTES UINT64_C(4) /* that decide a value */

static double unit(uint64_t random)
{
    return (double)(random >> 11) * 0x1p-53;
}

static uint64_t row_by_rank(double random, double exponent, uint64_t n)
{
    uint64_t rank = (uint64_t)(pow(random, exponent) * (double)n);
    return rank < n ? rank : n - 1;
}

static float value_of(uint64_t key, const struct sgd_rating *rating, double noise)
{
    double value = 3.5 + noise;
    for (uint64_t i = 0; i < TASTES; i++) /* -1 to 1 for each row and taste */
        value += (2 * unit(random_at(~key, rating->user * TASTES + i)) - 1) *
                 (2 * unit(random_at(~key, rating->item * TASTES + i)) - 1);
    value = round(2 * value) / 2;
    return (float)(value < 0.5 ? 0.5 : value > 5 ? 5 : value);
}

void sgd_draw(struct sgd_ratings *ratings, uint64_t log_ratings, uint64_t seed)
{
    const uint64_t key = random_key(seed);
    *ratings = (struct sgd_ratings){.n = UINT64_C(1) << log_ratings};
    ratings->n_users = ratings->n / RATINGS_A_USER + 1;
    ratings->n_items = (uint64_t)((double)ratings->n_users / USERS_AN_ITEM) + 1;
    ratings->each = app_array(ratings->n, sizeof *ratings->each, "ratings");
    for (uint64_t i = 0; i < ratings->n; i++) {
        const double user = unit(random_at(key, 3 * i)), item = unit(random_at(key, 3 * i + 1));
        struct sgd_rating *rating = &ratings->each[i];
        rating->user = (cl_uint)row_by_rank(user, USER_EXPONENT, ratings->n_users);
        rating->item =
            (cl_uint)(ratings->n_users + row_by_rank(item, ITEM_EXPONENT, ratings->n_items));
        rating->value = value_of(key, rating, 2.8 * unit(random_at(key, 3 * i + 2)) - 1.4);
    }
}

void sgd_shuffle(struct sgd_ratings *ratings, uint64_t seed)
{
    const uint64_t key = random_key(~seed);
    double sum = 0;
    for (uint64_t i = 0; i < ratings->n; i++)
        sum += (double)ratings->each[i].value;
    ratings->mean = sum / (double)ratings->n;
    for (uint64_t i = ratings->n; i-- > 0;) {
        const uint64_t j = random_at(key, i) % (i + 1);
        const struct sgd_rating rating = ratings->each[j];
        ratings->each[j] = ratings->each[i];
        ratings->each[i] = rating;
        ratings->each[i].value -= (float)ratings->mean;
    }
}

void sgd_ratings_free(struct sgd_ratings *ratings)
{
    free(ratings->each);
    *ratings = (struct sgd_ratings){.n = 0};
}
