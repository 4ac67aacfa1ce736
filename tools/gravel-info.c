/* SPDX-License-Identifier: MIT */
/*
 * gravel-info: which OpenCL devices there are, what each can do for Gravel and why not more,
 * whether it keeps its promises, and which settings are in force.
 *
 * Path:    a user who wonders -> gravel-info -> info/info.h.
 * Threads: one; OpenCL is called by children (info/child.c), and by a job that nothing keeps from opening.
 */
#include "../apps/frame/process.h"
#include "base/number.h"
#include "settings/settings.h"
#include "gravel/gravel.h"
#include "info/info.h"
#include "info/members.h"

#include <argp.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum key {
    DEVICE = 'd',
    SELF_TEST = 't',
    ENVIRONMENT = 'e',
    CLUSTER = 'c',
    MEASURE = 'm',
    AS_JSON = 'j',
    LIMIT = 256,
    N_KEYS
};

struct arguments {
    const char *device; /* NULL if not given */
    bool has[N_KEYS];   /* those without a value */
    unsigned limit_s;
};

static const struct argp_option options[] = {
    {"device", DEVICE, "DEVICE", 0, "this device alone, as GRAVEL_DEVICE takes it", 0},
    {"selftest", SELF_TEST, NULL, 0, "prove what the devices promise; exit status 1 if one fails",
     0},
    {"env", ENVIRONMENT, NULL, 0, "settings and their GRAVEL_* variables instead of devices", 0},
    {"cluster", CLUSTER, NULL, 0,
     "under mpirun or srun: what each rank has, and whether a job opens", 0},
    {"measure", MEASURE, NULL, 0,
     "what messages, flushes, launches and rounds cost, also under mpirun or srun; 10 to 20 s", 0},
    {"json", AS_JSON, NULL, 0, "one JSON object instead of text", 0},
    {"limit", LIMIT, "SECONDS", 0, "give up on a driver after this (30)", 0},
    {0}};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    uint64_t number = 0;
    switch (key) {
    case DEVICE:
        arguments->device = value;
        return 0;
    case LIMIT:
        if (!gravel_number_within(value, 1, 3600, &number))
            argp_error(state, "--limit: '%s' is not in 1..3600", value);
        arguments->limit_s = (unsigned)number;
        return 0;
    case SELF_TEST:
    case ENVIRONMENT:
    case CLUSTER:
    case MEASURE:
    case AS_JSON:
        arguments->has[key] = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int fail(const char *text)
{
    fprintf(stderr, "gravel-info: %s\n", text);
    return 1;
}

/* Drops an object, which is printed as JSON if that is asked for. */
static void drop(json_t *object, const struct arguments *arguments)
{
    if (arguments->has[AS_JSON]) {
        json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        putchar('\n');
    }
    json_decref(object);
}

/* ---- settings -------------------------------------------------------------------------------- */

/* In the order of gravel_setting_at. */
static const char *const meanings[] = {
#define MEANING(kind, field, variable, preset, low, high, category, help) help,
    GRAVEL_CONFIG_FIELDS(MEANING)};

static int show_settings(const struct arguments *arguments)
{
    struct gravel_config config;
    const struct gravel_setting *s;
    json_t *all = json_array();
    for (uint32_t i = 0; (s = gravel_setting_at(i)); i++) {
        const char *set = getenv(s->variable);
        const bool is_set = set && *set; /* as the library sees it */
        char preset[24];
        snprintf(preset, sizeof preset, "%" PRIu64, s->number);
        const char *value = is_set ? set : s->kind == GRAVEL_SETTING_STRING ? s->text : preset;
        json_array_append_new(all,
                              json_pack("{s:s, s:s, s:b, s:s}", "variable", s->variable, "value",
                                        value, "is_set", (int)is_set, "help", meanings[i]));
        if (!arguments->has[AS_JSON])
            printf("%-24s  %-10s  %s\n      %s\n", s->variable, *value ? value : "\"\"",
                   is_set ? "set" : "not set", meanings[i]);
    }
    drop(json_pack("{s:o}", "settings", all), arguments);
    return info_config(&config, NULL) ? fail(gravel_last_error()) : 0;
}

/* ---- devices --------------------------------------------------------------------------------- */

static void print_rows(const json_t *device)
{
    static const char *const rows[] = {"platform", "driver",   "language", "size",
                                       "cores",    "settings", "flows",    "proved",
                                       "can",      "may",      "cannot"};
    for (size_t r = 0, i; r < sizeof rows / sizeof *rows; r++) {
        const char *text = info_text(device, rows[r]);
        json_t *line;
        if (*text)
            printf("     %-9s %s\n", rows[r], text);
        json_array_foreach(json_object_get(device, rows[r]), i, line)
            printf("     %-9s %s\n", rows[r], json_string_value(line));
    }
}

static void print_device(const json_t *device, bool is_test)
{
    const json_t *passed = json_object_get(device, "passed");
    const char *step = info_text(device, "step"), *reason = info_text(device, "reason");
    printf("%s  %s", info_text(device, "number"), info_text(device, "name"));
    if (!is_test) {
        printf("%s\n     step      %s%s\n", info_text(device, "turn"),
               *step ? step : "none: ", reason);
        print_rows(device);
    } else if (json_is_true(passed)) {
        printf(": PASS: step %s: %s\n", step, info_text(device, "proved"));
    } else {
        printf(": %s: %s\n", passed ? "FAIL" : "not tested, cannot take a step", reason);
    }
}

static void print_devices(const json_t *list, bool is_test)
{
    size_t i;
    json_t *device, *driver;
    json_array_foreach(json_object_get(list, "devices"), i, device) print_device(device, is_test);
    json_array_foreach(json_object_get(list, "broken_drivers"), i, driver)
        printf("left out: %s: %s\n"
               "     (every OpenCL program loads it: remove it, or set OCL_ICD_VENDORS)\n",
               info_text(driver, "file"), info_text(driver, "error"));
    if (!is_test && json_is_null(json_object_get(list, "default")))
        printf("no default: %s\n", info_text(list, "default_error"));
}

/* Lists devices; where one is asked for, no other one is asked anything. */
static int show_devices(const struct arguments *arguments)
{
    const bool is_test = arguments->has[SELF_TEST];
    const char *named = getenv("GRAVEL_DEVICE");
    const bool is_alone = arguments->device || (is_test && named && *named);
    json_t *list = info_list(arguments->device, is_alone, arguments->limit_s), *device;
    const char *error = list ? json_string_value(json_object_get(list, "error")) : "out of memory";
    size_t i, n_passed = 0, n_tested = 0;
    json_array_foreach(json_object_get(list, "devices"), i, device)
    {
        if (json_is_null(json_object_get(device, "step"))) /* by what it says */
            continue;
        n_tested++;
        n_passed += info_probe(device, is_test, arguments->limit_s);
    }
    if (!error && !arguments->has[AS_JSON])
        print_devices(list, is_test);
    const int status = error ? fail(error) : is_test && (!n_tested || n_passed < n_tested);
    drop(list, arguments);
    return status;
}

/* ---- a job ----------------------------------------------------------------------------------- */

static void print_rank(const json_t *rank, int width)
{
    char number[24] = "?";
    if (json_is_integer(json_object_get(rank, "rank")))
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, info_integer(rank, "rank"));
    printf("%5s  %-*s  %-11s%-4s%10s  %-5s  %s %s\n", number, width, info_text(rank, "host"),
           info_text(rank, "cores.share"), info_text(rank, "numa"), info_text(rank, "limits.lock"),
           info_text(rank, "step"), info_text(rank, "device.number"),
           info_text(rank, "device.name"));
}

static void print_job(const json_t *job)
{
    int width = (int)strlen("host");
    size_t i;
    json_t *rank, *finding, *ranks = json_object_get(job, "ranks");
    json_array_foreach(ranks, i, rank)
    {
        const char *driver = info_text(rank, "device.driver");
        const int own = (int)strlen(info_text(rank, "host"));
        width = own > width ? own : width;
        if (info_integer(rank, "local") == 0) /* what is of its host */
            printf("%s: Gravel %s, MPI: %s%s%s\n", info_text(rank, "place"),
                   info_text(rank, "version"), info_text(rank, "mpi"), *driver ? ", driver " : "",
                   driver);
    }
    printf("\n rank  %-*s  cores      NUMA  may lock  step   device\n", width, "host");
    json_array_foreach(ranks, i, rank) print_rank(rank, width);
    if (json_is_false(json_object_get(job, "is_broken")))
        puts("\nno rank differs from another one in what nodes agree on");
    json_array_foreach(json_object_get(job, "findings"), i, finding)
        printf("\n%s: %s\n    %s\n", info_text(finding, "effect"), info_text(finding, "what"),
               info_text(finding, "remedy"));
}

/* Rank 0 speaks for all; where ranks did not meet, each for itself. */
static int show_cluster(const struct arguments *arguments)
{
    json_t *own = info_rank_describe(arguments->device, arguments->limit_s), *ranks = json_array();
    json_t *job = json_pack("{s:o, s:[], s:n}", "ranks", ranks, "findings", "is_broken");
    bool is_broken = false;
    int code = info_gather(own, ranks);
    if (code) {
        json_array_append(ranks, own);
    } else {
        json_t *findings = json_object_get(job, "findings");
        is_broken = info_find(ranks, findings) ||
                    (json_array_size(ranks) > 1 && !info_open(arguments->device, findings));
        json_object_set_new(job, "is_broken", json_boolean(is_broken));
    }
    if (code) {
        json_object_set_new(job, "error", json_string(gravel_last_error()));
        fail(gravel_last_error());
    }
    if (json_integer_value(json_object_get(own, "rank")) == 0) {
        if (!arguments->has[AS_JSON])
            print_job(job);
        drop(job, arguments);
    }
    json_decref(own);
    fflush(stdout); /* MPI is finalised at the end of the process, and may wait for others */
    return code || is_broken;
}

/* ---- costs ----------------------------------------------------------------------------------- */

static void print_cost(const char *what, double seconds)
{
    const char *const units[] = {"ns", "us", "ms", "s"};
    uint32_t unit = 0;
    double scaled = seconds * 1e9;
    for (; scaled >= 1000 && unit < 3; scaled /= 1000)
        unit++;
    printf("%-52s  %.3g %s\n", what, scaled, units[unit]);
}

/* Node 0 speaks for all. */
static int show_costs(const struct arguments *arguments)
{
    json_t *report = json_object(), *row;
    size_t i;
    const int code = info_measure(arguments->device, report);
    if (code)
        fail(gravel_last_error());
    if (!code && json_integer_value(json_object_get(report, "node")) == 0) {
        if (!arguments->has[AS_JSON])
            printf("%s, step %s, nodes: %" JSON_INTEGER_FORMAT "\n", info_text(report, "device"),
                   info_text(report, "step"), info_integer(report, "nodes"));
        json_array_foreach(json_object_get(report, "rows"), i, row) if (!arguments->has[AS_JSON])
            print_cost(info_text(row, "what"), json_real_value(json_object_get(row, "seconds")));
        drop(report, arguments);
    } else {
        json_decref(report);
    }
    fflush(stdout); /* MPI is finalised at the end of the process, and may wait for others */
    return code != 0;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "List OpenCL devices, with the numbers GRAVEL_DEVICE takes and what they can do for "
               "Gravel."};
    struct arguments arguments = {.limit_s = 30};
    printed_guard();
    argp_program_version = "gravel-info " GRAVEL_VERSION;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    return arguments.has[ENVIRONMENT] ? show_settings(&arguments)
           : arguments.has[CLUSTER]   ? show_cluster(&arguments)
           : arguments.has[MEASURE]   ? show_costs(&arguments)
                                      : show_devices(&arguments);
}
