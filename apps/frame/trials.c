/* SPDX-License-Identifier: MIT */
/*
 * Print trials, as lines or as JSON by jansson.
 *
 * Path: app.c -> this -> stdout
 * Owner: see trials.h.
 * Threads: main's.
 */
#include "frame/trials.h"
#include "frame/die.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* No trial is shorter than the clock can tell. */
#define CLOCK_RESOLUTION_S 1e-9

double trials_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- parameters ------------------------------------------------------------------------------ */

void trials_add_number(struct trials *trials, const char *name, uint64_t number)
{
    json_object_set_new(trials->parameters, name, json_integer((json_int_t)number));
}

void trials_add_real(struct trials *trials, const char *name, double number)
{
    json_t *real = json_real(number); /* JSON has no infinity and no nan */
    json_object_set_new(trials->parameters, name, real ? real : json_null());
}

void trials_add_word(struct trials *trials, const char *name, const char *word)
{
    json_object_set_new(trials->parameters, name, json_string(word));
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void print_rate(double rate, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    unsigned i = 0;
    for (; rate >= 1000 && i < 5; i++)
        rate /= 1000;
    printf("%.4g %s%s%s", rate, prefixes[i], *prefixes[i] ? " " : "", unit);
}

static void print_head(const struct trials *trials)
{
    printf("%s%s%s  %s  %u node%s  ", trials->name, *trials->variant ? "/" : "", trials->variant,
           trials->input, trials->n_nodes, trials->n_nodes == 1 ? "" : "s");
    if (trials->model)
        printf("model %s  ", trials->model);
}

void trials_say(const struct trials *trials, const char *format, ...)
{
    va_list arguments;
    if (trials->node != 0 || trials->json)
        return;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

void trials_add_time(struct trials *trials, double seconds)
{
    seconds = seconds < CLOCK_RESOLUTION_S ? CLOCK_RESOLUTION_S : seconds;
    trials->seconds[trials->n_run++] = seconds;
    if (trials->node != 0 || trials->json || trials->is_quiet)
        return;
    print_head(trials);
    printf("%.6f s  ", seconds);
    print_rate(trials->work / seconds, trials->unit);
    putchar('\n');
    fflush(stdout);
}

/* ---- the report ------------------------------------------------------------------------------ */

struct summary {
    double median_s, min_s, max_s;
};

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct summary summarize(const struct trials *trials)
{
    const unsigned n = trials->n_run;
    double *sorted = app_array(n, sizeof *sorted, "the trials");
    memcpy(sorted, trials->seconds, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_doubles);
    const struct summary summary = {(sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[0],
                                    sorted[n - 1]};
    free(sorted);
    return summary;
}

/* A file's name may hold any bytes; JSON only UTF-8. */
static json_t *string_or_null(const char *s)
{
    json_t *string = *s ? json_string(s) : NULL;
    return string ? string : json_null();
}

static void print_json(const struct trials *trials, struct summary summary)
{
    json_t *each = json_array();
    for (unsigned i = 0; i < trials->n_run; i++)
        json_array_append_new(each, json_real(trials->seconds[i]));
    /* clang-format off */
    json_t *object =
        json_pack("{s:s, s:o, s:s?, s:o, s:I, s:O, s:O, s:I, s:f, s:f, s:f, s:o, s:f, s:s, s:o}",
                  "name", trials->name,
                  "variant", string_or_null(trials->variant),
                  "model", trials->model,
                  "input", string_or_null(trials->input),
                  "nodes", (json_int_t)trials->n_nodes,
                  "parameters", trials->parameters,
                  "statistics", trials->statistics,
                  "runs", (json_int_t)trials->n_run,
                  "seconds", summary.median_s,
                  "seconds_min", summary.min_s,
                  "seconds_max", summary.max_s,
                  "seconds_each", each,
                  "rate", trials->work / summary.median_s,
                  "unit", trials->unit,
                  "valid", trials->was_checked ? json_boolean(!trials->n_wrong) : json_null());
    /* clang-format on */
    if (!object || (json_dumpf(object, stdout, JSON_COMPACT) && !ferror(stdout)))
        die("no memory for the report");
    json_decref(object);
}

static void print_summary(const struct trials *trials, struct summary summary)
{
    print_head(trials);
    printf("median %.6f s (min %.6f, max %.6f; %u trial%s)  ", summary.median_s, summary.min_s,
           summary.max_s, trials->n_run, trials->n_run == 1 ? "" : "s");
    print_rate(trials->work / summary.median_s, trials->unit);
    printf("  %s", !trials->was_checked ? "not checked" : trials->n_wrong ? "FAIL" : "PASS");
    if (trials->n_wrong && trials->checked)
        printf(": wrong %s: %llu", trials->checked, (unsigned long long)trials->n_wrong);
}

void trials_report(struct trials *trials)
{
    if (trials->node == 0) {
        const struct summary summary = summarize(trials);
        if (trials->json)
            print_json(trials, summary);
        else
            print_summary(trials, summary);
        putchar('\n');
    }
    free(trials->seconds);
    json_decref(trials->parameters);
    json_decref(trials->statistics);
}
