/* SPDX-License-Identifier: MIT */
/*
 * The words of layout/self_test.h, which the host reaches by stores and loads where it shares memory with kernels, else
 * by copies; and kernels that use them.
 *
 * Path:    self_test.c, second_kernel.c -> words.c -> cl/kernels/self_test.cl.
 * Threads: the one that runs the self-test.
 * Memory:  T1 to T4 are the pairs of edges that P2/C1 and C2/P1 are in the queue. Of a copy they are the driver's: two
 *          copies on one command queue are in order.
 */
#ifndef GRAVEL_SELF_TEST_WORDS_H
#define GRAVEL_SELF_TEST_WORDS_H

#include "device/device.h"

#define GRAVEL_TEST_CUT_OFF_MS \
    3000u /* polls that take so long, at least, end a kernel that the host cannot stop */
#define GRAVEL_TEST_GROUP 64u /* count_up: work-items of a group, groups, counts of each */
#define GRAVEL_TEST_GROUPS 16u
#define GRAVEL_TEST_EACH 64u
#define GRAVEL_TEST_SUM (GRAVEL_TEST_GROUP * GRAVEL_TEST_GROUPS * GRAVEL_TEST_EACH)

/* What a test runs its kernels with. */
struct gravel_test {
    const struct gravel_device *device;
    cl_command_queue queue; /* the device's, or another one that the test's user owns */
    cl_program program;
    /* The words. */
    uint32_t *shared;      /* steps svm and usm; else NULL */
    cl_mem buffer;         /* steps pump and drain; else NULL */
    cl_command_queue side; /* for copies while kernels run; else NULL */
};

/** Store, while kernels run. @return 0; GRAVEL_ECL. */
int gravel_test_put(const struct gravel_test *test, uint32_t first, const uint32_t *values,
                    uint32_t n);
/** Load, while kernels run. @return 0; GRAVEL_ECL. */
int gravel_test_get(const struct gravel_test *test, uint32_t first, uint32_t *values, uint32_t n);
/** Poll until a word has a value or kernels give up, 2 s at most. @param has_it  [out] @return 0; GRAVEL_ECL. */
int gravel_test_await(const struct gravel_test *test, uint32_t at, uint32_t value, bool *has_it);
/** Return what may have kept a device from running kernels side by side, for the end of a text. */
static inline const char *gravel_test_excuse(const struct gravel_device *device)
{
    return device->capability.is_cpu
               ? ""
               : "; does another process use it? Nodes that share it can take GRAVEL_STEP=drain";
}

/* A kernel of a test, and what the host does while it runs. */
struct gravel_test_row {
    const char *name;
    size_t n_groups, group;
    uint32_t n_values, values[4];                                /* its arguments after the words */
    int (*watch)(const struct gravel_test *test, void *context); /* NULL: nothing */
    uint32_t end_at, end; /* then stored, so that the kernel ends; 0: it ends by itself */
};

/** Make the words, all 0. @return 0; GRAVEL_ECAPABILITY; GRAVEL_ECL. */
int gravel_test_words_create(struct gravel_test *test);
/** Build the self-test's program. @return as gravel_device_build. */
int gravel_test_build(const struct gravel_device *device, cl_program *program);

/** Make words and program, to be closed, also on failure. @return as those two. */
int gravel_test_open(struct gravel_test *test, const struct gravel_device *device);
/** Release them, unless a kernel still runs, with all of it (GRAVEL_ETIMEOUT). @return code */
int gravel_test_close(struct gravel_test *test, int code);

/** Clear the words, and run a row's kernel to its end. @return what failed; as gravel_test_finish. */
int gravel_test_run(const struct gravel_test *test, const struct gravel_test_row *row,
                    void *context);

/** Launch a kernel alone, to be finished, also on failure. @param kernel  [out] @return 0; GRAVEL_ECL. */
int gravel_test_start(const struct gravel_test *test, const struct gravel_test_row *row,
                      cl_kernel *kernel);
/**
 * Wait for it; one that was never launched has ended. Its own polls bound the wait.
 *
 * @return  as gravel_wait_test; unless GRAVEL_ETIMEOUT, the kernel is released.
 */
int gravel_test_finish(const struct gravel_test *test, cl_kernel kernel);

/** second_kernel.c, step pump: tests all command queues while a kernel holds all compute units but one.
 * @return 0; GRAVEL_ECAPABILITY; GRAVEL_ECL; GRAVEL_ENOMEM; GRAVEL_ETIMEOUT. */
int gravel_self_test_concurrent(const struct gravel_test *test);

#endif
