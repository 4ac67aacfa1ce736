/* SPDX-License-Identifier: MIT */
/*
 * Text for people. See print.h.
 */
#include "print.h"

#include "describe.h"

#include <stdbool.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void print_line(FILE *out, const char *key, const char *text)
{
    fprintf(out, "     %-9s %s\n", key, text);
}

void info_print_oddities(FILE *out, const json_t *list)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(list, "broken_drivers"), i, one)
        fprintf(out,
                "left out: %s: %s\n"
                "     (every OpenCL program loads it: remove it, or set OCL_ICD_VENDORS)\n",
                text_of(one, "file"), text_of(one, "error"));
    json_array_foreach(json_object_get(list, "platforms"), i,
                       one) if (number_of(one, "n_devices") == 0)
        fprintf(out, "platform %.0f (%s) has no devices\n", number_of(one, "number"),
                text_of(one, "name"));
}

static void print_capabilities(FILE *out, const json_t *has)
{
#define LINE(key, member, name, lack)            \
    if (json_is_true(json_object_get(has, key))) \
        print_line(out, "can", name);            \
    else                                         \
        print_line(out, "cannot", name " (" lack ")");
    INFO_CAPABILITIES(LINE)
#undef LINE
}

/* A step is certain once it has been tested. A reason is printed once. */
static void print_steps(FILE *out, const json_t *device)
{
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(device, "steps"), i, step)
    {
        const char *name = text_of(step, "name"), *lack = text_of(step, "lack");
        if (!json_is_true(json_object_get(step, "possible")))
            fprintf(out, "     cannot    step %s: %s\n", name,
                    strcmp(lack, text_of(device, "reason")) ? lack : "see above");
        else if (!strcmp(name, text_of(device, "step")))
            fprintf(out, "     can       step %s\n", name);
        else
            fprintf(out, "     may       step %s, by what it says; not tested\n", name);
    }
}

static void print_step(FILE *out, const json_t *device)
{
    const char *step = text_of(device, "step");
    fprintf(out, "     %-9s %s%s\n", "step", *step ? step : "none: ", text_of(device, "reason"));
}

/* What a single node on this device would set, where the environment does not. */
static void print_settings(FILE *out, const json_t *settings)
{
    if (settings)
        fprintf(out,
                "     %-9s %.0f aggregator%s, queues of %.0f MiB, slots of %.0f bytes, %.0f node "
                "buffers of %.0f kiB\n",
                "settings", number_of(settings, "aggregators"),
                number_of(settings, "aggregators") > 1 ? "s" : "",
                number_of(settings, "queue_bytes") / (1 << 20), number_of(settings, "slot_bytes"),
                number_of(settings, "buffers"), number_of(settings, "buffer_bytes") / 1024);
}

/* Who chooses rounds of flows, and what the self-test of that saw. */
static void print_flows(FILE *out, const json_t *flows)
{
    const char *scheduler = text_of(flows, "scheduler"), *error = text_of(flows, "error");
    if (!flows)
        return;
    fprintf(out, "     %-9s scheduler %s; ", "flows", *scheduler ? scheduler : "none");
    if (*error)
        fprintf(out, "%s\n", error);
    else
        fprintf(out, "%.0f of %.0f work-groups of a launch met %.0f times, %.1f us each\n",
                number_of(flows, "members"), number_of(flows, "groups"),
                number_of(flows, "meetings"), number_of(flows, "meeting_us"));
}

static void print_probe(FILE *out, const json_t *probe)
{
    if (*text_of(probe, "cores"))
        print_line(out, "cores", text_of(probe, "cores"));
    print_settings(out, json_object_get(probe, "settings"));
    print_flows(out, json_object_get(probe, "flows"));
    if (json_object_get(probe, "can_yield"))
        print_line(out, json_is_true(json_object_get(probe, "can_yield")) ? "can" : "cannot",
                   "yield its core while a kernel waits for the host");
}

/* "3.0" of "CL3.0"; a device without a compiler has none. */
static const char *version_of(const char *language)
{
    return strncmp(language, "CL", 2) ? "-" : language + 2;
}

/* Which nodes of a host get the device: all, or those whose turn it is among equal ones. */
static void print_default(FILE *out, const char *number, const json_t *list)
{
    const json_t *defaults = json_object_get(list, "defaults");
    size_t i, n = json_array_size(defaults);
    json_t *one;
    json_array_foreach(defaults, i, one)
    {
        if (strcmp(number, json_string_value(one)))
            continue;
        if (n == 1)
            fprintf(out, "  (default)");
        else
            fprintf(out, "  (default, turn %zu of %zu for the nodes of a host)", i + 1, n);
    }
    fputc('\n', out);
}

void info_print_device(FILE *out, const json_t *device, const json_t *list)
{
    const char *number = text_of(device, "number");
    const json_t *probe = json_object_get(device, "probe");
    fprintf(out, "%s  %s", number, text_of(device, "name"));
    print_default(out, number, list);
    print_step(out, device);
    fprintf(out, "     %-9s %s, %s, OpenCL C %s\n", "platform", text_of(device, "platform"),
            text_of(device, "driver"), version_of(text_of(device, "language")));
    fprintf(out,
            "     %-9s %.0f compute units, work-groups of up to %.0f, %.1f GiB an allocation\n",
            "size", number_of(device, "compute_units"), number_of(device, "max_group"),
            number_of(device, "max_alloc_bytes") / (1u << 30));
    print_probe(out, probe);
    print_steps(out, device);
    print_capabilities(out, json_object_get(device, "capabilities"));
}

/* What was proved on the step that was tested. */
static void print_proof(FILE *out, const json_t *probe)
{
    const char *step = text_of(probe, "step");
    fprintf(out, "PASS: step %s: ", step);
    if (number_of(probe, "rounds") > 0)
        fprintf(out, "%.0f hand-overs (%.1f us each), ", number_of(probe, "rounds"),
                number_of(probe, "round_us"));
    if (!strcmp(step, "pump"))
        fprintf(out, "a kernel beside one that waits, ");
    fprintf(out, "%.0f exact increments, %.0f messages, %.1f s\n", number_of(probe, "increments"),
            number_of(probe, "messages"), number_of(probe, "seconds"));
}

void info_print_self_test(FILE *out, const json_t *device)
{
    const json_t *probe = json_object_get(device, "probe");
    const char *error = text_of(probe, "error");
    fprintf(out, "%s  %s: ", text_of(device, "number"), text_of(device, "name"));
    if (!probe)
        fprintf(out, "not tested, cannot take a step: %s\n", text_of(device, "reason"));
    else if (*error)
        fprintf(out, "FAIL: %s\n", error);
    else
        print_proof(out, probe);
}

/* ---- servers ----------------------------------------------------------------------------------- */

/* In millions a second. */
static void print_rate(FILE *out, const json_t *row, const char *way)
{
    if (json_is_null(json_object_get(row, way)))
        fprintf(out, "%12s", "-");
    else
        fprintf(out, "%10.2f M", number_of(row, way) * 1e-6);
}

static void print_rates(FILE *out, const json_t *servers)
{
    static const char *const ways[] = {"phases", "resident", "locks", "atomics"};
    size_t i;
    json_t *row;
    fprintf(out, "critical sections a second\n     %8s", "keys");
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
        fprintf(out, "%12s", ways[way]);
    fprintf(out, "\n");
    json_array_foreach(json_object_get(servers, "keys"), i, row)
    {
        fprintf(out, "     %8.0f", number_of(row, "keys"));
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
            print_rate(out, row, ways[way]);
        fprintf(out, "\n");
    }
    if (*text_of(servers, "not_resident"))
        print_line(out, "resident", text_of(servers, "not_resident"));
}

void info_print_servers(FILE *out, const json_t *device)
{
    const json_t *probe = json_object_get(device, "probe");
    const char *error = text_of(probe, "error");
    fprintf(out, "%s  %s: ", text_of(device, "number"), text_of(device, "name"));
    if (!probe)
        fprintf(out, "not measured, cannot take a step: %s\n", text_of(device, "reason"));
    else if (*error)
        fprintf(out, "FAIL: %s\n", error);
    else
        print_rates(out, json_object_get(probe, "servers"));
}
