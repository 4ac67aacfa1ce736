/* SPDX-License-Identifier: MIT */
/*
 * Rounds and reports of the benchmarks.
 *
 * Path:    bench_*.c -> this -> standard output.
 * Memory:  JSON objects are freed when printed.
 * Threads: the main thread.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one variant reached in each round. */
struct subject {
    uint32_t variant;
    double rates[BENCH_MAX_RUNS]; /* [runs] */
    bool is_valid;                /* every run passed its check */
};

/* ---- lines --------------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Sorts the values of all rounds. @return  their median. */
static double sort(double *values)
{
    qsort(values, bench_given.runs, sizeof *values, compare_doubles);
    return values[bench_given.runs / 2];
}

static void print_text(json_t *line)
{
    const char *key, *separator = "";
    json_t *value;
    json_object_foreach(line, key, value)
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

/* Prints head, fields, a summary of sorted values, and tail. Takes over the three objects. */
static void print_line(json_t *head, json_t *fields, const char *median_name, const double *values,
                       json_t *tail)
{
    const uint32_t n = bench_given.runs;
    json_t *summary = json_pack("{s:f, s:f, s:f}", median_name, values[n / 2], "min", values[0],
                                "max", values[n - 1]);
    json_t *const parts[] = {fields, summary, tail};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        json_object_update(head, parts[i]);
        json_decref(parts[i]);
    }
    if (bench_given.json) {
        json_dumpf(head, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
        putchar('\n');
    } else {
        print_text(head);
    }
    fflush(stdout);
    json_decref(head);
}

static void report(const struct bench_contest *contest, void *context,
                   const struct subject *subject)
{
    const struct bench_variant *variant = &contest->variants[subject->variant];
    double rates[BENCH_MAX_RUNS];
    memcpy(rates, subject->rates, sizeof rates);
    const double median = sort(rates);
    print_line(json_pack("{s:s, s:s}", "name", contest->name, "variant", variant->name),
               contest->fields(context, subject->variant, median), "rate", rates,
               json_pack("{s:s, s:i, s:b}", "unit", variant->unit, "runs", (int)bench_given.runs,
                         "valid", (int)subject->is_valid));
}

static void report_ratio(const struct bench_contest *contest, void *context,
                         const struct subject *subject, const struct subject *against)
{
    double ratios[BENCH_MAX_RUNS];
    for (uint32_t round = 0; round < bench_given.runs; round++)
        ratios[round] = subject->rates[round] / against->rates[round];
    sort(ratios);
    json_t *head = json_pack("{s:s+, s:s}", "name", contest->name, "-ratio", "variant",
                             contest->variants[subject->variant].name);
    json_t *fields = contest->fields(context, subject->variant, 0);
    json_object_set_new(fields, "against", json_string(contest->variants[against->variant].name));
    print_line(head, fields, "ratio", ratios,
               json_pack("{s:i, s:b}", "runs", (int)bench_given.runs, "valid",
                         subject->is_valid && against->is_valid));
}

static void report_all(const struct bench_contest *contest, void *context,
                       const struct subject *subjects, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        report(contest, context, &subjects[i]);
    for (uint32_t i = 0; contest->has_ratio && i < n; i++)
        for (uint32_t against = 0; against < n; against++)
            if (i != against && contest->has_ratio(subjects[i].variant, subjects[against].variant))
                report_ratio(contest, context, &subjects[i], &subjects[against]);
}

/* ---- rounds -------------------------------------------------------------------------------------- */

/* Returns whether --variant names only variants that there are. */
static bool are_known(const struct bench_contest *contest, bool prints)
{
    for (const char *name = bench_given.variants; name;) {
        const size_t length = strcspn(name, ",");
        bool is_known = false;
        for (uint32_t i = 0; i < contest->n_variants; i++)
            is_known |= strlen(contest->variants[i].name) == length &&
                        !strncmp(contest->variants[i].name, name, length);
        if (!is_known && prints) {
            fprintf(stderr, "%s: no variant '%.*s'; there are:", contest->name, (int)length, name);
            for (uint32_t i = 0; i < contest->n_variants; i++)
                fprintf(stderr, " %s", contest->variants[i].name);
            fprintf(stderr, "\n");
        }
        if (!is_known)
            return false;
        name = name[length] ? name + length + 1 : NULL;
    }
    return true;
}

bool bench_of_first(uint32_t variant, uint32_t against)
{
    (void)against;
    return variant == 0;
}

bool bench_to_first(uint32_t variant, uint32_t against)
{
    (void)variant;
    return against == 0;
}

bool bench_hold(const struct bench_contest *contest, void *context, bool prints)
{
    static struct subject subjects[BENCH_MAX_VARIANTS];
    bool is_valid = true;
    double rate;
    uint32_t n = 0;
    if (!are_known(contest, prints))
        return false;
    for (uint32_t i = 0; i < contest->n_variants; i++)
        if (bench_is_wanted(contest->variants[i].name) &&
            (!contest->takes_part || contest->takes_part(context, i)))
            subjects[n++] = (struct subject){.variant = i, .is_valid = true};
    for (uint32_t i = 0; !contest->is_warm && i < n; i++)
        subjects[i].is_valid = contest->run(context, subjects[i].variant, &rate);
    for (uint32_t round = 0; round < bench_given.runs; round++)
        for (uint32_t turn = 0; turn < n; turn++) {
            struct subject *subject = &subjects[(turn + round) % n];
            subject->is_valid &= contest->run(context, subject->variant, &subject->rates[round]);
        }
    for (uint32_t i = 0; i < n; i++)
        is_valid &= subjects[i].is_valid;
    if (prints)
        report_all(contest, context, subjects, n);
    return is_valid && n > 0;
}
