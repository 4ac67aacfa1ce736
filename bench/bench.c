/* SPDX-License-Identifier: MIT */
/*
 * Rounds and reports of the benchmarks.
 *
 * Path:    bench_*.c -> bench.c -> standard output.
 * Memory:  JSON objects are freed when printed.
 * Threads: the main thread.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_rounds(struct bench_subject *subjects, uint32_t n_subjects, uint32_t runs,
                  bench_run_function *run, void *context)
{
    for (uint32_t i = 0; i < n_subjects; i++)
        subjects[i].is_valid = true;
    for (uint32_t round = 0; round < runs; round++) {
        for (uint32_t turn = 0; turn < n_subjects; turn++) {
            uint32_t i = (turn + round) % n_subjects;
            if (!run(context, i, &subjects[i].rates[round]))
                subjects[i].is_valid = false;
        }
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

double bench_median(const double *values, uint32_t n)
{
    double sorted[BENCH_MAX_RUNS];
    memcpy(sorted, values, n * sizeof *values);
    qsort(sorted, n, sizeof *sorted, compare_doubles);
    return sorted[n / 2];
}

/* Add median, min and max of the values to a line under the given name. */
static void add_summary(json_t *line, const char *median_name, const double *values, uint32_t n)
{
    double min = values[0], max = values[0];
    for (uint32_t i = 1; i < n; i++) {
        min = values[i] < min ? values[i] : min;
        max = values[i] > max ? values[i] : max;
    }
    json_object_set_new(line, median_name, json_real(bench_median(values, n)));
    json_object_set_new(line, "min", json_real(min));
    json_object_set_new(line, "max", json_real(max));
}

static void print_text(const json_t *line)
{
    const char *key, *separator = "";
    json_t *value;
    json_object_foreach((json_t *)line, key, value)
    {
        printf("%s%s ", separator, key);
        if (json_is_string(value))
            printf("%s", json_string_value(value));
        else if (json_is_real(value))
            printf("%.4g", json_real_value(value));
        else if (json_is_integer(value))
            printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
        else
            printf("%s", json_is_true(value) ? "yes" : "no");
        separator = "  ";
    }
    putchar('\n');
}

/* Print one line and free it. */
static void print_line(const struct bench_options *options, json_t *line)
{
    if (options->json) {
        json_dumpf(line, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
        putchar('\n');
    } else {
        print_text(line);
    }
    fflush(stdout);
    json_decref(line);
}

/* Start a line: name and variant, then the caller's fields, which are taken over. */
static json_t *line_create(const char *name, const char *suffix, const char *variant,
                           json_t *fields)
{
    json_t *line = json_pack("{s:s+, s:s}", "name", name, suffix, "variant", variant);
    json_object_update(line, fields);
    json_decref(fields);
    return line;
}

void bench_report(const struct bench_options *options, const char *name, const char *unit,
                  const struct bench_subject *subject, json_t *fields)
{
    json_t *line = line_create(name, "", subject->variant, fields);
    add_summary(line, "rate", subject->rates, options->runs);
    json_object_set_new(line, "unit", json_string(unit));
    json_object_set_new(line, "runs", json_integer(options->runs));
    json_object_set_new(line, "valid", json_boolean(subject->is_valid));
    print_line(options, line);
}

void bench_report_ratio(const struct bench_options *options, const char *name,
                        const struct bench_subject *subject, const struct bench_subject *against,
                        json_t *fields)
{
    double ratios[BENCH_MAX_RUNS];
    for (uint32_t round = 0; round < options->runs; round++)
        ratios[round] = subject->rates[round] / against->rates[round];
    json_t *line = line_create(name, "-ratio", subject->variant, fields);
    json_object_set_new(line, "against", json_string(against->variant));
    add_summary(line, "ratio", ratios, options->runs);
    json_object_set_new(line, "runs", json_integer(options->runs));
    json_object_set_new(line, "valid", json_boolean(subject->is_valid && against->is_valid));
    print_line(options, line);
}
