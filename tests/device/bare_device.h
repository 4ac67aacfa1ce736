/* SPDX-License-Identifier: MIT */
/*
 * The main of tests that take parts of the library on a device, without a node around them.
 *
 * usage: test <device>    exit: 0, 1, 2, or 77 where there is no such device
 *
 * Path: meson test -> test_*.c -> this -> lib/device/device.c
 */
#ifndef GRAVEL_TESTS_BARE_DEVICE_H
#define GRAVEL_TESTS_BARE_DEVICE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/device.h"
#include "gravel/gravel.h"

#define SKIPPED 77

/** Open the device that the one argument names, for step drain, and run the tests within a time. @return exit status */
static inline int bare_device_run(int argc, char **argv, struct gravel_device *device,
                                  unsigned limit_s, const struct CMUnitTest *tests, size_t n_tests)
{
    const struct gravel_neighbours alone = {.n_sharing = 1};
    struct gravel_config config;
    if (argc != 2)
        return 2;
    alarm(4 * limit_s); /* a busy machine */
    if (gravel_config_load(&config, sizeof config))
        return 1;
    strcpy(config.device, argv[1]);
    strcpy(config.step, "drain");
    if (gravel_device_open(device, &config, NULL, &alone)) {
        printf("skipped: %s\n", gravel_last_error());
        return SKIPPED;
    }
    int n_failed = _cmocka_run_group_tests(argv[0], tests, n_tests, NULL, NULL);
    gravel_device_close(device);
    return n_failed != 0;
}

#endif
