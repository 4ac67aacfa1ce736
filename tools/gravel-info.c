/* SPDX-License-Identifier: MIT */
/*
 * gravel-info: which OpenCL devices there are, what each can do for Gravel and why not more,
 * whether it keeps its promises, and which settings are in force.
 *
 * Path:    a user who wonders -> gravel-info -> info/devices.h, info/cluster.h.
 * Threads: one; this process never calls OpenCL, its children do (info/child.c).
 */
#include "../apps/frame/printed.h"
#include "base/number.h"
#include "settings/settings.h"
#include "gravel/gravel.h"
#include "info/cluster.h"
#include "info/devices.h"

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST_ROUNDS 2000u

enum { KEY_OPENCL_INCLUDE = 256, KEY_LIMIT };

struct arguments {
    const char *device; /* NULL if not given */
    bool self_test, env, cluster, json, opencl_include;
    unsigned limit_s;
};

static const struct argp_option options[] = {
    {"device", 'd', "DEVICE", 0, "this device alone, as GRAVEL_DEVICE takes it", 0},
    {"selftest", 't', NULL, 0, "prove what the devices promise; exit status 1 if one fails", 0},
    {"env", 'e', NULL, 0, "settings and their GRAVEL_* variables instead of devices", 0},
    {"cluster", 'c', NULL, 0,
     "under mpirun or srun: what each rank has, and what differs between hosts", 0},
    {"json", 'j', NULL, 0, "one JSON object instead of text", 0},
    {"opencl-include", KEY_OPENCL_INCLUDE, NULL, 0, "directory where gravel.cl.h is installed", 0},
    {"limit", KEY_LIMIT, "SECONDS", 0, "give up on a driver after this (30)", 0},
    {0}};

static bool *flag_of(struct arguments *arguments, int key)
{
    switch (key) {
    case 't':
        return &arguments->self_test;
    case 'e':
        return &arguments->env;
    case 'c':
        return &arguments->cluster;
    case 'j':
        return &arguments->json;
    case KEY_OPENCL_INCLUDE:
        return &arguments->opencl_include;
    default:
        return NULL;
    }
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    bool *flag = flag_of(arguments, key);
    uint64_t number = 0;
    if (flag) {
        *flag = true;
    } else if (key == 'd') {
        arguments->device = value;
    } else if (key == KEY_LIMIT) {
        if (!gravel_number_within(value, 1, 3600, &number))
            argp_error(state, "--limit: '%s' is not in 1..3600", value);
        arguments->limit_s = (unsigned)number;
    } else {
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static int fail(const char *text)
{
    fprintf(stderr, "gravel-info: %s\n", text);
    return 1;
}

/* Print and drop. */
static void print_json(json_t *object)
{
    json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(object);
}

/* Reads the settings. @return 0; GRAVEL_ECONFIG if a variable is malformed or out of range: gravel_last_error */
static int load(struct gravel_config *config)
{
    const int code = gravel_config_load(config, sizeof *config);
    return code ? code : gravel_config_check(config);
}

static int show_settings(const struct arguments *arguments)
{
    struct gravel_config config;
    if (arguments->json)
        print_json(info_settings_json());
    else
        info_settings_print();
    return load(&config) ? fail(gravel_last_error()) : 0;
}

/* Marks a step as one that cannot be taken. @param lack  text, or NULL for none. */
static void refuse_step(json_t *steps, const char *name, const char *lack)
{
    size_t i;
    json_t *step;
    json_array_foreach(steps, i, step)
    {
        if (strcmp(json_string_value(json_object_get(step, "name")), name))
            continue;
        json_object_set_new(step, "possible", json_false());
        json_object_set_new(step, "lack", lack ? json_string(lack) : json_null());
    }
}

/* What a probe found out replaces what the device said. @return whether it passed. */
static bool note_probe(json_t *device, json_t *probe)
{
    json_t *error = json_object_get(probe, "error");
    if (!probe || error) {
        refuse_step(json_object_get(device, "steps"),
                    json_string_value(json_object_get(device, "step")), json_string_value(error));
        json_object_set_new(device, "step", json_null());
        json_object_set(device, "reason", error);
    } else {
        json_object_set(device, "steps", json_object_get(probe, "steps"));
        json_object_set(device, "capabilities", json_object_get(probe, "capabilities"));
        json_object_del(probe, "steps");
        json_object_del(probe, "capabilities");
    }
    json_object_set_new(device, "probe", probe);
    return probe && !error;
}

/* Probe those that can, queries say. @return whether every one of them passed, and there was one.
 */
static bool probe_devices(json_t *devices, const struct arguments *arguments)
{
    size_t i, n_failed = 0, n_probed = 0;
    json_t *device;
    json_array_foreach(devices, i, device)
    {
        if (json_is_null(json_object_get(device, "step")))
            continue;
        const struct info_probe probe = {.device =
                                             json_string_value(json_object_get(device, "number")),
                                         .n_rounds = arguments->self_test ? TEST_ROUNDS : 0,
                                         .with_node = arguments->self_test};
        n_probed++;
        n_failed += !note_probe(device, info_probe_run(&probe, arguments->limit_s));
    }
    return n_probed && !n_failed;
}

static bool is_among(const json_t *numbers, const json_t *number)
{
    size_t i;
    json_t *one;
    json_array_foreach(numbers, i, one)
    {
        if (json_equal(number, one))
            return true;
    }
    return false;
}

/* If a device is asked for, drop others that do not equal it. @return 0, or 1 if there is no such device. */
static int keep_asked(json_t *list, bool is_asked)
{
    json_t *devices = json_object_get(list, "devices");
    if (!is_asked)
        return 0;
    if (json_is_null(json_object_get(list, "default")))
        return fail(json_string_value(json_object_get(list, "default_error")));
    for (size_t i = json_array_size(devices); i-- > 0;)
        if (!is_among(json_object_get(list, "defaults"),
                      json_object_get(json_array_get(devices, i), "number")))
            json_array_remove(devices, i);
    return 0;
}

/* @param is_alone  whether one device is asked for; then no other one is asked anything. */
static json_t *list_devices(const struct arguments *arguments, bool *is_alone)
{
    struct gravel_config config;
    if (load(&config))
        return json_pack("{s:s}", "error", gravel_last_error());
    const char *name = arguments->device ? arguments->device : config.device;
    *is_alone = arguments->device || (arguments->self_test && *name);
    const struct info_request request = {
        .device = name, .step = config.step, .is_alone = *is_alone};
    return info_list(&request, arguments->limit_s);
}

static int show_devices(const struct arguments *arguments)
{
    bool is_alone = false;
    json_t *list = list_devices(arguments, &is_alone);
    const char *error = list ? json_string_value(json_object_get(list, "error")) : "out of memory";
    int status = error ? fail(error) : keep_asked(list, is_alone);
    if (!status) {
        bool passed = probe_devices(json_object_get(list, "devices"), arguments);
        status = arguments->self_test && !passed;
        if (!arguments->json)
            info_print(list, arguments->self_test);
    }
    if (arguments->json)
        print_json(list);
    else
        json_decref(list);
    return status;
}

/* Rank 0 speaks for all; where ranks did not meet, each for itself. */
static int show_cluster(const struct arguments *arguments)
{
    json_t *cluster = info_cluster(arguments->device, arguments->limit_s);
    const char *error =
        cluster ? json_string_value(json_object_get(cluster, "error")) : "out of memory";
    const bool speaks = json_integer_value(json_object_get(cluster, "rank")) == 0;
    const int status = error ? fail(error) : info_cluster_is_broken(cluster);
    if (speaks && arguments->json)
        print_json(cluster);
    else {
        if (speaks)
            info_cluster_print(cluster);
        json_decref(cluster);
    }
    fflush(stdout); /* MPI is finalised at the end of the process, and may wait for others */
    return status;
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
    if (arguments.opencl_include) {
        puts(GRAVEL_OPENCL_INCLUDE);
        return 0;
    }
    return arguments.env       ? show_settings(&arguments)
           : arguments.cluster ? show_cluster(&arguments)
                               : show_devices(&arguments);
}
