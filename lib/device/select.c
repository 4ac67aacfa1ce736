/* SPDX-License-Identifier: MIT */
/*
 * Device list, and a choice of it. See select.h.
 */
#include "device/select.h"

#include "base/error.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PLATFORMS 16

struct platforms {
    cl_platform_id ids[MAX_PLATFORMS];
    cl_uint n;
};

static int get_platforms(struct platforms *platforms)
{
    /* NVIDIA's driver reads this when it is first used, and maps command queues to so many channels of the hardware, 8
     * by default. With fewer than a node has queues, one that copies may be behind another one's kernel that waits
     * for this copy. A value of the user's stays. */
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "16", 0);
    platforms->n = 0;
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms->ids, &platforms->n) != CL_SUCCESS ||
        !platforms->n)
        return gravel_fail(GRAVEL_EDEVICE,
                           "no OpenCL platform found: install a driver, e.g. pocl-opencl-icd");
    if (platforms->n > MAX_PLATFORMS)
        platforms->n = MAX_PLATFORMS;
    return 0;
}

/* "platform:device" numbers. @return false if the name is something else. */
static bool parse_numbers(const char *name, unsigned *platform, unsigned *device)
{
    int end = 0;
    return isdigit((unsigned char)name[0]) &&
           sscanf(name, "%4u:%4u%n", platform, device, &end) == 2 && name[end] == '\0';
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

void gravel_device_name_cache(const char *platform, char *name, size_t bytes)
{
    const char *own = getenv("POCL_CACHE_DIR"), *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    name[0] = '\0';
    if (strcmp(platform, "Portable Computing Language") != 0)
        return;
    if (own && *own)
        snprintf(name, bytes, "%s", own);
    else if (cache && *cache)
        snprintf(name, bytes, "%s/pocl", cache);
    else
        snprintf(name, bytes, "%s/.cache/pocl", home ? home : "");
}

/* Fails because drivers are there, and no device. */
static int fail_empty(const struct platforms *platforms)
{
    char list[512] = "", cache[256] = "", advice[400] = "";
    for (cl_uint p = 0; p < platforms->n; p++) {
        char name[GRAVEL_DEVICE_TEXT_BYTES];
        gravel_platform_name(platforms->ids[p], name);
        gravel_append(list, sizeof list, "%s%u (%.100s)", p ? ", " : "", p, name);
        if (!*cache)
            gravel_device_name_cache(name, cache, sizeof cache);
    }
    if (*cache)
        snprintf(advice, sizeof advice,
                 "; PoCL has none if it cannot write its cache, %s: set POCL_CACHE_DIR to a folder "
                 "that it can write",
                 cache);
    return gravel_fail(GRAVEL_EDEVICE, "no OpenCL device: none of platform %s%s", list, advice);
}

int gravel_device_list(const char *name, struct gravel_candidate *candidates, unsigned *n)
{
    struct platforms platforms;
    unsigned platform, device;
    *n = 0;
    GRAVEL_TRY(get_platforms(&platforms));
    if (parse_numbers(name, &platform, &device) && platform < platforms.n)
        append(&platforms, platform, device, device + 1, candidates, n);
    if (*n)
        return 0;
    for (unsigned p = 0; p < platforms.n; p++) /* of a name that is wrong too, for the message */
        append(&platforms, p, 0, GRAVEL_MAX_DEVICES, candidates, n);
    return *n ? 0 : fail_empty(&platforms);
}

/* ---- choice ------------------------------------------------------------------------------------ */

/* Returns whether it makes no difference which of them a node takes. */
static bool are_equal(const struct gravel_candidate *a, const struct gravel_candidate *b)
{
    return a->platform_number == b->platform_number &&
           !strcmp(a->capability.name, b->capability.name);
}

/* Chooses one of the devices equal to `first`, by the node's number. */
static void choose_equal(const struct gravel_candidate *first, uint32_t local,
                         const struct gravel_candidate *candidates, unsigned n,
                         struct gravel_choice *choice)
{
    *choice = (struct gravel_choice){.taken = first};
    for (unsigned i = 0; i < n; i++)
        choice->n_equal += are_equal(&candidates[i], first);
    choice->index = local % choice->n_equal;
    for (unsigned i = 0, index = 0; i < n; i++)
        if (are_equal(&candidates[i], first) && index++ == choice->index)
            choice->taken = &candidates[i];
}

static int refuse(const char *name, const char *why, const struct gravel_candidate *candidates,
                  unsigned n)
{
    char list[900] = "";
    for (unsigned i = 0; i < n; i++)
        gravel_append(list, sizeof list, "%s%u:%u %s: %s", i ? "; " : "",
                      candidates[i].platform_number, candidates[i].device_number,
                      candidates[i].capability.platform, candidates[i].capability.name);
    return gravel_fail(GRAVEL_EDEVICE, "device \"%s\" %s; there is: %s", name, why,
                       n ? list : "no device at all");
}

/* Returns whether a name that is not empty means a device. */
static bool is_named(const char *name, const struct gravel_candidate *candidate)
{
    unsigned platform, device;
    if (parse_numbers(name, &platform, &device))
        return candidate->platform_number == platform && candidate->device_number == device;
    return strcasestr(candidate->capability.platform, name) ||
           strcasestr(candidate->capability.name, name);
}

int gravel_device_choose(const char *name, const char *wanted_step, uint32_t local,
                         const struct gravel_candidate *candidates, unsigned n,
                         struct gravel_choice *choice)
{
    char reasons[900] = "";
    unsigned best = 0, numbers[2];
    const struct gravel_candidate *first = NULL;
    for (unsigned i = 0; i < n; i++) {
        const struct gravel_candidate *c = &candidates[i];
        enum gravel_step step = GRAVEL_STEP_DRAIN;
        const char *lack = *name ? NULL : gravel_step_choose(wanted_step, &c->capability, &step);
        if (lack)
            gravel_append(reasons, sizeof reasons, "; %u:%u %s: %s", c->platform_number,
                          c->device_number, c->capability.name, lack);
        if (lack || (*name && !is_named(name, c)))
            continue;
        if (*name && first && !are_equal(first, c))
            return refuse(name, "is ambiguous", candidates, n);
        /* A GPU whose kernels' messages leave while they run; else the best step; else the first. */
        const bool is_last_resort = c->capability.is_cpu || !gravel_step_may_wait(step);
        const unsigned rank = *name ? 0 : step + is_last_resort * GRAVEL_N_STEPS;
        if (!first || rank < best)
            first = c, best = rank;
    }
    if (!first && *name)
        return refuse(name, "names nothing", candidates, n);
    if (!first)
        return gravel_fail(GRAVEL_ECAPABILITY, "no OpenCL device can take step %s%s", wanted_step,
                           n ? reasons : "; there is no device at all");
    if (parse_numbers(name, &numbers[0], &numbers[1]))
        *choice = (struct gravel_choice){.taken = first, .n_equal = 1};
    else
        choose_equal(first, local, candidates, n, choice);
    return 0;
}
