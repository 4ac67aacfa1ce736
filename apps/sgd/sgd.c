/* SPDX-License-Identifier: MIT */
/*
 * Matrix factorisation by stochastic gradient descent: a rating's step changes a user's row of factors and an item's, a
 * critical section of two data of a node.
 *
 * Path: main -> sections/form.c -> sgd.cl -> check.c
 * Source: Wang, Fussell, Lin 2019, section 4 (SGD).
 */
#include "sgd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char sgd_cl[];

static const struct app_option own_options[] = {
    {"file", 'f', "FILE", "Ratings of MovieLens: ratings.dat or .csv; else they are drawn",
     OPTION_WORD(struct sgd, file)},
    {"ratings", 0, "LOG2", "Draw 2^LOG2 ratings, with MovieLens' statistics (20)",
     OPTION_NUMBER(struct sgd, log_ratings, 0, 28)},
    {"epochs", 0, "N", "Go through all ratings N times (5)",
     OPTION_NUMBER(struct sgd, n_epochs, 1, 1000)},
    {"rate", 0, "X", "How far a step goes (0.02)", OPTION_REAL(struct sgd, rate)},
    {"weight", 0, "X", "Of the factors' own size (0.05)", OPTION_REAL(struct sgd, weight)},
    {0}};

/* ---- set-up -------------------------------------------------------------------------------------- */

static void get_ratings(struct sgd *sgd)
{
    if (sgd->file)
        sgd_read(&sgd->ratings, sgd->file);
    else
        sgd_draw(&sgd->ratings, sgd->log_ratings, sgd->options.seed);
    if (sgd->ratings.n > UINT32_MAX)
        die("%llu ratings are more than %u", (unsigned long long)sgd->ratings.n, UINT32_MAX);
    sgd_shuffle(&sgd->ratings, sgd->options.seed);
}

static uint64_t bits_of(double number)
{
    const float value = (float)number;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void make_memory(struct sgd *sgd)
{
    const uint64_t n = sgd_n_rows(&sgd->ratings);
    TRY(gravel_alloc(sgd->node.gravel, n * sizeof(struct sgd_row), &sgd->rows));
    TRY(gravel_alloc(sgd->node.gravel, n * sizeof(cl_uint), &sgd->locks));
    TRY(gravel_set_constant(sgd->node.gravel, 0, sgd->rows));
    TRY(gravel_set_constant(sgd->node.gravel, 1, bits_of(sgd->rate)));
    TRY(gravel_set_constant(sgd->node.gravel, 2, bits_of(sgd->weight)));
}

static void make_kernel(struct sgd *sgd)
{
    const cl_uint first = sections_first_argument(&sgd->sections);
    sgd->learn = sections_kernel(&sgd->sections, &sgd->node, "learn");
    NODE_SET(sgd->learn, first, ARRAY(sgd->ratings_there));
    if (sgd->sections.form->mode)
        return;
    NODE_SET(sgd->learn, first + 1, ULONG(sgd->rows), ULONG(sgd->locks), FLOAT((cl_float)sgd->rate),
             FLOAT((cl_float)sgd->weight));
}

static void set_up(void *self)
{
    static const struct gravel_handler handler = {
        .name = "learn",
        .n_args = 3,
        .serve = {.n_keys = 2, .datum = "row", .datum_words = sizeof(struct sgd_row) / 8}};
    struct sgd *sgd = self;
    get_ratings(sgd);
    sections_open(&sgd->sections, &sgd->node,
                  sgd_n_rows(&sgd->ratings) * (sizeof(struct sgd_row) + sizeof(cl_uint)), "sgd.cl",
                  sgd_cl, &handler, 1);
    if (sgd->node.n_nodes > 1)
        die("the rows are in the memory of one node, and there are %u", sgd->node.n_nodes);
    make_memory(sgd);
    sgd->ratings_there =
        node_array(&sgd->node, sgd->ratings.n * sizeof *sgd->ratings.each, sgd->ratings.each);
    make_kernel(sgd);
}

/* ---- trials -------------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct sgd *sgd = self;
    struct gravel *gravel = sgd->node.gravel;
    const uint64_t n = sgd_n_rows(&sgd->ratings);
    const cl_uint zero = 0;
    void *rows;
    TRY(gravel_map(gravel, sgd->rows, n * sizeof(struct sgd_row), CL_MAP_WRITE_INVALIDATE_REGION, 0,
                   &rows));
    sgd_begin(sgd, rows);
    TRY(gravel_unmap(gravel, rows));
    TRY(gravel_fill(gravel, sgd->locks, n * sizeof zero, &zero, sizeof zero, 0));
}

static void run(void *self)
{
    struct sgd *sgd = self;
    for (uint64_t epoch = 0; epoch < sgd->n_epochs; epoch++)
        sections_run(&sgd->sections, &sgd->node, sgd->learn, sgd->ratings.n);
}

static void describe(void *self, struct trials *trials)
{
    const struct sgd *sgd = self;
    const struct sgd_ratings *ratings = &sgd->ratings;
    snprintf(trials->variant, sizeof trials->variant, "%s", sgd->sections.form->name);
    snprintf(trials->input, sizeof trials->input, "%llu ratings, %llu users, %llu items",
             (unsigned long long)ratings->n, (unsigned long long)ratings->n_users,
             (unsigned long long)ratings->n_items);
    trials->work = (double)ratings->n * (double)sgd->n_epochs;
    trials_add_number(trials, "ratings", ratings->n);
    trials_add_number(trials, "users", ratings->n_users);
    trials_add_number(trials, "items", ratings->n_items);
    trials_add_number(trials, "epochs", sgd->n_epochs);
    trials_add_real(trials, "mean", ratings->mean);
    trials_add_real(trials, "rate", sgd->rate);
    trials_add_real(trials, "weight", sgd->weight);
    trials_add_number(trials, "groups", sgd->sections.n_groups);
}

static void result(void *self, struct trials *trials)
{
    struct sgd *sgd = self;
    sgd_find(sgd);
    if (!isfinite(sgd->rmse))
        die("the steps have diverged: the error is no number after %llu epochs; lower --rate, "
            "which is %g",
            (unsigned long long)sgd->n_epochs, sgd->rate);
    trials_add_real(trials, "rmse", sgd->rmse);
    trials_say(trials, "  error %.6f\n", sgd->rmse);
}

static void close_all(void *self)
{
    struct sgd *sgd = self;
    sgd_ratings_free(&sgd->ratings);
    free(sgd->found);
}

static const struct app app = {.name = "sgd",
                               .unit = "steps/s",
                               .doc = "Learn users' and items' factors from ratings, with a "
                                      "critical section of both rows for each rating.",
                               .group_items = SECTIONS_GROUP,
                               .groups = {{"Problem:", 1, own_options, 0},
                                          SECTIONS_OPTIONS_GROUP(offsetof(struct sgd, sections))},
                               APP_FIELDS(struct sgd),
                               .open = set_up,
                               .reset = reset,
                               .run = run,
                               .describe = describe,
                               .result = result,
                               .check = sgd_check,
                               .close = close_all};

int main(int argc, char **argv)
{
    struct sgd sgd = {.sections = SECTIONS_WITHOUT(" phases servers atomic"),
                      .log_ratings = 20,
                      .n_epochs = 5,
                      .rate = 0.02,
                      .weight = 0.05};
    return app_main(&app, &sgd, argc, argv);
}
