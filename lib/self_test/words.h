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

struct gravel_test_words {
    uint32_t *shared;      /* steps svm and usm; else NULL */
    cl_mem buffer;         /* steps pump and drain; else NULL */
    cl_command_queue side; /* for copies beside kernels; else NULL */
};

/** Build the self-test's program. @return as gravel_device_build. */
int gravel_test_build(const struct gravel_device *device, cl_program *program);

/** A test is over: release its program and words, unless a kernel still runs, with all of it. @return code */
int gravel_test_end(const struct gravel_device *device, cl_program program,
                    struct gravel_test_words *words, int code);

/** Make them, all 0. @return 0; GRAVEL_ECAPABILITY; GRAVEL_ECL: whatever there is, is to be destroyed. */
int gravel_test_words_create(struct gravel_test_words *words, const struct gravel_device *device);
void gravel_test_words_destroy(struct gravel_test_words *words, const struct gravel_device *device);

/** Store, while kernels run. @return 0; GRAVEL_ECL. */
int gravel_test_put(const struct gravel_test_words *words, uint32_t first, const uint32_t *values,
                    uint32_t n);
/** Load, while kernels run. @return 0; GRAVEL_ECL. */
int gravel_test_get(const struct gravel_test_words *words, uint32_t first, uint32_t *values,
                    uint32_t n);
/** Set to 0, before a kernel that `queue` gets next. @return 0; GRAVEL_ECL. */
int gravel_test_clear(const struct gravel_test_words *words, cl_command_queue queue, uint32_t first,
                      uint32_t n);

/** What may have kept a device from kernels that should have run side by side, for the end of a text. */
static inline const char *gravel_test_excuse(const struct gravel_device *device)
{
    return device->capability.is_cpu
               ? ""
               : "; does another process use it? Nodes that share it can take GRAVEL_STEP=drain";
}

/** A kernel of the self-test, where it runs. Zero-filled but for what its user sets, before and after. */
struct gravel_test_launch {
    const struct gravel_device *device;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
};

/** Launch a kernel. @param values [n_values] its arguments after the words. @return 0; GRAVEL_ECL. */
int gravel_test_start(struct gravel_test_launch *launch, const struct gravel_test_words *words,
                      const char *name, const uint32_t *values, cl_uint n_values, size_t n_groups,
                      size_t group);
/**
 * Wait for it; one that was never launched has ended. Its own looks bound the wait.
 *
 * @return  as gravel_wait_test; unless GRAVEL_ETIMEOUT, the kernel is released.
 */
int gravel_test_finish(struct gravel_test_launch *launch);
/** Release the kernel, which has ended. */
void gravel_test_release(struct gravel_test_launch *launch);

#endif
