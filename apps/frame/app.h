/* SPDX-License-Identifier: MIT */
/*
 * An application as a table: what it is called, its options, and its steps. The main that all share goes through them; the end of
 * kmeans/kmeans.c is one to read.
 *
 * Path: an application's main -> this -> app.c, which runs the table's steps and prints what these report
 * Owner: the application's struct is its main's, trials are app.c's. What an application's open makes its close frees, except
 * arrays and kernels, which are the node's.
 * Threads: main's, as in all files of applications that do not say otherwise.
 */
#ifndef APPS_APP_H
#define APPS_APP_H

#include "frame/die.h"
#include "frame/node.h"
#include "frame/options.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

/* ---- what steps report of trials ------------------------------------------------------------------- */

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

/* ---- the table --------------------------------------------------------------------------------------- */

/* A step of an application; self is its struct. All nodes take each step together. */
typedef void app_step(void *self);

/* A step that adds to the report. */
typedef void app_report(void *self, struct trials *trials);
typedef uint64_t app_check(void *self, struct trials *trials);

struct app {
    const char *name;
    const char *unit; /* of work a second: "updates/s" */
    const char *doc;  /* what it does, for --help */
    /* Its own options, whose defaults its main sets; and the graph's, or none. */
    struct option_group groups[2];
    uint32_t group_items; /* work-items of a group, if --group does not say; 0: node_open chooses */
    bool has_models;      /* --model: it sends by node_send, as under every model */
    size_t options, node; /* where the struct has its struct options and struct node: APP_FIELDS */

    /* In the order in which they are taken. */
    app_step *open;       /* open the node, get the input; or die */
    app_report *describe; /* set variant, input and work, and add the parameters */
    app_step *reset;      /* before every trial, and a barrier; not timed; may be NULL */
    app_step *run;        /* a trial */
    app_report *result;   /* of the last trial, say and add what it came to; may be NULL */
    app_check *check;     /* with --verify, of the last trial. @return what is wrong here [count] */
    const char *method;   /* of the check, "greedy, serial", which is timed then; NULL: it is not */
    app_step *close;      /* what is not the node's, which is closed then; may be NULL */
};

/**
 * Say to people how far a step run is, if its begin, or the last such line, is 5 s ago.
 *
 * @param part  of it that is done.
 */
void app_say_part(const struct options *options, const struct node *node, double part);

#define APP_FIELDS(type) .options = offsetof(type, options), .node = offsetof(type, node)

/**
 * Parse the command line, run the trials, check and report.
 *
 * @param self  the application's struct with the defaults of its own options; those that all share are set here.
 * @return      the exit status.
 */
int app_main(const struct app *app, void *self, int argc, char **argv);

#endif
