/* SPDX-License-Identifier: MIT */
/*
 * What the parts of matrix factorisation share.
 *
 * Row r of all is at node r % n_nodes, there at r / n_nodes.
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
    /* [n], in the order in which they are learnt; NULL at nodes other than 0 when they have been dealt */
    struct sgd_rating *each;
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
    uint64_t n_own;       /* ratings that this process sends, [n_own] in ratings_there */
    uint64_t n_of_two;    /* ratings whose rows are of two nodes, of all */
    uint64_t rows, locks; /* heap offsets [sgd_n_local_rows] */
    cl_mem ratings_there;
    cl_kernel learn;
    /* At node 0: */
    struct sgd_row *found; /* rows of all nodes after the last trial */
    double rmse;           /* of these */
};

static inline uint64_t sgd_n_rows(const struct sgd_ratings *ratings)
{
    return ratings->n_users + ratings->n_items;
}

/** Rows that a node has room for. */
static inline uint64_t sgd_n_local_rows(const struct sgd *sgd)
{
    const uint32_t n_nodes = sgd->node.n_nodes;
    return (sgd_n_rows(&sgd->ratings) + n_nodes - 1) / n_nodes;
}

/** Read ratings.dat or a csv file of MovieLens; or die, naming file, line and fault. @return  what was read. */
struct node_input sgd_read(struct sgd_ratings *ratings, const char *path);

/** Draw 2^log_ratings; or die. */
void sgd_draw(struct sgd_ratings *ratings, uint64_t log_ratings, uint64_t seed);

/** Take the mean from all values, and bring them into a random order. */
void sgd_shuffle(struct sgd_ratings *ratings, uint64_t seed);
void sgd_ratings_free(struct sgd_ratings *ratings);

/** Factors before the first step, small and random: rows of node `number` of n_nodes. */
void sgd_begin(const struct sgd *sgd, struct sgd_row *rows, uint32_t number, uint32_t n_nodes);

/** Read the rows of all nodes, and their error. At node 0, when all steps have been made. */
void sgd_find(struct sgd *sgd);

/** At node 0: learn serially; compare errors, and the steps that each row has made. @return what is wrong [count] */
uint64_t sgd_check(struct sgd *sgd, struct trials *trials);

#endif
