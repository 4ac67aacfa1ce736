/* SPDX-License-Identifier: MIT */
/*
 * What an application's steps report of its trials; app.c runs and prints them.
 *
 * Path:    an application's steps -> this -> app.c
 * Owner:   app.c's.
 * Threads: main's.
 */
#ifndef APPS_TRIALS_H
#define APPS_TRIALS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct trials {
    char variant[32]; /* what distinguishes this measurement; "" for none */
    char input[256];
    double work;        /* of one trial; a trial may still set it [the application's unit] */
    json_t *parameters; /* object with the application's own fields, named with their units */
    bool has_reader;    /* lines are for people: at node 0, without --json */
};

/** Return seconds on CLOCK_MONOTONIC. */
double trials_clock(void);

/** Add a field to the parameters. */
void trials_add_number(struct trials *trials, const char *name, uint64_t number);
void trials_add_real(struct trials *trials, const char *name, double number);
void trials_add_word(struct trials *trials, const char *name, const char *word);

/** Tell how long a serial method took that began at a time of trials_clock and has ended. @param method  "Dinic, serial". */
void trials_add_serial(struct trials *trials, const char *method, double begin_s);

/** Print a line for people, at node 0 and without --json. */
void trials_say(const struct trials *trials, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
