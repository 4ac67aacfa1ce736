/* SPDX-License-Identifier: MIT */
/*
 * Text for people. See info.h.
 */
#include "info.h"

#include "members.h"

#include <stdio.h>
#include <string.h>

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

void info_print_devices(const json_t *list, bool is_test)
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

void info_print_job(const json_t *job)
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
