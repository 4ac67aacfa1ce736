/* SPDX-License-Identifier: MIT */
/*
 * Text for people. See info.h.
 */
#include "info.h"

#include "members.h"

#include <stdio.h>
#include <string.h>

/* ---- a device -------------------------------------------------------------------------------- */

/* A step is certain once it has been tested. A reason is printed once. */
static void print_steps(const json_t *device)
{
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(device, "steps"), i, step)
    {
        const bool is_known = !strcmp(info_text(step, "lack"), info_text(device, "reason"));
        const bool is_taken = !strcmp(info_text(step, "name"), info_text(device, "step"));
        info_print(json_is_true(json_object_get(step, "possible"))
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
        info_print("     cores     {cores}\n", probe);
    if (json_object_get(probe, "settings"))
        info_print("     settings  aggregators: {settings.aggregators}, queues of "
                   "{settings.queue_bytes/M} MiB, slots of {settings.slot_bytes} bytes, "
                   "{settings.buffers} node buffers of {settings.buffer_bytes/k} kiB\n",
                   probe);
    if (*info_text(probe, "flows.error"))
        info_print("     flows     scheduler {flows.scheduler}; {flows.error}\n", probe);
    else if (json_object_get(probe, "flows"))
        info_print(
            "     flows     scheduler {flows.scheduler}; {flows.members} of {flows.groups} "
            "work-groups of a launch met {flows.meetings} times, {flows.meeting_us} us each\n",
            probe);
    if (can_yield)
        printf("     %-9s yield its core while a kernel waits for the host\n",
               json_is_true(can_yield) ? "can" : "cannot");
}

static void print_device(const json_t *device)
{
    info_print(*info_text(device, "step") ? "{turn}\n     step      {step}\n"
                                          : "{turn}\n     step      none: {reason}\n",
               device);
    info_print("     platform  {platform}, {driver}, OpenCL C {language}\n"
               "     size      {compute_units} compute units, work-groups of up to {max_group}, "
               "{max_alloc_bytes/G} GiB an allocation\n",
               device);
    print_probe(json_object_get(device, "probe"));
    print_steps(device);
    const json_t *has = json_object_get(device, "capabilities");
#define LINE(key, member, name, lack)                                     \
    puts(json_is_true(json_object_get(has, key)) ? "     can       " name \
                                                 : "     cannot    " name " (" lack ")");
    INFO_CAPABILITIES(LINE)
#undef LINE
}

/* What was proved on the step that was tested. */
static void print_result(const json_t *device)
{
    const json_t *probe = json_object_get(device, "probe");
    if (!probe || *info_text(probe, "error")) {
        info_print(probe ? ": FAIL: {probe.error}\n"
                         : ": not tested, cannot take a step: {reason}\n",
                   device);
        return;
    }
    info_print(": PASS: step {step}: ", probe);
    if (info_integer(probe, "rounds") > 0)
        info_print("{rounds} hand-overs ({round_us} us each), ", probe);
    if (!strcmp(info_text(probe, "step"), "pump"))
        printf("a kernel beside one that waits, ");
    info_print("{increments} exact increments, {messages} messages, {seconds} s\n", probe);
}

void info_print_devices(const json_t *list, bool is_test)
{
    size_t i;
    json_t *device, *driver;
    json_array_foreach(json_object_get(list, "devices"), i, device)
    {
        info_print("{number}  {name}", device);
        if (is_test)
            print_result(device);
        else
            print_device(device);
    }
    json_array_foreach(json_object_get(list, "broken_drivers"), i, driver)
        info_print("left out: {file}: {error}\n"
                   "     (every OpenCL program loads it: remove it, or set OCL_ICD_VENDORS)\n",
                   driver);
    if (!is_test && json_is_null(json_object_get(list, "default")))
        info_print("no default: {default_error}\n", list);
}

/* ---- settings -------------------------------------------------------------------------------- */

void info_print_settings(const json_t *all)
{
    const char *category = "";
    size_t i;
    json_t *setting;
    json_array_foreach(json_object_get(all, "settings"), i, setting)
    {
        if (strcmp(category, info_text(setting, "category")))
            info_print(*category ? "\n{category}\n" : "{category}\n", setting);
        category = info_text(setting, "category");
        info_print(json_is_true(json_object_get(setting, "is_set"))
                       ? "  {variable:-22} {value:-10} set      "
                       : "  {variable:-22} {value:-10} not set  ",
                   setting);
        info_print("(default {default}, {range})\n      {help}\n", setting);
    }
}

/* ---- a job ----------------------------------------------------------------------------------- */

static void print_ranks(const json_t *ranks)
{
    int width = (int)strlen("host");
    size_t i;
    json_t *rank;
    char template[128];
    json_array_foreach(ranks, i, rank)
    {
        const int own = (int)strlen(info_text(rank, "host"));
        width = own > width ? own : width;
    }
    printf("\n rank  %-*s  cores      NUMA  may lock  step   device\n", width, "host");
    snprintf(template, sizeof template,
             "{rank:5}  {host:-%d}  {cores.share:-11}{numa:-4}{limits.lock:10}  {step:-5}  "
             "{device.number} {device.name}\n",
             width);
    json_array_foreach(ranks, i, rank) info_print(template, rank);
}

void info_print_job(const json_t *job)
{
    size_t i;
    json_t *rank, *finding, *ranks = json_object_get(job, "ranks");
    json_array_foreach(ranks, i, rank)
    {
        if (info_integer(rank, "local") == 0) /* what is of its host */
            info_print(*info_text(rank, "device.driver")
                           ? "{place}: Gravel {version}, MPI: {mpi}, driver {device.driver}\n"
                           : "{place}: Gravel {version}, MPI: {mpi}\n",
                       rank);
    }
    print_ranks(ranks);
    if (json_is_false(json_object_get(job, "is_broken")))
        puts("\nno rank differs from another one in what nodes agree on");
    json_array_foreach(json_object_get(job, "findings"), i, finding)
        info_print("\n{effect}: {what}\n    {remedy}\n", finding);
}
