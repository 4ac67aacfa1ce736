/* SPDX-License-Identifier: MIT */
/*
 * Text for people. See devices.h.
 */
#include "devices.h"

#include "members.h"

#include <stdio.h>
#include <string.h>

static void print_line(const char *key, const char *text, const char *more)
{
    printf("     %-9s %s%s\n", key, text, more);
}

static void print_oddities(const json_t *list)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(list, "broken_drivers"), i, one)
        printf("left out: %s: %s\n"
               "     (every OpenCL program loads it: remove it, or set OCL_ICD_VENDORS)\n",
               info_text(one, "file"), info_text(one, "error"));
    json_array_foreach(json_object_get(list, "platforms"), i, one)
    {
        if (info_integer(one, "n_devices") == 0)
            printf("platform %.0f (%s) has no devices\n", info_number(one, "number"),
                   info_text(one, "name"));
    }
}

/* ---- a device -------------------------------------------------------------------------------- */

static void print_capabilities(const json_t *has)
{
#define LINE(key, member, name, lack)            \
    if (json_is_true(json_object_get(has, key))) \
        print_line("can", name, "");             \
    else                                         \
        print_line("cannot", name, " (" lack ")");
    INFO_CAPABILITIES(LINE)
#undef LINE
}

/* A step is certain once it has been tested. A reason is printed once. */
static void print_steps(const json_t *device)
{
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(device, "steps"), i, step)
    {
        const char *name = info_text(step, "name"), *lack = info_text(step, "lack");
        if (!json_is_true(json_object_get(step, "possible")))
            printf("     cannot    step %s: %s\n", name,
                   strcmp(lack, info_text(device, "reason")) ? lack : "see above");
        else if (!strcmp(name, info_text(device, "step")))
            print_line("can", "step ", name);
        else
            printf("     may       step %s, by what it says; not tested\n", name);
    }
}

/* Who chooses rounds of flows, and what the self-test of that saw. */
static void print_flows(const json_t *flows)
{
    const char *scheduler = info_text(flows, "scheduler"), *error = info_text(flows, "error");
    if (!flows)
        return;
    printf("     %-9s scheduler %s; ", "flows", *scheduler ? scheduler : "none");
    if (*error)
        printf("%s\n", error);
    else
        printf("%.0f of %.0f work-groups of a launch met %.0f times, %.1f us each\n",
               info_number(flows, "members"), info_number(flows, "groups"),
               info_number(flows, "meetings"), info_number(flows, "meeting_us"));
}

static void print_probe(const json_t *probe)
{
    const json_t *can_yield = json_object_get(probe, "can_yield"),
                 *settings = json_object_get(probe, "settings");
    if (*info_text(probe, "cores"))
        print_line("cores", info_text(probe, "cores"), "");
    if (settings) /* what a single node on this device would set, where the environment does not */
        printf("     %-9s %.0f aggregator%s, queues of %.0f MiB, slots of %.0f bytes, %.0f node "
               "buffers of %.0f kiB\n",
               "settings", info_number(settings, "aggregators"),
               info_number(settings, "aggregators") > 1 ? "s" : "",
               info_number(settings, "queue_bytes") / (1 << 20),
               info_number(settings, "slot_bytes"), info_number(settings, "buffers"),
               info_number(settings, "buffer_bytes") / 1024);
    print_flows(json_object_get(probe, "flows"));
    if (can_yield)
        print_line(json_is_true(can_yield) ? "can" : "cannot",
                   "yield its core while a kernel waits for the host", "");
}

/* Which nodes of a host get the device: all, or those whose turn it is among equal ones. */
static void print_default(const char *number, const json_t *defaults)
{
    const size_t n = json_array_size(defaults);
    for (size_t i = 0; i < n; i++)
        if (strcmp(number, json_string_value(json_array_get(defaults, i))))
            continue;
        else if (n == 1)
            printf("  (default)");
        else
            printf("  (default, turn %zu of %zu for the nodes of a host)", i + 1, n);
    putchar('\n');
}

/* A device without a compiler has no language; "3.0" of "CL3.0". */
static void print_device(const json_t *device, const json_t *list)
{
    const char *step = info_text(device, "step"), *language = info_text(device, "language");
    print_default(info_text(device, "number"), json_object_get(list, "defaults"));
    print_line("step", *step ? step : "none: ", info_text(device, "reason"));
    printf("     %-9s %s, %s, OpenCL C %s\n", "platform", info_text(device, "platform"),
           info_text(device, "driver"), strncmp(language, "CL", 2) ? "-" : language + 2);
    printf("     %-9s %.0f compute units, work-groups of up to %.0f, %.1f GiB an allocation\n",
           "size", info_number(device, "compute_units"), info_number(device, "max_group"),
           info_number(device, "max_alloc_bytes") / (1u << 30));
    print_probe(json_object_get(device, "probe"));
    print_steps(device);
    print_capabilities(json_object_get(device, "capabilities"));
}

/* ---- what was tested ------------------------------------------------------------------------- */

/* What was proved on the step that was tested. */
static void print_result(const json_t *device)
{
    const json_t *probe = json_object_get(device, "probe");
    const char *step = info_text(probe, "step"), *error = info_text(probe, "error");
    if (!probe)
        printf(": not tested, cannot take a step: %s\n", info_text(device, "reason"));
    if (*error)
        printf(": FAIL: %s\n", error);
    if (!probe || *error)
        return;
    printf(": PASS: step %s: ", step);
    if (info_number(probe, "rounds") > 0)
        printf("%.0f hand-overs (%.1f us each), ", info_number(probe, "rounds"),
               info_number(probe, "round_us"));
    if (!strcmp(step, "pump"))
        printf("a kernel beside one that waits, ");
    printf("%.0f exact increments, %.0f messages, %.1f s\n", info_number(probe, "increments"),
           info_number(probe, "messages"), info_number(probe, "seconds"));
}

void info_print(const json_t *list, bool is_test)
{
    size_t i;
    json_t *device;
    json_array_foreach(json_object_get(list, "devices"), i, device)
    {
        printf("%s  %s", info_text(device, "number"), info_text(device, "name"));
        if (is_test)
            print_result(device);
        else
            print_device(device, list);
    }
    print_oddities(list);
    if (!is_test && json_is_null(json_object_get(list, "default")))
        printf("no default: %s\n", info_text(list, "default_error"));
}
