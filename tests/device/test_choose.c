/* SPDX-License-Identifier: MIT */
/*
 * Which device a node takes, and what it says when it cannot: unknown, ambiguous and malformed names, steps.
 *
 * Path: meson test -> this -> gravel_open, lib/device/select.c
 */
#include <stdio.h>

#include "expect.h"

static struct gravel_config with_device(const char *device)
{
    struct gravel_config config = loopback_config(1);
    snprintf(config.device, sizeof config.device, "%s", device);
    return config;
}

/* A refusal lists what there is; PoCL is there, or no test of this suite runs. */
static void expect_refusal(const char *device, const char *why)
{
    struct gravel_config config = with_device(device);
    expect_no_open(&config, NULL, GRAVEL_EDEVICE, why);
    assert_non_null(strstr(gravel_last_error(), device));
    assert_non_null(strstr(gravel_last_error(), "0:0 "));
}

TEST(what_names_nothing_is_refused_with_candidates)
{
    const char *const wrong[] = {"no-such-device", "7:0",  "0:99",          "0:",   ":0",
                                 "0:0:0",          "0:0x", "99999999999:0", "0:-1", "-1:0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_refusal(wrong[i], "names nothing");
}

#define MOST_DEVICES 64u

/* Platform and name of every device; what a part of a name is looked for in. @return how many there are. */
static uint32_t list_names(char names[MOST_DEVICES][512])
{
    cl_platform_id platforms[16];
    cl_device_id devices[MOST_DEVICES];
    cl_uint n_platforms = 0, n = 0;
    uint32_t n_devices = 0;
    MUST(clGetPlatformIDs(16, platforms, &n_platforms) == CL_SUCCESS);
    for (cl_uint p = 0; p < n_platforms && p < 16; p++) {
        char platform[256] = "", name[256] = "";
        clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof platform, platform, NULL);
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST_DEVICES, devices, &n) !=
            CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < n && n_devices < MOST_DEVICES; d++) {
            clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof name, name, NULL);
            snprintf(names[n_devices++], 512, "%s %s", platform, name);
        }
    }
    return n_devices;
}

/* Whether a letter is in the names of two devices that differ. */
static bool is_ambiguous(char names[MOST_DEVICES][512], uint32_t n, char letter)
{
    const char *first = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!strchr(names[i], letter))
            continue;
        if (first && strcmp(first, names[i]) != 0)
            return true;
        first = names[i];
    }
    return false;
}

TEST(ambiguous_name_is_refused_with_candidates)
{
    static char names[MOST_DEVICES][512];
    uint32_t n = list_names(names);
    char letter[2] = "A";
    while (*letter <= 'Z' && !is_ambiguous(names, n, *letter))
        (*letter)++;
    if (*letter > 'Z')
        skip_because("no letter is in the names of two devices");
    expect_refusal(letter, "ambiguous");
}

TEST(name_is_found_in_any_case)
{
    struct gravel_config config = with_device("PORTABLE computing");
    struct gravel *gravel = scoped_node(&config, NULL);
    assert_string_equal(gravel_step(gravel), "svm");
}

const struct fixture fixture = {.limit_s = 60};
