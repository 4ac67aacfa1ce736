/* SPDX-License-Identifier: MIT */
/*
 * Suites in child processes. See trial.h.
 *
 * Settings are variables of the child. Those that the user has set stay, except for the device, the step and the
 * transport, which the report names.
 */
#include "trial.h"

#include "gravel/gravel.h"
#include "info/child.h"
#include "info/members.h"
#include "base/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPEN_LIMIT_S 60u   /* a driver compiles a few small kernels */
#define MANY_ROUNDS "2000" /* copies that pass a running kernel mostly fail once in 100 launches */
#define ONE_SLOT "GRAVEL_QUEUE=9280 GRAVEL_SLOT=9280 GRAVEL_AGGREGATORS=1 "
#define SMALL_BUFFERS "GRAVEL_BUFFER=512 GRAVEL_BUFFERS=2"

const struct conformance_trial conformance_trials[] = {
    {.name = "words", .suite = &suite_words},
    {.name = "requests", .suite = &suite_requests},
    {.name = "waits", .suite = &suite_waits},
    {.name = "mirror", .suite = &suite_mirror},
    {.name = "accumulate", .suite = &suite_accumulate},
    {.name = "rounds", .suite = &suite_rounds},
    {.name = "records", .suite = &suite_records},
    {.name = "handlers", .suite = &suite_handlers},
    {.name = "ledger", .suite = &suite_ledger, .arguments = {"am", "500000"}},
    {.name = "ledger-put", .suite = &suite_ledger, .arguments = {"put_if", "250000"}},
    {.name = "ledger-small",
     .suite = &suite_ledger,
     .arguments = {"am_if", "250000"},
     .settings = ONE_SLOT SMALL_BUFFERS,
     .drain_settings = "GRAVEL_QUEUE=593920 " SMALL_BUFFERS},
};
const unsigned conformance_n_trials = sizeof conformance_trials / sizeof *conformance_trials;

/* What a child needs to know. */
struct order {
    const struct conformance_place *place;
    const struct conformance_trial *trial;
    FILE *out; /* what the suite prints */
};

/* ---- settings -------------------------------------------------------------------------------- */

/* Returns settings for the step: pump on a CPU takes more threads than the host's, so that a compute unit stays free. */
const char *conformance_step_settings(const char *step)
{
    return !strcmp(step, "pump") ? "GRAVEL_HOST_CORES=0 POCL_MAX_PTHREAD_COUNT=3" : "";
}

static void set_all(const char *settings)
{
    char text[256], *rest = text, *setting;
    snprintf(text, sizeof text, "%s", settings ? settings : "");
    while ((setting = strsep(&rest, " "))) {
        char *value = strchr(setting, '=');
        if (!value)
            continue;
        *value = '\0';
        setenv(setting, value + 1, 0);
    }
}

static void set_place(const struct conformance_place *place)
{
    if (place->device)
        setenv("GRAVEL_DEVICE", place->device, 1);
    setenv("GRAVEL_STEP", place->step, 1);
    setenv("GRAVEL_TRANSPORT", "self", 1);
    setenv("GRAVEL_LOOPBACK", "2", 1);
    set_all(conformance_step_settings(place->step));
}

/* ---- opening --------------------------------------------------------------------------------- */

static json_t *describe_device(cl_device_id device)
{
    char name[256] = "", platform_name[256] = "", driver[256] = "";
    cl_platform_id platform = NULL;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver - 1, driver, NULL);
    clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name - 1, platform_name, NULL);
    return json_pack("{s:{s:o, s:o, s:o}}", "about", "device", info_driver_text(name), "platform",
                     info_driver_text(platform_name), "driver", info_driver_text(driver));
}

/* In the child. */
static json_t *open_here(const void *argument)
{
    const struct order *order = argument;
    struct gravel *gravel;
    set_place(order->place);
    setenv("GRAVEL_SELF_TEST", MANY_ROUNDS, 0);
    info_child_stage("opening a node");
    int code = gravel_open(&gravel, NULL, NULL);
    json_t *answer = code ? NULL : describe_device(gravel_cl_device(gravel));
    info_child_stage("closing a node");
    if (!code)
        code = gravel_close(gravel);
    return code ? json_pack("{s:i, s:s}", "code", code, "error", gravel_last_error()) : answer;
}

/* Adds the seconds since then. */
static json_t *timed(json_t *report, uint64_t begin_ns)
{
    json_object_set_new(report, "seconds",
                        json_real((double)(gravel_clock_ns() - begin_ns) * 1e-9));
    return report;
}

json_t *conformance_open(const struct conformance_place *place)
{
    const struct order order = {.place = place};
    uint64_t begin_ns = gravel_clock_ns();
    json_t *answer = info_child_run(open_here, &order,
                                    place->limit_s < OPEN_LIMIT_S ? place->limit_s : OPEN_LIMIT_S);
    json_t *error = json_object_get(answer, "error");
    const json_int_t code = info_integer(answer, "code");
    const bool is_absent = code == GRAVEL_EDEVICE || code == GRAVEL_ECONFIG;
    const char *status = !error                       ? "passed"
                         : code == GRAVEL_ECAPABILITY ? "refused"
                         : is_absent                  ? "absent"
                                                      : "failed";
    json_object_set_new(answer, "status", json_string(status));
    if (error)
        json_object_set(answer, "reason", error);
    json_object_del(answer, "error");
    return timed(answer, begin_ns);
}

/* ---- what a suite printed: TAP ------------------------------------------------------------------ */

#define MAX_FAILURES 5u

static void append_once(json_t *texts, const char *text)
{
    size_t i;
    json_t *one;
    json_array_foreach(texts, i, one) if (!strcmp(json_string_value(one), text)) return;
    json_array_append_new(texts, json_string(text));
}

/* Counts a suite's lines, whole or cut off: the first failures each with the first difference printed before it, skips
 * with each reason once; "planned" is -1 if no plan came. @return NULL without memory */
static json_t *read_tap(FILE *file)
{
    static const char skip[] = "# SKIP ";
    unsigned n_passed = 0, n_failed = 0, n_skipped = 0;
    int n_planned = -1;
    char line[512], difference[512] = ""; /* the first of the line to come */
    json_t *failures = json_array(), *skips = json_array();
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        const char *skipped = strstr(line, skip), *name = strstr(line, " - ");
        if (!strncmp(line, "# ", 2)) {
            if (!*difference)
                snprintf(difference, sizeof difference, "%s", line + 2);
            continue;
        }
        if (!strncmp(line, "not ok ", 7)) {
            if (n_failed++ < MAX_FAILURES)
                json_array_append_new(failures, json_sprintf("%s%s%s", name ? name + 3 : line,
                                                             *difference ? "; " : "", difference));
        } else if (!strncmp(line, "ok ", 3) && skipped) {
            n_skipped++;
            append_once(skips, skipped + sizeof skip - 1);
        } else if (!strncmp(line, "ok ", 3)) {
            n_passed++;
        } else if (!strncmp(line, "1..", 3)) {
            n_planned = atoi(line + 3);
        }
        difference[0] = '\0';
    }
    return json_pack("{s:i, s:i, s:i, s:i, s:o, s:o}", "passed", (int)n_passed, "failed",
                     (int)n_failed, "skipped", (int)n_skipped, "planned", n_planned, "failures",
                     failures, "skips", skips);
}

/* ---- suites ---------------------------------------------------------------------------------- */

/* In the child. */
static json_t *run_here(const void *argument)
{
    const struct order *order = argument;
    const struct conformance_trial *trial = order->trial;
    char *arguments[2] = {(char *)trial->arguments[0], (char *)trial->arguments[1]};
    char stage[64];
    set_all(!strcmp(order->place->step, "drain") ? trial->drain_settings : trial->settings);
    set_place(order->place);
    snprintf(stage, sizeof stage, "running %s", trial->name);
    info_child_stage(stage);
    dup2(fileno(order->out), STDOUT_FILENO);
    setvbuf(stdout, NULL, _IOLBF,
            0); /* what has passed is printed, though the driver may crash later */
    int status = suite_run(trial->suite, 2, arguments);
    fflush(stdout);
    return json_pack("{s:i, s:s}", "status", status, "why", gravel_last_error());
}

/* Passed is what came to its end without a failure, and had all that it planned; refused, what the device cannot do. */
static void judge(json_t *report, const json_t *answer)
{
    const json_int_t n_failed = info_integer(report, "failed"),
                     ended = info_integer(answer, "status"),
                     n_lines = info_integer(report, "passed") + n_failed +
                               info_integer(report, "skipped");
    const bool is_refused = ended == SUITE_REFUSED && !n_lines,
               is_whole = n_lines && info_integer(report, "planned") == n_lines;
    json_t *error = json_object_get(answer, "error");
    const char *status = error || n_failed || !is_whole || ended ? "failed" : "passed";
    json_object_set_new(report, "status", json_string(!error && is_refused ? "refused" : status));
    if (error || is_refused)
        json_object_set(report, "reason", error ? error : json_object_get(answer, "why"));
    else if (!is_whole)
        json_object_set_new(report, "reason", json_string("it ended before its last line"));
}

json_t *conformance_run(const struct conformance_place *place,
                        const struct conformance_trial *trial)
{
    struct order order = {place, trial, info_child_file()};
    uint64_t begin_ns = gravel_clock_ns();
    if (!order.out)
        return json_pack("{s:s, s:s}", "status", "failed", "reason",
                         "cannot make a temporary file");
    json_t *answer = info_child_run(run_here, &order, place->limit_s);
    json_t *report = read_tap(order.out);
    fclose(order.out);
    judge(report, answer);
    json_decref(answer);
    return timed(report, begin_ns);
}
