/* SPDX-License-Identifier: MIT */
/*
 * Time the trials; print them, as lines or as JSON by jansson.
 *
 * Path: app.c -> this -> stdout
 * Owner: see trials.h.
 * Threads: main's.
 */
#include "frame/trials.h"

#include <errno.h>
#include <stdarg.h>
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

static void add(struct trials *trials, const char *name, json_t *value)
{
    if (!trials->parameters)
        trials->parameters = json_object();
    json_object_set_new(trials->parameters, name, value);
}

void trials_add_number(struct trials *trials, const char *name, uint64_t number)
{
    add(trials, name, json_integer((json_int_t)number));
}

void trials_add_real(struct trials *trials, const char *name, double number)
{
    json_t *real = json_real(number);
    add(trials, name, real ? real : json_null()); /* JSON has no infinity and no nan */
}

void trials_add_word(struct trials *trials, const char *name, const char *word)
{
    add(trials, name, json_string(word));
}

/* ---- lines ----------------------------------------------------------------------------------- */

static FILE *out_of(const struct trials *trials)
{
    return trials->out ? trials->out : stdout;
}

static int flush(FILE *out)
{
    return fflush(out) ? -errno : ferror(out) ? -EIO : 0;
}

static void print_rate(FILE *out, double rate, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    unsigned i = 0;
    for (; rate >= 1000 && i < 5; i++)
        rate /= 1000;
    fprintf(out, "%.4g %s%s%s", rate, prefixes[i], *prefixes[i] ? " " : "", unit);
}

static void print_head(const struct trials *trials)
{
    FILE *out = out_of(trials);
    fprintf(out, "%s", trials->name);
    if (*trials->variant)
        fprintf(out, "/%s", trials->variant);
    fprintf(out, "  %s  %u node%s  ", trials->input, trials->n_nodes,
            trials->n_nodes == 1 ? "" : "s");
    if (trials->model)
        fprintf(out, "model %s  ", trials->model);
}

void trials_say(const struct trials *trials, const char *format, ...)
{
    va_list arguments;
    if (trials->node != 0 || trials->json)
        return;
    va_start(arguments, format);
    vfprintf(out_of(trials), format, arguments);
    va_end(arguments);
}

static int print_trial(const struct trials *trials, double seconds)
{
    if (trials->node != 0 || trials->json || trials->is_quiet)
        return 0;
    print_head(trials);
    fprintf(out_of(trials), "%.6f s  ", seconds);
    print_rate(out_of(trials), trials->work / seconds, trials->unit);
    fputc('\n', out_of(trials));
    return flush(out_of(trials));
}

/* ---- one JSON object ------------------------------------------------------------------------- */

/* A file's name may hold any bytes; JSON only UTF-8. */
static json_t *string_or_null(const char *s)
{
    json_t *string = s && *s ? json_string(s) : NULL;
    return string ? string : json_null();
}

static json_t *seconds_each(const struct trials *trials)
{
    json_t *each = json_array();
    for (unsigned i = 0; each && i < trials->n_run; i++)
        if (json_array_append_new(each, json_real(trials->seconds[i]))) {
            json_decref(each);
            return NULL;
        }
    return each;
}

/* "o" hands a reference over also when the packing fails; "O" takes one of its own. */
static json_t *object_of(const struct trials *trials, enum trials_check check)
{
    json_t *parameters = trials->parameters ? json_incref(trials->parameters) : json_object();
    json_t *statistics = trials->statistics ? json_incref(trials->statistics) : json_null();
    /* clang-format off */
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:I, s:f, s:f, s:f, s:o, s:f, s:o, s:o}",
                     "name", string_or_null(trials->name),
                     "variant", string_or_null(trials->variant),
                     "model", string_or_null(trials->model),
                     "input", string_or_null(trials->input),
                     "nodes", (json_int_t)trials->n_nodes,
                     "parameters", parameters,
                     "statistics", statistics,
                     "runs", (json_int_t)trials->n_run,
                     "seconds", trials->median_s,
                     "seconds_min", trials->min_s,
                     "seconds_max", trials->max_s,
                     "seconds_each", seconds_each(trials),
                     "rate", trials->work / trials->median_s,
                     "unit", string_or_null(trials->unit),
                     "valid", check == TRIALS_UNCHECKED ? json_null() : json_boolean(check == TRIALS_PASSED));
    /* clang-format on */
}

static int print_json(const struct trials *trials, enum trials_check check, FILE *out)
{
    json_t *object = object_of(trials, check);
    if (!object)
        return -ENOMEM;
    int status = json_dumpf(object, out, JSON_COMPACT);
    json_decref(object);
    if (!status && fputc('\n', out) != EOF)
        return 0;
    status = flush(out);
    return status ? status : -EIO;
}

/* ---- trials ---------------------------------------------------------------------------------- */

static int run_one(struct trials *trials, trial_step *prepare, trial_step *run, void *app)
{
    int status = prepare ? prepare(app, trials->n_run) : 0;
    if (status)
        return status;
    double start = trials_clock();
    status = run(app, trials->n_run);
    double seconds = trials_clock() - start;
    if (status)
        return status;
    if (seconds < CLOCK_RESOLUTION_S)
        seconds = CLOCK_RESOLUTION_S;
    trials->seconds[trials->n_run++] = seconds;
    return print_trial(trials, seconds);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int summarize(struct trials *trials)
{
    unsigned n = trials->n_run;
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, trials->seconds, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_doubles);
    trials->min_s = sorted[0];
    trials->max_s = sorted[n - 1];
    trials->median_s = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    free(sorted);
    return 0;
}

int trials_run(struct trials *trials, trial_step *prepare, trial_step *run, void *app)
{
    if (trials->n_trials == 0)
        return -EINVAL;
    free(trials->seconds);
    trials->n_run = 0;
    trials->seconds = malloc(trials->n_trials * sizeof *trials->seconds);
    if (!trials->seconds)
        return -ENOMEM;
    while (trials->n_run < trials->n_trials) {
        int status = run_one(trials, prepare, run, app);
        if (status)
            return status;
    }
    return summarize(trials);
}

int trials_report(const struct trials *trials, enum trials_check check)
{
    static const char *const words[] = {"not checked", "PASS", "FAIL"};
    if (trials->n_run == 0 || trials->median_s <= 0)
        return -EINVAL;
    if (trials->node != 0)
        return 0;
    FILE *out = out_of(trials);
    if (trials->json) {
        int status = print_json(trials, check, out);
        return status ? status : flush(out);
    }
    print_head(trials);
    fprintf(out, "median %.6f s (min %.6f, max %.6f; %u trial%s)  ", trials->median_s,
            trials->min_s, trials->max_s, trials->n_run, trials->n_run == 1 ? "" : "s");
    print_rate(out, trials->work / trials->median_s, trials->unit);
    fprintf(out, "  %s", words[check]);
    if (check == TRIALS_FAILED && trials->checked)
        fprintf(out, ": wrong %s: %llu", trials->checked, (unsigned long long)trials->n_wrong);
    fputc('\n', out);
    return flush(out);
}

void trials_free(struct trials *trials)
{
    free(trials->seconds);
    json_decref(trials->parameters);
    json_decref(trials->statistics);
    *trials = (struct trials){0};
}
