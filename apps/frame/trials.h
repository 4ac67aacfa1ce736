/* SPDX-License-Identifier: MIT */
/*
 * The report of a measurement that is made several times: a line per trial and a summary, or one JSON object.
 *
 * Path:    app.c -> this -> stdout, which printed.h checks at the end
 * Owner:   strings are the caller's; trials_report frees the rest.
 * Threads: main's.
 */
#ifndef APPS_TRIALS_H
#define APPS_TRIALS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct trials {
    const char *name;  /* of the application */
    char variant[32];  /* what distinguishes this measurement; "" for none */
    const char *model; /* how messages were sent; NULL: not said */
    char input[256];
    const char *unit; /* of work per second: "updates/s" */
    double work;      /* of one trial; a trial may still set it [units] */
    uint32_t n_nodes;
    uint32_t node; /* only node 0 prints */
    unsigned n_trials;
    bool json;
    bool is_quiet;       /* a summary, and no line a trial */
    json_t *parameters;  /* object with the application's own fields, named with their units */
    json_t *statistics;  /* array of what each node counted; NULL without json */
    bool was_checked;    /* by a check that compared n_wrong of `checked` */
    const char *checked; /* "distances" */
    uint64_t n_wrong;    /* at all nodes */
    double
        *seconds; /* [n_trials], of which n_run are there, in the order in which the trials ran */
    unsigned n_run;
};

/** Seconds on CLOCK_MONOTONIC. */
double trials_clock(void);

/** Add a field to the parameters. */
void trials_add_number(struct trials *trials, const char *name, uint64_t number);
void trials_add_real(struct trials *trials, const char *name, double number);
void trials_add_word(struct trials *trials, const char *name, const char *word);

/** Print a line for people, at node 0 and without --json. */
void trials_say(const struct trials *trials, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Take the time of a trial [s], and print its line. */
void trials_add_time(struct trials *trials, double seconds);

/**
 * Print the summary, at the median time; with `json` as one object on one line, which has name,
 * variant, model, input, nodes, parameters, statistics, runs, seconds (median), seconds_min,
 * seconds_max, seconds_each, rate, unit, and valid (true, false, or null for unchecked).
 */
void trials_report(struct trials *trials);

#endif
