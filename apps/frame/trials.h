/* SPDX-License-Identifier: MIT */
/*
 * Run a measurement several times, time it, and say how it went: a line per trial and a summary, or
 * one JSON object.
 *
 * Path:    app.c -> this -> stdout
 * Owner:   the caller fills the first part of struct trials and keeps its strings alive;
 *          trials_free frees the rest.
 * Threads: main's.
 *
 *     struct trials trials = {.name = "gups", .variant = "inc", .input = "table 2^30", .unit = "updates/s", ...};
 *     if (trials_run(&trials, reset, run, &mine) || trials_report(&trials, TRIALS_PASSED))
 *         ...
 *     trials_free(&trials);
 */
#ifndef APPS_TRIALS_H
#define APPS_TRIALS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct trials {
    /* Set by the caller. */
    const char *name;  /* of the application */
    char variant[32];  /* what distinguishes this measurement; "" for none */
    const char *model; /* how messages were sent; set by app.c */
    char input[256];
    const char *unit; /* of work per second: "updates/s" */
    double work;      /* of one trial; the run function may still set it [units] */
    uint32_t n_nodes;
    const char *checked; /* what a check compares: "distances"; NULL: none tells */
    uint64_t n_wrong;    /* of them, at all nodes; set by app.c */
    uint32_t node;       /* only node 0 prints */
    unsigned n_trials;   /* at least 1 */
    bool json;
    bool is_quiet;      /* a summary, and no line a trial */
    json_t *parameters; /* object with the application's own fields, named with their units, or
                           NULL: trials_add_number and its like make one; trials_free drops this reference */
    json_t *statistics; /* array of what each node counted, or NULL; dropped as `parameters` are */
    FILE *out;          /* NULL is stdout */

    /* Filled by trials_run. */
    double *seconds; /* [n_run], in the order they ran */
    unsigned n_run;
    double median_s, min_s, max_s;
};

/* One step of a trial: 0 to continue, anything else ends the series. */
typedef int trial_step(void *app, unsigned trial);

enum trials_check { TRIALS_UNCHECKED, TRIALS_PASSED, TRIALS_FAILED };

/** Seconds on CLOCK_MONOTONIC. */
double trials_clock(void);

/** Add a field to the parameters. */
void trials_add_number(struct trials *trials, const char *name, uint64_t number);
void trials_add_real(struct trials *trials, const char *name, double number);
void trials_add_word(struct trials *trials, const char *name, const char *word);

/** Print a line for people, at node 0 and without --json. */
void trials_say(const struct trials *trials, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/**
 * Run n_trials times: `prepare`, untimed (may be NULL), then `run`, timed.
 *
 * @return  0; what a step returned if not 0; -EINVAL without trials; -ENOMEM; -errno if a line could
 * not be written.
 */
int trials_run(struct trials *trials, trial_step *prepare, trial_step *run, void *app);

/**
 * Print the summary, at the median time; with `json` as one object on one line, which has name,
 * variant, model, input, nodes, parameters, statistics, runs, seconds (median), seconds_min,
 * seconds_max, seconds_each, rate, unit, and valid (true, false, or null for unchecked).
 *
 * @return  0, -EINVAL before any trial, -ENOMEM, or -errno if it could not be written.
 */
int trials_report(const struct trials *trials, enum trials_check check);

/** Free the times and drop `parameters` and `statistics`. */
void trials_free(struct trials *trials);

#endif
