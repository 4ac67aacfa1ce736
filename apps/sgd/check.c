/* SPDX-License-Identifier: MIT */
/*
 * The check: ratings learnt one after the other, in C, in three orders. Another order of steps gives other
 * factors; how far the errors of three lie apart shows how far a fourth may be, and that depends on ratings and rate. Each
 * row must have made as many steps as it has ratings, in each epoch.
 *
 * Path: sgd.c -> this
 * Owner: see sgd.h.
 * Threads: main's.
 */
#include "sgd.h"

#include "frame/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_ORDERS = 3 };
#define MOST_DIFFERENCE \
    0.02 /* of an error from those of the orders, as a part of it, besides their own */

void sgd_begin(const struct sgd *sgd, struct sgd_row *rows)
{
    const uint64_t key = random_key(sgd->options.seed ^ UINT64_C(0x5347440000000000));
    for (uint64_t row = 0; row < sgd_n_rows(&sgd->ratings); row++) {
        rows[row].n_steps = 0;
        for (uint32_t i = 0; i < SGD_FACTORS; i++)
            rows[row].factors[i] =
                0.4f * ((float)(random_at(key, row * SGD_FACTORS + i) >> 40) * 0x1p-24f - 0.5f);
    }
}

static float error_of(const struct sgd_rating *rating, const struct sgd_row *rows)
{
    const struct sgd_row *user = &rows[rating->user], *item = &rows[rating->item];
    float sum = 0;
    for (uint32_t i = 0; i < SGD_FACTORS; i++)
        sum += user->factors[i] * item->factors[i];
    return rating->value - sum;
}

static double rmse_of(const struct sgd_ratings *ratings, const struct sgd_row *rows)
{
    double sum = 0;
    for (uint64_t i = 0; i < ratings->n; i++) {
        const double error = (double)error_of(&ratings->each[i], rows);
        sum += error * error;
    }
    return sqrt(sum / (double)ratings->n);
}

void sgd_find(struct sgd *sgd)
{
    const uint64_t n = sgd_n_rows(&sgd->ratings);
    free(sgd->found);
    sgd->found = app_array(n, sizeof *sgd->found, "rows");
    TRY(gravel_get(sgd->node.gravel, sgd->rows, sgd->found, n * sizeof *sgd->found, 0));
    sgd->rmse = rmse_of(&sgd->ratings, sgd->found);
}

static void learn(const struct sgd *sgd, const struct sgd_rating *rating, struct sgd_row *rows)
{
    const float error = error_of(rating, rows), rate = (float)sgd->rate;
    const float weight = (float)sgd->weight;
    struct sgd_row *user = &rows[rating->user], *item = &rows[rating->item];
    for (uint32_t i = 0; i < SGD_FACTORS; i++) {
        const float p = user->factors[i], q = item->factors[i];
        user->factors[i] = p + rate * (error * q - weight * p);
        item->factors[i] = q + rate * (error * p - weight * q);
    }
    user->n_steps++;
    item->n_steps++;
}

/* The rating that is the i-th of an order: as they are, from the last on, and every second one first. */
static uint64_t in_order(unsigned order, uint64_t i, uint64_t n)
{
    const uint64_t n_even = (n + 1) / 2;
    return order == 0 ? i : order == 1 ? n - 1 - i : i < n_even ? 2 * i : 2 * (i - n_even) + 1;
}

static double learn_all(const struct sgd *sgd, struct sgd_row *rows, unsigned order)
{
    const struct sgd_ratings *ratings = &sgd->ratings;
    for (uint64_t epoch = 0; epoch < sgd->n_epochs; epoch++)
        for (uint64_t i = 0; i < ratings->n; i++)
            learn(sgd, &ratings->each[in_order(order, i, ratings->n)], rows);
    return rmse_of(ratings, rows);
}

uint64_t sgd_check(void *self, struct trials *trials)
{
    struct sgd *sgd = self;
    const uint64_t n_rows = sgd_n_rows(&sgd->ratings);
    struct sgd_row *rows = app_array(n_rows, sizeof *rows, "the check");
    double serial[N_ORDERS], serial_s = 0, least = INFINITY, most = 0;
    for (unsigned order = N_ORDERS; order-- > 0;) { /* the first one last: its rows are compared */
        memset(rows, 0, n_rows * sizeof *rows);
        sgd_begin(sgd, rows);
        const double begin_s = trials_clock();
        serial[order] = learn_all(sgd, rows, order);
        serial_s = trials_clock() - begin_s;
        least = fmin(least, serial[order]);
        most = fmax(most, serial[order]);
    }
    uint64_t n_wrong = 0;
    for (uint64_t row = 0; row < n_rows; row++)
        n_wrong += sgd->found[row].n_steps != rows[row].n_steps;
    const double slack = 2 * (most - least) + MOST_DIFFERENCE * most;
    free(rows);
    trials_add_real(trials, "serial_rmse", serial[0]);
    trials_add_real(trials, "serial_seconds", serial_s);
    trials_say(trials,
               "  serial: error %.6f in %.6f s; of any order, %.6f to %.6f; rows with another "
               "number of steps: %llu\n",
               serial[0], serial_s, least - slack, most + slack, (unsigned long long)n_wrong);
    return n_wrong + !(sgd->rmse >= least - slack && sgd->rmse <= most + slack);
}
