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

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum key {
    DEVICE = 'd',
    SELF_TEST = 't',
    ENVIRONMENT = 'e',
    CLUSTER = 'c',
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
     "under mpirun or srun: what each rank has, and what differs between hosts", 0},
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

static int show_settings(const struct arguments *arguments)
{
    struct gravel_config config;
    drop(info_settings(arguments->has[AS_JSON]), arguments);
    return info_config(&config, NULL) ? fail(gravel_last_error()) : 0;
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
        info_print_devices(list, is_test);
    const int status = error ? fail(error) : is_test && (!n_tested || n_passed < n_tested);
    drop(list, arguments);
    return status;
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
            info_print_job(job);
        drop(job, arguments);
    }
    json_decref(own);
    fflush(stdout); /* MPI is finalised at the end of the process, and may wait for others */
    return code || is_broken;
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
                                      : show_devices(&arguments);
}
