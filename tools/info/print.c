/* SPDX-License-Identifier: MIT */
/*
 * Text for people. See devices.h.
 */
#include "devices.h"

#include "members.h"

#include <stdio.h>
#include <string.h>

static void print_oddities(const json_t *list)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(list, "broken_drivers"), i, one)
        info_write(stdout,
                   "left out: {file}: {error}\n"
                   "     (every OpenCL program loads it: remove it, or set OCL_ICD_VENDORS)\n",
                   one);
    json_array_foreach(json_object_get(list, "platforms"), i, one)
    {
        if (info_integer(one, "n_devices") == 0)
            info_write(stdout, "platform {number} ({name}) has no devices\n", one);
    }
}

/* ---- a device -------------------------------------------------------------------------------- */

static void print_capabilities(const json_t *has)
{
#define LINE(key, member, name, lack)                                     \
    puts(json_is_true(json_object_get(has, key)) ? "     can       " name \
                                                 : "     cannot    " name " (" lack ")");
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
        const bool is_known = !strcmp(info_text(step, "lack"), info_text(device, "reason"));
        const bool is_taken = !strcmp(info_text(step, "name"), info_text(device, "step"));
        info_write(stdout,
                   json_is_true(json_object_get(step, "possible"))
                       ? is_taken ? "     can       step {name}\n"
                                  : "     may       step {name}, by what it says; not tested\n"
                   : is_known ? "     cannot    step {name}: see above\n"
                              : "     cannot    step {name}: {lack}\n",
                   step);
    }
}

/* What the device has said once it was opened. */
static void print_probe(const json_t *probe)
{
    const json_t *can_yield = json_object_get(probe, "can_yield");
    if (*info_text(probe, "cores"))
        info_write(stdout, "     cores     {cores}\n", probe);
    if (json_object_get(probe, "settings"))
        info_write(stdout,
                   "     settings  aggregators: {settings.aggregators}, queues of "
                   "{settings.queue_bytes/M} MiB, slots of {settings.slot_bytes} bytes, "
                   "{settings.buffers} node buffers of {settings.buffer_bytes/k} kiB\n",
                   probe);
    if (*info_text(probe, "flows.error"))
        info_write(stdout, "     flows     scheduler {flows.scheduler}; {flows.error}\n", probe);
    else if (json_object_get(probe, "flows"))
        info_write(
            stdout,
            "     flows     scheduler {flows.scheduler}; {flows.members} of {flows.groups} "
            "work-groups of a launch met {flows.meetings} times, {flows.meeting_us} us each\n",
            probe);
    if (can_yield)
        printf("     %-9s yield its core while a kernel waits for the host\n",
               json_is_true(can_yield) ? "can" : "cannot");
}

/* Which nodes of a host get the device: all, or those whose turn it is among equal ones. */
static void print_turn(const char *number, const json_t *defaults)
{
    const size_t n = json_array_size(defaults);
    size_t i;
    json_t *turn;
    json_array_foreach(defaults, i, turn)
    {
        if (strcmp(number, json_string_value(turn)))
            continue;
        printf("  (default");
        if (n > 1)
            printf(", turn %zu of %zu for the nodes of a host", i + 1, n);
        putchar(')');
    }
}

static void print_device(const json_t *device)
{
    info_write(stdout,
               *info_text(device, "step") ? "\n     step      {step}\n"
                                          : "\n     step      none: {reason}\n",
               device);
    info_write(stdout,
               "     platform  {platform}, {driver}, OpenCL C {language}\n"
               "     size      {compute_units} compute units, work-groups of up to {max_group}, "
               "{max_alloc_bytes/G} GiB an allocation\n",
               device);
    print_probe(json_object_get(device, "probe"));
    print_steps(device);
    print_capabilities(json_object_get(device, "capabilities"));
}

/* What was proved on the step that was tested. */
static void print_result(const json_t *device)
{
    const json_t *probe = json_object_get(device, "probe");
    if (!probe || *info_text(probe, "error")) {
        info_write(stdout,
                   probe ? ": FAIL: {probe.error}\n"
                         : ": not tested, cannot take a step: {reason}\n",
                   device);
        return;
    }
    info_write(stdout, ": PASS: step {step}: ", probe);
    if (info_integer(probe, "rounds") > 0)
        info_write(stdout, "{rounds} hand-overs ({round_us} us each), ", probe);
    if (!strcmp(info_text(probe, "step"), "pump"))
        printf("a kernel beside one that waits, ");
    info_write(stdout, "{increments} exact increments, {messages} messages, {seconds} s\n", probe);
}

void info_print(const json_t *list, bool is_test)
{
    size_t i;
    json_t *device;
    json_array_foreach(json_object_get(list, "devices"), i, device)
    {
        info_write(stdout, "{number}  {name}", device);
        if (is_test) {
            print_result(device);
            continue;
        }
        print_turn(info_text(device, "number"), json_object_get(list, "defaults"));
        print_device(device);
    }
    print_oddities(list);
    if (!is_test && json_is_null(json_object_get(list, "default")))
        info_write(stdout, "no default: {default_error}\n", list);
}
