/* SPDX-License-Identifier: MIT */
/*
 * Proves in bounded time that a device can take step svm; queries alone mislead both ways.
 *
 * Path:    gravel_open, gravel-info -> self_test.c -> cl/self_test.cl.
 * Threads: one at a time.
 */
#ifndef GRAVEL_DEVICE_SELF_TEST_H
#define GRAVEL_DEVICE_SELF_TEST_H

#include "device.h"

/** What was proved. */
struct gravel_self_test {
    uint32_t n_rounds;     /* hand-overs, there and back */
    double round_us;       /* mean time of one [microseconds] */
    uint32_t n_increments; /* exact ones */
    bool can_yield;        /* kernels can give their core away */
};

/**
 * Hand over between host and kernel, with payloads, and count up from many work-items.
 *
 * @param device    open; can_yield is set.
 * @param n_rounds  hand-overs to make [count].
 * @param result    [out] or NULL.
 * @return          0; GRAVEL_ECAPABILITY (what did not work); GRAVEL_EBUILD; GRAVEL_ECL.
 */
int gravel_self_test(struct gravel_device *device, uint32_t n_rounds,
                     struct gravel_self_test *result);

#endif
