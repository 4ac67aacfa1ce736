/* SPDX-License-Identifier: MIT */
/*
 * What the parts of matrix factorisation share.
 *
 * Path: sgd.c (options, trials) -> read.c or draw.c (ratings) -> sgd.cl -> check.c
 * Owner: ratings_free frees what the readers make; the rest is the node's.
 * Threads: main's.
 */
#ifndef SGD_H
#define SGD_H

#include "frame/app.h"
#include "sections/form.h"

/* Of a row; sgd.cl has PAIRS of them. A row is a datum: 30 factors and the steps are its most. */
#define SGD_FACTORS 16u

/* As sgd.cl has it. */
struct sgd_rating {
    cl_uint user, item; /* rows: users come first, then items */
    cl_float value;     /* less the mean */
};
struct sgd_row {
    float factors[SGD_FACTORS];
    uint64_t n_steps;
};

struct sgd_ratings {
    uint64_t n, n_users, n_items;
    double mean;
    struct sgd_rating *each; /* [n], in the order in which they are learnt */
};

struct sgd {
    struct options options;
    struct node node;
    struct sections sections;
    const char *file; /* NULL: ratings are drawn */
    uint64_t log_ratings;
    uint64_t n_epochs;
    double rate, weight;

    struct sgd_ratings ratings;
    uint64_t rows, locks; /* heap offsets [sgd_n_rows] */
    cl_mem ratings_there;
    cl_kernel learn;
    struct sgd_row *found; /* rows after the last trial */
    double rmse;           /* of these */
};

static inline uint64_t sgd_n_rows(const struct sgd_ratings *ratings)
{
    return ratings->n_users + ratings->n_items;
}

/** Read ratings.dat or a csv file of MovieLens; or die, naming file, line and fault. */
void sgd_read(struct sgd_ratings *ratings, const char *path);

/** Draw 2^log_ratings; or die. */
void sgd_draw(struct sgd_ratings *ratings, uint64_t log_ratings, uint64_t seed);

/** Take the mean from all values, and bring them into a random order. */
void sgd_shuffle(struct sgd_ratings *ratings, uint64_t seed);
void sgd_ratings_free(struct sgd_ratings *ratings);

/** Factors before the first step, small and random. */
void sgd_begin(const struct sgd *sgd, struct sgd_row *rows);

/** Read the rows, and their error, when all steps have been made. */
void sgd_find(struct sgd *sgd);

/** Learn serially; compare errors, and the steps that each row has made. @return what is wrong [count] */
app_check sgd_check;

#endif
