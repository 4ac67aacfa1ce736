/* SPDX-License-Identifier: MIT */
/*
 * Matrix factorisation by stochastic gradient descent: a rating's step changes a user's row of factors and an item's, a
 * critical section of two data of a node.
 *
 * Ratings are drawn, with the statistics of MovieLens 10M: 143 a user, 6.54 users an item, half stars from 0.5 to 5, a
 * mean near 3.5 and a standard deviation near 1. The row of rank r gets a share that falls as a power of r, such that
 * the first one's is that of the data set: 0.07 % of the ratings for a user, 0.35 % for an item. Values follow from
 * hidden tastes and noise. A user may rate an item twice.
 *
 * Path:    main -> form.c -> sgd.cl -> check
 * Owner:   set_up makes what close_all frees; the rest is the node's.
 * Threads: main's.
 * Source:  Wang, Fussell, Lin 2019, section 4 (SGD); Harper, Konstan, The MovieLens Datasets, 2015.
 */
#include "frame/random.h"
#include "sections/form.h"

#include <math.h>
#include <stdlib.h>

extern const char sgd_cl[];

/* As sgd.cl has them. A row is a datum: 30 factors and the steps are its most. */
#define FACTORS 16u
#define RATE 0.02f   /* how far a step goes */
#define WEIGHT 0.05f /* of the factors' own size in a step */
#define EPOCHS 5u

enum { ROWS, LOCKS };
struct rating {
    cl_uint user, item; /* rows: users come first, then items */
    cl_float value;     /* less the mean */
};
struct row {
    float factors[FACTORS];
    uint64_t n_steps;
};

struct sgd {
    struct options options;
    struct node node;
    struct sections sections;
    uint64_t log_ratings;
    uint64_t n, n_users, n_rows; /* n: ratings */
    struct rating *ratings;      /* [n], in the order in which they are learnt */
    cl_kernel learn;
};

/* ---- ratings ------------------------------------------------------------------------------------- */

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

static float value_of(uint64_t key, const struct rating *rating, double noise)
{
    double value = 3.5 + noise;
    for (uint64_t i = 0; i < TASTES; i++) /* -1 to 1 for each row and taste */
        value += (2 * unit(random_at(~key, rating->user * TASTES + i)) - 1) *
                 (2 * unit(random_at(~key, rating->item * TASTES + i)) - 1);
    value = round(2 * value) / 2;
    return (float)(value < 0.5 ? 0.5 : value > 5 ? 5 : value);
}

/* Draws ratings, and takes their mean from them. */
static void draw(struct sgd *sgd)
{
    double sum = 0;
    const uint64_t key = random_key(sgd->options.seed);
    sgd->n = UINT64_C(1) << sgd->log_ratings;
    sgd->n_users = sgd->n / RATINGS_A_USER + 1;
    const uint64_t n_items = (uint64_t)((double)sgd->n_users / USERS_AN_ITEM) + 1;
    sgd->n_rows = sgd->n_users + n_items;
    sgd->ratings = app_array(sgd->n, sizeof *sgd->ratings, "ratings");
    for (uint64_t i = 0; i < sgd->n; i++) {
        const double user = unit(random_at(key, 3 * i)), item = unit(random_at(key, 3 * i + 1));
        struct rating *rating = &sgd->ratings[i];
        rating->user = (cl_uint)row_by_rank(user, USER_EXPONENT, sgd->n_users);
        rating->item = (cl_uint)(sgd->n_users + row_by_rank(item, ITEM_EXPONENT, n_items));
        rating->value = value_of(key, rating, 2.8 * unit(random_at(key, 3 * i + 2)) - 1.4);
        sum += (double)rating->value;
    }
    for (uint64_t i = 0; i < sgd->n; i++)
        sgd->ratings[i].value -= (float)(sum / (double)sgd->n);
}

/* ---- set-up -------------------------------------------------------------------------------------- */

static void set_up(void *self)
{
    static const struct gravel_handler handler = {
        .name = "learn",
        .n_args = 3,
        .serve = {.n_keys = 2, .datum = "row", .datum_words = sizeof(struct row) / 8}};
    struct sgd *sgd = self;
    draw(sgd);
    const uint64_t n = sgd->n_rows;
    sections_open(
        &sgd->sections, &sgd->node,
        &(struct sections_program){
            "sgd.cl", sgd_cl, &handler, 1, {n * sizeof(struct row), n * sizeof(cl_uint)}});
    cl_mem ratings = node_array(&sgd->node, sgd->n * sizeof *sgd->ratings, sgd->ratings);
    sgd->learn = sections_kernel_of_form(&sgd->sections, "learn");
    SECTIONS_SET(&sgd->sections, sgd->learn, ARRAY(ratings));
}

static void close_all(void *self)
{
    struct sgd *sgd = self;
    free(sgd->ratings);
}

/* ---- trials -------------------------------------------------------------------------------------- */

/* Makes all factors small and random. @return [n_rows], to be freed */
static struct row *begin(const struct sgd *sgd)
{
    const uint64_t key = random_key(sgd->options.seed ^ UINT64_C(0x5347440000000000));
    struct row *rows = app_array(sgd->n_rows, sizeof *rows, "rows");
    for (uint64_t row = 0; row < sgd->n_rows; row++)
        for (uint32_t i = 0; i < FACTORS; i++)
            rows[row].factors[i] =
                0.4f * ((float)(random_at(key, row * FACTORS + i) >> 40) * 0x1p-24f - 0.5f);
    return rows;
}

static void reset(void *self)
{
    struct sgd *sgd = self;
    struct row *rows = begin(sgd);
    TRY(gravel_put(sgd->node.gravel, sgd->sections.at[ROWS], rows, sgd->n_rows * sizeof *rows, 0));
    TRY(gravel_quiet(sgd->node.gravel));
    sections_fill(&sgd->sections, LOCKS, sgd->n_rows, 0);
    free(rows);
}

static void run(void *self)
{
    struct sgd *sgd = self;
    for (uint64_t epoch = 0; epoch < EPOCHS; epoch++)
        sections_run(&sgd->sections, sgd->learn, sgd->n);
}

static void describe(void *self, struct trials *trials)
{
    const struct sgd *sgd = self;
    sections_describe(&sgd->sections, trials, sgd->n * EPOCHS,
                      "%llu ratings, %llu users, %llu items", (unsigned long long)sgd->n,
                      (unsigned long long)sgd->n_users,
                      (unsigned long long)(sgd->n_rows - sgd->n_users));
    trials_add_number(trials, "epochs", EPOCHS);
}

/* ---- the error, and a check: ratings learnt one after the other, in two orders --------------------- */

static float error_of(const struct rating *rating, const struct row *rows)
{
    const struct row *user = &rows[rating->user], *item = &rows[rating->item];
    float sum = 0;
    for (uint32_t i = 0; i < FACTORS; i++)
        sum += user->factors[i] * item->factors[i];
    return rating->value - sum;
}

static double rmse_of(const struct sgd *sgd, const struct row *rows)
{
    double sum = 0;
    for (uint64_t i = 0; i < sgd->n; i++) {
        const double error = (double)error_of(&sgd->ratings[i], rows);
        sum += error * error;
    }
    return sqrt(sum / (double)sgd->n);
}

/* Counts the rows that have made another number of steps than they have ratings, in all epochs. */
static uint64_t count_wrong(const struct sgd *sgd, const struct row *rows)
{
    uint64_t *n_steps = app_array(sgd->n_rows, sizeof *n_steps, "rows"), n_wrong = 0;
    for (uint64_t i = 0; i < sgd->n; i++) {
        n_steps[sgd->ratings[i].user] += EPOCHS;
        n_steps[sgd->ratings[i].item] += EPOCHS;
    }
    for (uint64_t row = 0; row < sgd->n_rows; row++)
        n_wrong += rows[row].n_steps != n_steps[row];
    free(n_steps);
    return n_wrong;
}

static void learn(const struct rating *rating, struct row *rows)
{
    const float error = error_of(rating, rows);
    struct row *user = &rows[rating->user], *item = &rows[rating->item];
    for (uint32_t i = 0; i < FACTORS; i++) {
        const float p = user->factors[i], q = item->factors[i];
        user->factors[i] = p + RATE * (error * q - WEIGHT * p);
        item->factors[i] = q + RATE * (error * p - WEIGHT * q);
    }
}

/* Learns serially, from the first rating on or from the last. @return  the error */
static double learn_all(const struct sgd *sgd, bool is_backward)
{
    struct row *rows = begin(sgd);
    for (uint64_t epoch = 0; epoch < EPOCHS; epoch++)
        for (uint64_t i = 0; i < sgd->n; i++)
            learn(&sgd->ratings[is_backward ? sgd->n - 1 - i : i], rows);
    const double rmse = rmse_of(sgd, rows);
    free(rows);
    return rmse;
}

#define MOST_DIFFERENCE 0.02 /* of an error from those of both orders, besides their own */

/* Another order of steps gives other factors: how far the errors of two differ shows how far a third may. */
static uint64_t check(void *self, struct trials *trials)
{
    struct sgd *sgd = self;
    struct row *rows = sections_read(&sgd->sections, ROWS, sgd->n_rows * sizeof *rows, 0);
    const double rmse = rmse_of(sgd, rows), begin_s = trials_clock();
    const uint64_t n_wrong = count_wrong(sgd, rows);
    free(rows);
    const double forward = learn_all(sgd, false), backward = learn_all(sgd, true);
    trials_add_serial(trials, "two orders, serial", begin_s);
    const double slack = 2 * fabs(forward - backward) + MOST_DIFFERENCE * fmax(forward, backward);
    trials_add_real(trials, "rmse", rmse);
    trials_say(trials, "  error %.6f, in serial orders %.6f and %.6f\n", rmse, forward, backward);
    return n_wrong + !(rmse >= fmin(forward, backward) - slack &&
                       rmse <= fmax(forward, backward) + slack); /* a NaN is wrong */
}

/* ---- the program ------------------------------------------------------------------------------ */

static const struct app_option own_options[] = {
    {"ratings", 0, "LOG2", "Draw 2^LOG2 ratings, with MovieLens' statistics (20)",
     OPTION_NUMBER(struct sgd, log_ratings, 0, 28)},
    {0}};

static const struct app app = {.name = "sgd",
                               .unit = "steps/s",
                               .doc = "Learn users' and items' factors from ratings, with a "
                                      "critical section of both rows for each rating.",
                               .close = close_all,
                               SECTIONS_APP(struct sgd, {"Problem:", 1, own_options, 0})};

int main(int argc, char **argv)
{
    struct sgd sgd = {.sections = {.without = "servers atomic", .is_of_one_node = true},
                      .log_ratings = 20};
    return app_main(&app, &sgd, argc, argv);
}
