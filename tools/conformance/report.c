/* SPDX-License-Identifier: MIT */
/*
 * Printing the report. See report.h.
 */
#include "report.h"

#include "info/members.h"

#include <stdio.h>
#include <string.h>

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
    printf("gravel-conformance %s: %s, platform %s, driver %s\n", info_text(report, "version"),
           info_text(report, "device"), info_text(report, "platform"), info_text(report, "driver"));
}

void conformance_print_step(const json_t *step)
{
    const char *settings = info_text(step, "settings");
    printf("step %s%s%s%s\n  %-13s %-8s %22s %6.1f s\n", info_text(step, "step"),
           *settings ? " (" : "", settings, *settings ? ")" : "", "self-test",
           info_text(step, "status"), "", info_number(step, "seconds"));
    if (*info_text(step, "reason"))
        print_reason("      ", info_text(step, "reason"));
    fflush(stdout);
}

void conformance_print_suite(const char *name, const json_t *suite)
{
    char counts[64];
    size_t i;
    json_t *one;
    int n_skipped = (int)info_integer(suite, "skipped"),
        n_passed = (int)info_integer(suite, "passed");
    int n_lines = n_passed + n_skipped + (int)info_integer(suite, "failed"),
        planned = (int)info_integer(suite, "planned");
    snprintf(counts, sizeof counts, "%d/%d%s", n_passed, planned > n_lines ? planned : n_lines,
             n_skipped ? ", some skipped" : "");
    printf("  %-13s %-8s %22s %6.1f s\n", name, info_text(suite, "status"), counts,
           info_number(suite, "seconds"));
    if (*info_text(suite, "reason"))
        print_reason("      ", info_text(suite, "reason"));
    json_array_foreach(json_object_get(suite, "failures"), i, one)
        print_reason("      failed: ", json_string_value(one));
    json_array_foreach(json_object_get(suite, "skips"), i, one)
        print_reason("      skipped: ", json_string_value(one));
    fflush(stdout);
}
