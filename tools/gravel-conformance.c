/* SPDX-License-Identifier: MIT */
/*
 * gravel-conformance: whether Gravel is right on a device, on every step of the capability ladder that it takes. One
 * program for a user with a new driver: a report of a page. The suites are those of the test suite.
 *
 * Path:    a user with a driver -> this -> conformance/trial.c, a child for each suite -> standard output.
 * Threads: one; this process calls OpenCL only for --tap, its children do.
 */
#include "../apps/frame/process.h"
#include "base/number.h"
#include "conformance/trial.h"
#include "info/child.h"
#include "info/members.h"
#include "support.h"
#include "transport/launcher.h"

#include <argp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_S 600u

enum { PASSED, FAILED, NOTHING_RAN }; /* exit status */
enum { KEY_LIMIT = 256, KEY_TAP };

struct arguments {
    const char *device, *step, *suite; /* NULL if not given */
    bool json, tap;
    unsigned limit_s;
    char **rest; /* of --tap: the suite's own */
    int n_rest;
};

static const char *const steps[] = {"svm", "usm", "pump", "drain"};
#define N_STEPS (sizeof steps / sizeof *steps)

static volatile sig_atomic_t is_interrupted;

/* ---- arguments ------------------------------------------------------------------------------- */

static const struct argp_option options[] = {
    {"device", 'd', "DEVICE", 0, "as GRAVEL_DEVICE takes it (default: what gravel_open chooses)",
     0},
    {"step", 's', "STEP", 0, "only svm, usm, pump or drain (default: each)", 0},
    {"suite", 'u', "SUITE", 0,
     "only words, requests, waits, mirror, accumulate, rounds, records, handlers, ledger, "
     "ledger-put "
     "or ledger-small",
     0},
    {"json", 'j', NULL, 0, "the report as one JSON object", 0},
    {"limit", KEY_LIMIT, "SECONDS", 0, "give up on a suite after this (600)", 0},
    {"tap", KEY_TAP, NULL, 0,
     "run the suite in this process, with GRAVEL_* as they are set and under an MPI launcher if "
     "there is one, and "
     "print TAP; ledger takes MODE [MESSAGES], words, requests and records take singles: a tenth "
     "of the "
     "cases",
     0},
    {0}};

static const struct conformance_trial *find_trial(const char *name)
{
    for (unsigned i = 0; i < conformance_n_trials; i++)
        if (!strcmp(conformance_trials[i].name, name))
            return &conformance_trials[i];
    return NULL;
}

static void check(const struct arguments *arguments, struct argp_state *state)
{
    bool is_step = !arguments->step;
    for (size_t i = 0; i < N_STEPS; i++)
        is_step = is_step || !strcmp(steps[i], arguments->step);
    if (!is_step)
        argp_error(state, "--step: '%s' is not svm, usm, pump or drain", arguments->step);
    if (arguments->suite && !find_trial(arguments->suite))
        argp_error(state, "--suite: there is no suite '%s'", arguments->suite);
    if (arguments->tap && (!arguments->suite || arguments->json))
        argp_error(state, "--tap goes with --suite, and not with --json");
    if (arguments->n_rest && !arguments->tap)
        argp_error(state, "'%s' is no option", arguments->rest[0]);
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    uint64_t number = 0;
    switch (key) {
    case 'd':
        arguments->device = value;
        break;
    case 's':
        arguments->step = value;
        break;
    case 'u':
        arguments->suite = value;
        break;
    case 'j':
        arguments->json = true;
        break;
    case KEY_TAP:
        arguments->tap = true;
        break;
    case KEY_LIMIT:
        if (!gravel_number_within(value, 1, 36000, &number))
            argp_error(state, "--limit: '%s' is not in 1..36000", value);
        arguments->limit_s = (unsigned)number;
        break;
    case ARGP_KEY_ARGS:
        arguments->rest = state->argv + state->next;
        arguments->n_rest = state->argc - state->next;
        break;
    case ARGP_KEY_END:
        check(arguments, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* ---- one suite here -------------------------------------------------------------------------- */

static int run_tap(const struct arguments *arguments)
{
    const struct conformance_trial *trial = find_trial(arguments->suite);
    char *own[2] = {(char *)trial->arguments[0], (char *)trial->arguments[1]};
    if (arguments->device)
        setenv("GRAVEL_DEVICE", arguments->device, 1);
    if (arguments->step)
        setenv("GRAVEL_STEP", arguments->step, 1);
    watch(arguments->limit_s, trial->name);
    int status = suite_run(trial->suite, arguments->n_rest ? arguments->n_rest : 2,
                           arguments->n_rest ? arguments->rest : own);
    return status == SUITE_REFUSED ? 0 : status; /* its TAP says so */
}

/* ---- the report as text, line by line as it comes ---------------------------------------------- */

/* Prints it in one line, whatever a driver or compiler wrote. */
static void print_reason(const char *what, const char *reason)
{
    printf("      %s", what);
    for (const char *c = reason; *c; c++)
        putchar(*c == '\n' ? ' ' : *c);
    putchar('\n');
}

/* Prints a line, its reason and, of a suite, the first failures. */
static void print_result(const char *name, const char *counts, const json_t *result)
{
    static const char *const keys[] = {"failures", "skips"}, *const words[] = {"failed: ",
                                                                               "skipped: "};
    size_t i;
    json_t *one;
    printf("  %-13s %-8s %22s %6.1f s\n", name, info_text(result, "status"), counts,
           json_number_value(json_object_get(result, "seconds")));
    if (*info_text(result, "reason"))
        print_reason("", info_text(result, "reason"));
    for (size_t k = 0; k < 2; k++)
        json_array_foreach(json_object_get(result, keys[k]), i, one)
            print_reason(words[k], json_string_value(one));
    fflush(stdout);
}

static void print_suite(const char *name, const json_t *suite)
{
    char counts[64];
    const json_int_t n_skipped = info_integer(suite, "skipped"),
                     n_passed = info_integer(suite, "passed"),
                     n_lines = n_passed + n_skipped + info_integer(suite, "failed"),
                     planned = info_integer(suite, "planned");
    snprintf(counts, sizeof counts, "%lld/%lld%s", (long long)n_passed,
             (long long)(planned > n_lines ? planned : n_lines), n_skipped ? ", some skipped" : "");
    print_result(name, counts, suite);
}

/* ---- the report ------------------------------------------------------------------------------ */

static bool has_status(const json_t *object, const char *status)
{
    return !strcmp(info_text(object, "status"), status);
}

static void run_suites(json_t *step, const struct conformance_place *place,
                       const struct arguments *arguments)
{
    json_t *suites = json_object();
    json_object_set_new(step, "suites", suites);
    for (unsigned i = 0; i < conformance_n_trials && !is_interrupted; i++) {
        const struct conformance_trial *trial = &conformance_trials[i];
        if (arguments->suite && strcmp(arguments->suite, trial->name) != 0)
            continue;
        json_t *suite = conformance_run(place, trial);
        if (!arguments->json)
            print_suite(trial->name, suite);
        json_object_set_new(suites, trial->name, suite);
    }
}

/* Runs a step. The report describes the device by the first step that is taken. */
static json_t *run_step(json_t *report, const struct conformance_place *place,
                        const struct arguments *arguments)
{
    json_t *step = conformance_open(place), *about = json_object_get(step, "about");
    const char *settings = conformance_step_settings(place->step);
    const bool is_first = about && !json_object_get(report, "device");
    if (is_first)
        json_object_update(report, about);
    if (is_first && !arguments->json)
        printf("gravel-conformance %s: %s, platform %s, driver %s\n", info_text(report, "version"),
               info_text(report, "device"), info_text(report, "platform"),
               info_text(report, "driver"));
    json_object_del(step, "about");
    json_object_set_new(step, "step", json_string(place->step));
    json_object_set_new(step, "settings", json_string(settings));
    if (!arguments->json) {
        printf("step %s%s%s%s\n", place->step, *settings ? " (" : "", settings,
               *settings ? ")" : "");
        print_result("self-test", "", step); /* or why it was refused or failed */
    }
    if (has_status(step, "passed"))
        run_suites(step, place, arguments);
    return step;
}

/* Returns what a step says of the device; refused is NOTHING_RAN. */
static int verdict_of(const json_t *step)
{
    const char *key;
    json_t *suite;
    bool failed = has_status(step, "failed");
    json_object_foreach(json_object_get(step, "suites"), key, suite) failed |=
        !has_status(suite, "passed") && !has_status(suite, "refused");
    return failed ? FAILED : has_status(step, "passed") ? PASSED : NOTHING_RAN;
}

static int judge(json_t *report)
{
    char names[3][64] = {"", "", ""}; /* of steps, by verdict */
    const char *passed = names[PASSED], *failed = names[FAILED], *refused = names[NOTHING_RAN];
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(report, "steps"), i, step)
    {
        char *list = names[verdict_of(step)];
        const size_t n = strlen(list);
        snprintf(list + n, sizeof *names - n, "%s%s", n ? ", " : "", info_text(step, "step"));
    }
    json_t *verdict = is_interrupted ? json_string("interrupted: what was not run says nothing")
                      : *failed ? json_sprintf("Gravel does not work here on step %s%s%s", failed,
                                               *passed ? "; it does on " : "", passed)
                      : *passed ? json_sprintf("Gravel works here on step %s%s%s", passed,
                                               *refused ? "; refused: " : "", refused)
                                : json_string("nothing could run: no step is taken here");
    json_object_set_new(report, "verdict", verdict);
    return *failed || (is_interrupted && *passed) ? FAILED : *passed ? PASSED : NOTHING_RAN;
}

/* A job's processes do not meet here: the first one says so. Not on standard output, which may be JSON. */
static void report_launcher(void)
{
    const struct gravel_launched launched = gravel_launcher_read();
    if (launched.n_processes > 1 && launched_rank() == 0)
        fprintf(stderr,
                "gravel-conformance: launched as %u processes (%s), each of which tests its device "
                "alone; --tap --suite SUITE tests them as one job\n",
                launched.n_processes, launched.variable);
}

static int run_report(const struct arguments *arguments)
{
    json_t *list = json_array();
    json_t *report = json_pack("{s:s, s:o}", "version", GRAVEL_VERSION, "steps", list);
    bool is_absent = false;
    for (size_t i = 0; i < N_STEPS && !is_absent && !is_interrupted; i++) {
        const struct conformance_place place = {arguments->device, steps[i], arguments->limit_s};
        if (arguments->step && strcmp(arguments->step, steps[i]) != 0)
            continue;
        json_array_append_new(list, run_step(report, &place, arguments));
        is_absent = has_status(json_array_get(list, json_array_size(list) - 1), "absent");
    }
    int status = judge(report);
    if (arguments->json)
        json_dumpf(report, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    else
        printf("%s", json_string_value(json_object_get(report, "verdict")));
    putchar('\n');
    json_decref(report);
    return status;
}

static void interrupt(int signal_number)
{
    (void)signal_number;
    is_interrupted = 1;
    info_child_stop();
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc =
            "Check Gravel on an OpenCL device, on every step of the capability ladder that it "
            "takes.\v"
            "Exit status: 0 all passed, 1 something failed, 2 nothing could run, or wrong usage. A "
            "step that the device "
            "cannot take is refused, with the reason: neither passed nor failed."};
    struct arguments arguments = {.limit_s = LIMIT_S};
    printed_guard();
    argp_program_version = "gravel-conformance " GRAVEL_VERSION;
    argp_err_exit_status = NOTHING_RAN;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (arguments.tap)
        return run_tap(&arguments);
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    report_launcher();
    return run_report(&arguments);
}
