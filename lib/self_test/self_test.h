/* SPDX-License-Identifier: MIT */
/*
 * Proves in bounded time that a device can take its step; queries alone mislead both ways.
 *
 * svm, usm: host and a running kernel hand over words there and back, in order, and device atomics are exact.
 * pump:     the same through copies; and a kernel and copies get to run beside one that fills all compute units
 *           but one, which is what a launch's slices rely on.
 * drain:    device atomics are exact.
 *
 * Path:    gravel_open, gravel-info -> self_test.c -> cl/kernels/self_test.cl.
 * Threads: one at a time.
 */
#ifndef GRAVEL_SELF_TEST_SELF_TEST_H
#define GRAVEL_SELF_TEST_SELF_TEST_H

#include "opencl/objects.h"

/** What was proved. */
struct gravel_self_test {
    uint32_t n_rounds;     /* hand-overs, there and back */
    double round_us;       /* mean time of one [microseconds] */
    uint32_t n_increments; /* exact ones */
    bool can_yield;        /* kernels can give their core away */
};

/**
 * Test the device's step.
 *
 * @param device    open; can_yield is set, look_ns, and has_c11_atomics if they may be there and are.
 * @param n_rounds  hand-overs to make [count].
 * @param result    [out] or NULL.
 * @return          0; GRAVEL_ECAPABILITY (what did not work); GRAVEL_EBUILD; GRAVEL_ECL.
 */
int gravel_self_test(struct gravel_device *device, uint32_t n_rounds,
                     struct gravel_self_test *result);

/* ---- between the self-test's own files ------------------------------------------------------- */

/** Build cl/kernels/self_test.cl, and find out what the compiler takes. Nothing is known of looks then. */
int gravel_self_test_build(struct gravel_device *device, cl_program *program);

#define GRAVEL_TEST_WORDS 64u                     /* of the hand-over */
#define GRAVEL_TEST_LIMIT_NS UINT64_C(2000000000) /* longest wait of the host for one answer */
#define GRAVEL_TEST_CUT_OFF_MS \
    3000u /* looks that take so long, at least, end a kernel that the host cannot stop */
#define GRAVEL_TEST_STOP UINT32_MAX /* the host's turn when it has given up */
#define GRAVEL_TEST_GROUP 64u       /* count_up: work-items of a group, groups, counts of each */
#define GRAVEL_TEST_GROUPS 16u
#define GRAVEL_TEST_EACH 64u
#define GRAVEL_TEST_COUNT (GRAVEL_TEST_GROUP * GRAVEL_TEST_GROUPS * GRAVEL_TEST_EACH)

/** Set a kernel's n arguments, enqueue it, and let it begin. @return 0; GRAVEL_ECL. */
int gravel_self_test_launch(const struct gravel_device *device, cl_command_queue queue,
                            cl_kernel kernel, const struct gravel_argument *arguments, size_t n,
                            size_t n_groups, size_t group);
/** The same, of an array of arguments. */
#define GRAVEL_SELF_TEST_LAUNCH(device, queue, kernel, arguments, n_groups, group) \
    gravel_self_test_launch(device, queue, kernel, arguments,                      \
                            sizeof(arguments) / sizeof *(arguments), n_groups, group)

/** What to say of a hand-over. @param wrong  words the host and the kernel found wrong. @return 0; GRAVEL_ECAPABILITY. */
int gravel_self_test_judge_rounds(const struct gravel_device *device, uint32_t n_rounds,
                                  uint32_t done, const uint32_t wrong[2]);
/** What to say of a count. @return 0; GRAVEL_ECAPABILITY. */
int gravel_self_test_judge_count(const struct gravel_device *device, uint32_t count);

/** looks.c: measure device->look_ns. @param zeros  three lines of them. @return 0; GRAVEL_ECL. */
int gravel_self_test_looks(struct gravel_device *device, cl_program program, cl_mem zeros);

/** copies.c: steps pump and drain. */
int gravel_self_test_copies(struct gravel_device *device, uint32_t n_rounds,
                            struct gravel_self_test *result);

#endif
