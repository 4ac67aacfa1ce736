/* SPDX-License-Identifier: MIT */
/*
 * The self-test of the steps on which host and kernels share memory. See self_test.h.
 *
 * Memory:  T1 to T4 are the pairs of edges that P2/C1 and C2/P1 are in the queue.
 */
#include "self_test/self_test.h"

#include "base/error.h"
#include "base/lived.h"
#include "base/word.h"
#include "device/shared.h"
#include "opencl/program.h"
#include "opencl/wait.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

extern const char gravel_self_test_cl[];

struct test {
    struct gravel_device *device;
    cl_program program;
    uint32_t *words; /* SVM: [GRAVEL_TEST_WORDS] for the hand-over, then 16 for results */
};

int gravel_self_test_build(struct gravel_device *device, cl_program *program)
{
    const struct gravel_program_request request = {.name = "self_test.cl",
                                                   .source = gravel_self_test_cl};
    struct gravel_capability *capability = &device->capability;
    device->look_ns = 1; /* no look is faster */
    bool try_atomics = !capability->has_c11_atomics && capability->may_have_c11_atomics;
    /* Only CPU devices need to yield, and not every CPU compiler takes a system call. */
    device->can_yield = capability->is_cpu;
    capability->has_c11_atomics |= try_atomics;
    int code = gravel_device_build(device, &request, program);
    if (code && device->can_yield) {
        device->can_yield = false;
        code = gravel_device_build(device, &request, program);
    }
    if (code && try_atomics && device->step == GRAVEL_STEP_DRAIN) {
        capability->has_c11_atomics = false; /* the end of a kernel orders enough */
        code = gravel_device_build(device, &request, program);
    }
    return code;
}

static int allocate(struct test *test)
{
    const struct gravel_device *device = test->device;
    test->words = gravel_shared_alloc(device, (GRAVEL_TEST_WORDS + 16) * sizeof(uint32_t));
    if (!test->words)
        return gravel_fail(GRAVEL_ECAPABILITY,
                           "%s: step %s: memory that kernels share with the "
                           "host is advertised, but there is none",
                           device->capability.name, gravel_step_name(device->step));
    memset(test->words, 0, (GRAVEL_TEST_WORDS + 16) * sizeof(uint32_t));
    return 0;
}

int gravel_self_test_launch(const struct gravel_device *device, cl_command_queue queue,
                            cl_kernel kernel, const struct gravel_argument *arguments, size_t n,
                            size_t n_groups, size_t group)
{
    cl_int error = gravel_cl_kernel_set(device, kernel, 0, arguments, n);
    if (error != CL_SUCCESS)
        return gravel_fail_cl("self-test: clSetKernelArg", error);
    error = gravel_cl_kernel_enqueue(queue, kernel, n_groups * group, group, NULL);
    clFlush(queue);
    return gravel_check_cl("self-test: clEnqueueNDRangeKernel", error);
}

/* One hand-over there and back. @return false if the kernel did not answer in time. */
static bool play_round(uint32_t *words, uint32_t r, uint32_t *wrong)
{
    struct gravel_lived lived = gravel_lived_for(GRAVEL_TEST_LIMIT_NS);
    for (uint32_t i = 0; i < 16; i++)
        words[32 + i] = r + i;
    gravel_word_store(words, r, memory_order_release);                /* T2, pairs with T1 */
    while (gravel_word_load(words + 16, memory_order_acquire) != r) { /* T4, pairs with T3 */
        if (gravel_lived_tick(&lived, gravel_clock_ns()) > GRAVEL_TEST_LIMIT_NS)
            return false;
        sched_yield();
    }
    for (uint32_t i = 0; i < 16; i++)
        *wrong += words[48 + i] != r * 3 + i;
    return true;
}

int gravel_self_test_judge_rounds(const struct gravel_device *device, uint32_t n_rounds,
                                  uint32_t done, const uint32_t wrong[2])
{
    const char *name = device->capability.name;
    if (done < n_rounds)
        return gravel_fail(GRAVEL_ECAPABILITY,
                           "self-test: %s did not see the host's word (or the host not its) in "
                           "round %u of %u while the kernel ran",
                           name, done + 1, n_rounds);
    if (wrong[0] || wrong[1])
        return gravel_fail(GRAVEL_ECAPABILITY,
                           "self-test: %s hands over out of order: %u and %u wrong words", name,
                           wrong[0], wrong[1]);
    return 0;
}

int gravel_self_test_judge_count(const struct gravel_device *device, uint32_t count)
{
    if (count == GRAVEL_TEST_COUNT)
        return 0;
    return gravel_fail(GRAVEL_ECAPABILITY, "self-test: %s counted to %u instead of %u",
                       device->capability.name, count, GRAVEL_TEST_COUNT);
}

static int test_hand_over(const struct test *test, uint32_t n_rounds,
                          struct gravel_self_test *result)
{
    cl_kernel kernel;
    const uint32_t max_ms = GRAVEL_TEST_CUT_OFF_MS;
    uint32_t done = 0, wrong = 0;
    const struct gravel_argument arguments[] = {
        GRAVEL_ARGUMENT_SHARED(test->words),
        GRAVEL_ARGUMENT_SHARED(test->words + GRAVEL_TEST_WORDS), GRAVEL_ARGUMENT(n_rounds),
        GRAVEL_ARGUMENT(max_ms), GRAVEL_ARGUMENT(test->device->look_ns)};
    int code = gravel_cl_kernel_create(test->device, test->program, "hand_over", NULL, &kernel);
    if (code)
        return code;
    code = GRAVEL_SELF_TEST_LAUNCH(test->device, test->device->queue, kernel, arguments, 1, 1);
    uint64_t begin_ns = gravel_clock_ns();
    while (!code && done < n_rounds && play_round(test->words, done + 1, &wrong))
        done++;
    gravel_word_store(test->words, GRAVEL_TEST_STOP, memory_order_release); /* T2, pairs with T1 */
    if (!code)
        code = gravel_wait_test(test->device, test->device->queue);
    if (!code) {
        result->n_rounds = done;
        result->round_us = (double)(gravel_clock_ns() - begin_ns) * 1e-3 / (done ? done : 1);
        const uint32_t wrongs[2] = {wrong, test->words[GRAVEL_TEST_WORDS + 1]};
        code = gravel_self_test_judge_rounds(test->device, n_rounds, done, wrongs);
    }
    clReleaseKernel(kernel);
    return code;
}

static int test_counting(const struct test *test, struct gravel_self_test *result)
{
    cl_kernel kernel;
    uint32_t n = GRAVEL_TEST_EACH;
    const struct gravel_argument arguments[] = {
        GRAVEL_ARGUMENT_SHARED(test->words + GRAVEL_TEST_WORDS), GRAVEL_ARGUMENT(n)};
    int code = gravel_cl_kernel_create(test->device, test->program, "count_up", NULL, &kernel);
    if (code)
        return code;
    test->words[GRAVEL_TEST_WORDS] = 0;
    code = GRAVEL_SELF_TEST_LAUNCH(test->device, test->device->queue, kernel, arguments,
                                   GRAVEL_TEST_GROUPS, GRAVEL_TEST_GROUP);
    if (!code)
        code = gravel_wait_test(test->device, test->device->queue);
    result->n_increments = test->words[GRAVEL_TEST_WORDS];
    if (!code)
        code = gravel_self_test_judge_count(test->device, result->n_increments);
    clReleaseKernel(kernel);
    return code;
}

int gravel_self_test(struct gravel_device *device, uint32_t n_rounds,
                     struct gravel_self_test *result)
{
    struct test test = {.device = device};
    struct gravel_self_test unused;
    struct gravel_self_test *to = result ? result : &unused;
    memset(to, 0, sizeof *to);
    if (!gravel_step_is_shared(device->step))
        return gravel_self_test_copies(device, n_rounds, to);
    int code = gravel_self_test_build(device, &test.program);
    if (!code)
        code = allocate(&test);
    if (!code)
        code = test_hand_over(&test, n_rounds, to);
    if (!code)
        code = test_counting(&test, to);
    to->can_yield = device->can_yield;
    if (code == GRAVEL_ETIMEOUT) /* a kernel still runs, with all of it */
        return code;
    gravel_shared_free(device, test.words);
    gravel_cl_program_release(test.program);
    return code;
}
