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
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

struct trials {
    char variant[32]; /* what distinguishes this measurement; "" for none */
    char input[256];
    double work;        /* of one trial; a trial may still set it [the application's unit] */
    json_t *parameters; /* object with the application's own fields, named with their units */
    bool has_reader;    /* lines are for people: at node 0, without --json */
};

/** Return seconds on CLOCK_MONOTONIC. */
static inline double trials_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/** Add a field to the parameters: a number, a real (null where JSON has none: infinity, nan), a word. */
static inline void trials_add_number(struct trials *trials, const char *name, uint64_t number)
{
    json_object_set_new(trials->parameters, name, json_integer((json_int_t)number));
}

static inline void trials_add_real(struct trials *trials, const char *name, double number)
{
    json_t *real = json_real(number);
    json_object_set_new(trials->parameters, name, real ? real : json_null());
}

static inline void trials_add_word(struct trials *trials, const char *name, const char *word)
{
    json_object_set_new(trials->parameters, name, json_string(word));
}

/** Print a line for people, at node 0 and without --json. */
__attribute__((format(printf, 2, 3))) static inline void trials_say(const struct trials *trials,
                                                                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (trials->has_reader)
        vprintf(format, arguments);
    va_end(arguments);
}

/** Adds how long a serial method took that began at a time of trials_clock and has ended. @param method  "Dinic, serial". */
static inline void trials_add_serial(struct trials *trials, const char *method, double begin_s)
{
    const double seconds = trials_clock() - begin_s;
    trials_add_real(trials, "serial_seconds", seconds);
    trials_say(trials, "  %s: %.6f s\n", method, seconds);
}

#endif
