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

static void unknown_name_is_refused_with_candidates(void **state)
{
    (void)state;
    expect_refusal("no-such-device", "names nothing");
}

static void unknown_numbers_are_refused_with_candidates(void **state)
{
    (void)state;
    expect_refusal("7:0", "names nothing");
    expect_refusal("0:99", "names nothing");
}

static void malformed_numbers_are_refused_with_candidates(void **state)
{
    (void)state;
    const char *const malformed[] = {"0:", ":0", "0:0:0", "0:0x", "0:-1", "99999999999:0", "-1:0"};
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        expect_refusal(malformed[i], "names nothing");
}

static void ambiguous_name_is_refused_with_candidates(void **state)
{
    (void)state;
    cl_uint n = 0;
    clGetPlatformIDs(0, NULL, &n);
    cl_platform_id platforms[16];
    clGetPlatformIDs(16, platforms, NULL);
    cl_uint n_devices = 0;
    for (cl_uint p = 0; p < n; p++) {
        cl_uint here = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 0, NULL, &here) == CL_SUCCESS)
            n_devices += here;
    }
    if (n_devices < 2) {
        print_message("skipped: one device cannot be ambiguous\n");
        skip();
    }
    expect_refusal("e", "ambiguous");
}

static void name_is_found_in_any_case(void **state)
{
    (void)state;
    struct gravel_config config = with_device("PORTABLE computing");
    struct gravel *gravel;
    OK(gravel_open(&gravel, &config, NULL));
    assert_string_equal(gravel_step(gravel), "svm");
    OK(gravel_close(gravel));
}

static void unknown_step_is_refused_and_named(void **state)
{
    (void)state;
    struct gravel_config config = loopback_config(1);
    strcpy(config.step, "teleport");
    expect_no_open(&config, NULL, GRAVEL_ECONFIG, "teleport");
}

static void unknown_transport_is_refused_and_named(void **state)
{
    (void)state;
    struct gravel_config config = loopback_config(1);
    strcpy(config.transport, "pigeon");
    expect_no_open(&config, NULL, GRAVEL_ECONFIG, "pigeon");
}

static void unterminated_text_is_refused_and_named(void **state)
{
    (void)state;
    struct gravel_config config = loopback_config(1);
    memset(config.device, 'x', sizeof config.device);
    expect_no_open(&config, NULL, GRAVEL_ECONFIG, "device");
}

int main(void)
{
    watch(60, "device choice");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_name_is_refused_with_candidates),
        cmocka_unit_test(unknown_numbers_are_refused_with_candidates),
        cmocka_unit_test(malformed_numbers_are_refused_with_candidates),
        cmocka_unit_test(ambiguous_name_is_refused_with_candidates),
        cmocka_unit_test(name_is_found_in_any_case),
        cmocka_unit_test(unknown_step_is_refused_and_named),
        cmocka_unit_test(unknown_transport_is_refused_and_named),
        cmocka_unit_test(unterminated_text_is_refused_and_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
