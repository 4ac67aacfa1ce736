/* SPDX-License-Identifier: MIT */
/*
 * Device list and choice. See select.h.
 */
#include "select.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../error.h"
#include "ladder.h"

#define MAX_PLATFORMS 16

struct platforms {
    cl_platform_id ids[MAX_PLATFORMS];
    cl_uint n;
};

static int get_platforms(struct platforms *platforms)
{
    platforms->n = 0;
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms->ids, &platforms->n) != CL_SUCCESS ||
        !platforms->n)
        return gravel_fail(GRAVEL_EDEVICE,
                           "no OpenCL platform found: install a driver, e.g. pocl-opencl-icd");
    if (platforms->n > MAX_PLATFORMS)
        platforms->n = MAX_PLATFORMS;
    return 0;
}

/* Append devices `first` to `end` - 1 of a platform; no other device is asked anything. */
static void append(const struct platforms *platforms, unsigned platform, unsigned first,
                   unsigned end, struct gravel_candidate *candidates, unsigned *n)
{
    cl_device_id devices[GRAVEL_MAX_DEVICES];
    cl_uint n_devices = 0;
    if (clGetDeviceIDs(platforms->ids[platform], CL_DEVICE_TYPE_ALL, GRAVEL_MAX_DEVICES, devices,
                       &n_devices) != CL_SUCCESS)
        return;
    if (n_devices > GRAVEL_MAX_DEVICES)
        n_devices = GRAVEL_MAX_DEVICES;
    for (unsigned d = first; d < end && d < n_devices && *n < GRAVEL_MAX_DEVICES; d++) {
        struct gravel_candidate *candidate = &candidates[(*n)++];
        candidate->device = devices[d];
        candidate->platform_number = platform;
        candidate->device_number = d;
        gravel_capability_query(devices[d], &candidate->capability);
    }
}

int gravel_device_list(struct gravel_candidate *candidates, unsigned *n)
{
    struct platforms platforms;
    *n = 0;
    int code = get_platforms(&platforms);
    for (unsigned p = 0; !code && p < platforms.n; p++)
        append(&platforms, p, 0, GRAVEL_MAX_DEVICES, candidates, n);
    return code;
}

/* "0:0 Portable Computing Language: pthread-...; 1:0 ..." into text. */
static void describe(const struct gravel_candidate *candidates, unsigned n, char *text,
                     size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < n && used < bytes; i++) {
        const struct gravel_candidate *c = &candidates[i];
        int wrote = snprintf(text + used, bytes - used, "%s%u:%u %s: %s", i ? "; " : "",
                             c->platform_number, c->device_number, c->capability.platform,
                             c->capability.name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    if (n == 0)
        snprintf(text, bytes, "no device at all");
}

static bool contains(const char *whole, const char *part)
{
    size_t length = strlen(part);
    for (; *whole; whole++)
        if (!strncasecmp(whole, part, length))
            return true;
    return false;
}

static bool parse_numbers(const char *name, unsigned *platform, unsigned *device)
{
    int end = 0;
    return isdigit((unsigned char)name[0]) &&
           sscanf(name, "%4u:%4u%n", platform, device, &end) == 2 && name[end] == '\0';
}

int gravel_device_list_named(const char *name, struct gravel_candidate *candidates, unsigned *n)
{
    struct platforms platforms;
    unsigned platform, device;
    *n = 0;
    if (!parse_numbers(name, &platform, &device))
        return gravel_device_list(candidates, n);
    int code = get_platforms(&platforms);
    if (code)
        return code;
    if (platform < platforms.n)
        append(&platforms, platform, device, device + 1, candidates, n);
    return *n ? 0 : gravel_device_list(candidates, n); /* for the message of gravel_device_choose */
}

static int choose_by_name(const char *name, const struct gravel_candidate *candidates, unsigned n,
                          const struct gravel_candidate **chosen)
{
    unsigned platform = 0, device = 0, n_matches = 0;
    bool by_number = parse_numbers(name, &platform, &device);
    for (unsigned i = 0; i < n; i++) {
        const struct gravel_candidate *c = &candidates[i];
        bool matches = by_number
                           ? c->platform_number == platform && c->device_number == device
                           : contains(c->capability.platform, name) ||
                                 contains(c->capability.name, name);
        if (matches && n_matches++ == 0)
            *chosen = c;
    }
    if (n_matches == 1)
        return 0;
    char list[900];
    describe(candidates, n, list, sizeof list);
    return gravel_fail(GRAVEL_EDEVICE, "device \"%s\" %s; there is: %s", name,
                       n_matches ? "is ambiguous" : "names nothing", list);
}

static int choose_best(const char *wanted_step, const struct gravel_candidate *candidates, unsigned n,
                       const struct gravel_candidate **chosen)
{
    char reasons[900] = "";
    size_t used = 0;
    unsigned best = 0;
    *chosen = NULL;
    for (unsigned i = 0; i < n; i++) {
        const struct gravel_candidate *c = &candidates[i];
        enum gravel_step step = GRAVEL_STEP_DRAIN;
        const char *lack = gravel_step_choose(wanted_step, &c->capability, &step);
        if (!lack) {
            /* A GPU whose kernels' messages leave while they run; else the best step; else the first. */
            unsigned rank = step + (c->capability.is_cpu || step == GRAVEL_STEP_DRAIN) * GRAVEL_N_STEPS;
            if (!*chosen || rank < best)
                *chosen = c, best = rank;
        } else if (used < sizeof reasons) {
            int wrote = snprintf(reasons + used, sizeof reasons - used, "; %u:%u %s: %s",
                                 c->platform_number, c->device_number, c->capability.name, lack);
            used += wrote > 0 ? (size_t)wrote : 0;
        }
    }
    if (*chosen)
        return 0;
    return gravel_fail(GRAVEL_ECAPABILITY, "no OpenCL device can take step %s%s", wanted_step,
                       n ? reasons : "; there is no device at all");
}

int gravel_device_choose(const char *name, const char *wanted_step,
                         const struct gravel_candidate *candidates, unsigned n,
                         const struct gravel_candidate **chosen)
{
    return *name ? choose_by_name(name, candidates, n, chosen)
                 : choose_best(wanted_step, candidates, n, chosen);
}
