/* SPDX-License-Identifier: MIT */
/*
 * Which of several devices the nodes of a host take: equal ones in turn, none where they differ.
 *
 * Path: meson test -> this -> lib/device/select.c
 */
#include <stdio.h>
#include <string.h>

#include "cases.h"
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

/* Names, and the numbers of the devices that nodes take in turn by them; or why none is taken. */
static const struct {
    const char *name;
    unsigned platform, n_equal, devices[3];
    const char *refusal;
} rows[] = {
    {"g200", 1, 3, {0, 1, 3}, NULL},
    {"", 1, 3, {0, 1, 3}, NULL}, /* of the best kind, the first decides which */
    {"G100", 1, 1, {2}, NULL},
    {"portable", 0, 1, {0}, NULL},
    {"1:1", 1, 1, {1}, NULL}, /* a number is one device's */
    {"1:3", 1, 1, {3}, NULL},
    {"1:4", .refusal = "names nothing"},
    {"PORTABLE computing", 0, 1, {0}, NULL},
    {"absent", .refusal = "names nothing"},
    {"0:99", .refusal = "names nothing"},
    {"0:", .refusal = "names nothing"},
    {":0", .refusal = "names nothing"},
    {"0:0x", .refusal = "names nothing"},
    {"0:-1", .refusal = "names nothing"},
    {"-1:0", .refusal = "names nothing"},
    {"99999999999:0", .refusal = "names nothing"},
    {"Vendor", .refusal = "ambiguous"}, /* two names of one platform */
    {"t", .refusal = "ambiguous"},      /* two platforms */
};

TEST(equal_devices_are_taken_in_turn_and_none_where_they_differ)
{
    const struct host host = make_host();
    struct gravel_choice choice;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t local = 0; local < 10; local++) {
            int code =
                gravel_device_choose(rows[i].name, "auto", local, host.devices, host.n, &choice);
            assert_int_equal(code, rows[i].refusal ? GRAVEL_EDEVICE : 0);
            if (rows[i].refusal) {
                assert_non_null(strstr(gravel_last_error(), rows[i].refusal));
                assert_non_null(strstr(gravel_last_error(), "1:2 Vendor Toolkit: Vendor G100"));
                continue;
            }
            assert_int_equal(choice.taken->platform_number, rows[i].platform);
            assert_int_equal(choice.taken->device_number, rows[i].devices[local % rows[i].n_equal]);
            assert_int_equal(choice.n_equal, rows[i].n_equal);
            assert_int_equal(choice.index, local % rows[i].n_equal);
        }
}

/* One name on two platforms is two drivers of one device, or two devices: it is for the user to say. */
TEST(equal_names_of_two_platforms_are_refused)
{
    struct host host = make_host();
    struct gravel_choice choice;
    add(&host, 2, "Vendor G100", false);
    assert_int_equal(gravel_device_choose("G100", "auto", 0, host.devices, host.n, &choice),
                     GRAVEL_EDEVICE);
    assert_non_null(strstr(gravel_last_error(), "ambiguous"));
}

TEST(a_cpu_is_taken_where_there_is_no_gpu)
{
    struct host host = {.n = 0};
    struct gravel_choice choice;
    add(&host, 0, "pthread-cpu", true);
    add(&host, 0, "pthread-cpu", true);
    assert_int_equal(gravel_device_choose("", "auto", 1, host.devices, host.n, &choice), 0);
    assert_int_equal(choice.taken->device_number, 1);
    assert_int_equal(choice.n_equal, 2);
}

TEST(nothing_that_can_is_reported)
{
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
