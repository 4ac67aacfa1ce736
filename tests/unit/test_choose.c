/* SPDX-License-Identifier: MIT */
/*
 * Which of several devices the nodes of a host take: equal ones in turn, none where they differ.
 *
 * Path: meson test -> this -> lib/device/choose.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/select.h"

#define MOST 16u

struct host {
    struct gravel_candidate devices[MOST];
    unsigned n;
};

/* A device that can take step pump if it is a GPU, or svm. */
static void add(struct host *host, unsigned platform, const char *name, bool is_cpu)
{
    unsigned number = 0;
    for (unsigned i = 0; i < host->n; i++)
        number += host->devices[i].platform_number == platform;
    struct gravel_candidate *device = &host->devices[host->n++];
    *device = (struct gravel_candidate){
        .platform_number = platform,
        .device_number = number,
        .capability = {.has_compiler = true,
                       .has_c11_atomics = true,
                       .has_fine_svm = is_cpu,
                       .is_cpu = is_cpu,
                       .compute_units = 8},
    };
    snprintf(device->capability.platform, sizeof device->capability.platform, "%s",
             platform == 0 ? "Portable Computing" : "Vendor Toolkit");
    snprintf(device->capability.name, sizeof device->capability.name, "%s", name);
}

/* A CPU, and four GPUs of which the third is another. */
static struct host make_host(void)
{
    struct host host = {.n = 0};
    add(&host, 0, "pthread-cpu", true);
    add(&host, 1, "Vendor G200", false);
    add(&host, 1, "Vendor G200", false);
    add(&host, 1, "Vendor G100", false);
    add(&host, 1, "Vendor G200", false);
    return host;
}

static void expect(const struct host *host, const char *name, uint32_t local, unsigned platform,
                   unsigned device, unsigned n_equal)
{
    struct gravel_choice choice;
    assert_int_equal(gravel_device_choose(name, "auto", local, host->devices, host->n, &choice), 0);
    assert_int_equal(choice.taken->platform_number, platform);
    assert_int_equal(choice.taken->device_number, device);
    assert_int_equal(choice.n_equal, n_equal);
    assert_int_equal(choice.turn, local % n_equal);
}

static void expect_refused(const struct host *host, const char *name, const char *why)
{
    struct gravel_choice choice;
    for (uint32_t local = 0; local < 5; local++) {
        int code = gravel_device_choose(name, "auto", local, host->devices, host->n, &choice);
        assert_int_equal(code, GRAVEL_EDEVICE);
        assert_non_null(strstr(gravel_last_error(), why));
        assert_non_null(strstr(gravel_last_error(), "1:2 Vendor Toolkit: Vendor G100"));
    }
}

static void equal_devices_are_taken_in_turn(void **state)
{
    (void)state;
    const struct host host = make_host();
    const unsigned turns[] = {0, 1, 3};
    for (uint32_t local = 0; local < 10; local++) {
        expect(&host, "g200", local, 1, turns[local % 3], 3);
        expect(&host, "", local, 1, turns[local % 3], 3);
    }
}

static void a_single_one_is_everybodys(void **state)
{
    (void)state;
    const struct host host = make_host();
    for (uint32_t local = 0; local < 4; local++) {
        expect(&host, "G100", local, 1, 2, 1);
        expect(&host, "portable", local, 0, 0, 1);
    }
}

static void numbers_pin(void **state)
{
    (void)state;
    const struct host host = make_host();
    for (uint32_t local = 0; local < 4; local++) {
        expect(&host, "1:1", local, 1, 1, 1);
        expect(&host, "1:3", local, 1, 3, 1);
    }
    expect_refused(&host, "1:4", "names nothing");
}

static void devices_that_differ_are_refused(void **state)
{
    (void)state;
    const struct host host = make_host();
    expect_refused(&host, "Vendor", "ambiguous"); /* two names of one platform */
    expect_refused(&host, "t", "ambiguous");      /* two platforms */
    expect_refused(&host, "absent", "names nothing");
}

/* One name on two platforms is two drivers of one device, or two devices: it is for the user to say. */
static void equal_names_of_two_platforms_are_refused(void **state)
{
    (void)state;
    struct host host = make_host();
    add(&host, 2, "Vendor G100", false);
    expect_refused(&host, "G100", "ambiguous");
}

/* Left to Gravel, the first of the best kind decides which devices are taken in turn. */
static void the_best_kind_is_taken_in_turn(void **state)
{
    (void)state;
    struct host host = {.n = 0};
    add(&host, 0, "pthread-cpu", true);
    add(&host, 0, "pthread-cpu", true);
    for (uint32_t local = 0; local < 4; local++)
        expect(&host, "", local, 0, local % 2, 2);
    add(&host, 1, "Vendor G100", false);
    add(&host, 1, "Vendor G200", false);
    for (uint32_t local = 0; local < 4; local++)
        expect(&host, "", local, 1, 0, 1);
}

static void nothing_that_can_is_told(void **state)
{
    (void)state;
    struct host host = make_host();
    struct gravel_choice choice;
    for (unsigned i = 0; i < host.n; i++)
        host.devices[i].capability.has_compiler = false;
    assert_int_equal(gravel_device_choose("", "auto", 1, host.devices, host.n, &choice),
                     GRAVEL_ECAPABILITY);
    assert_non_null(strstr(gravel_last_error(), "compiler"));
    assert_int_equal(gravel_device_choose("", "auto", 1, host.devices, 0, &choice),
                     GRAVEL_ECAPABILITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_devices_are_taken_in_turn),
        cmocka_unit_test(a_single_one_is_everybodys),
        cmocka_unit_test(numbers_pin),
        cmocka_unit_test(devices_that_differ_are_refused),
        cmocka_unit_test(equal_names_of_two_platforms_are_refused),
        cmocka_unit_test(the_best_kind_is_taken_in_turn),
        cmocka_unit_test(nothing_that_can_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
