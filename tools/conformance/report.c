/* SPDX-License-Identifier: MIT */
/*
 * Printing the report. See report.h.
 */
#include "report.h"

#include <stdio.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static int count_of(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

static double seconds_of(const json_t *object)
{
    return json_number_value(json_object_get(object, "seconds"));
}

/* In one line, whatever a driver or compiler wrote. */
static void print_reason(const char *indent, const char *reason)
{
    printf("%s", indent);
    for (const char *c = reason; *c; c++)
        putchar(*c == '\n' ? ' ' : *c);
    putchar('\n');
}

void conformance_print_device(const json_t *report)
{
    printf("gravel-conformance %s: %s, platform %s, driver %s\n", text_of(report, "version"),
           text_of(report, "device"), text_of(report, "platform"), text_of(report, "driver"));
}

void conformance_print_step(const json_t *step)
{
    const char *settings = text_of(step, "settings");
    printf("step %s%s%s%s\n  %-13s %-8s %22s %6.1f s\n", text_of(step, "step"),
           *settings ? " (" : "", settings, *settings ? ")" : "", "self-test",
           text_of(step, "status"), "", seconds_of(step));
    if (*text_of(step, "reason"))
        print_reason("      ", text_of(step, "reason"));
    fflush(stdout);
}

void conformance_print_suite(const char *name, const json_t *suite)
{
    char counts[64];
    size_t i;
    json_t *one;
    int n_skipped = count_of(suite, "skipped"), n_passed = count_of(suite, "passed");
    int n_lines = n_passed + n_skipped + count_of(suite, "failed"),
        planned = count_of(suite, "planned");
    snprintf(counts, sizeof counts, "%d/%d%s", n_passed, planned > n_lines ? planned : n_lines,
             n_skipped ? ", some skipped" : "");
    printf("  %-13s %-8s %22s %6.1f s\n", name, text_of(suite, "status"), counts,
           seconds_of(suite));
    if (*text_of(suite, "reason"))
        print_reason("      ", text_of(suite, "reason"));
    json_array_foreach(json_object_get(suite, "failures"), i, one)
        print_reason("      failed: ", json_string_value(one));
    json_array_foreach(json_object_get(suite, "skips"), i, one)
        print_reason("      skipped: ", json_string_value(one));
    fflush(stdout);
}
