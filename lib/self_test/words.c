/* SPDX-License-Identifier: MIT */
/*
 * Words that the self-test's kernels and the host share. See words.h.
 */
#include "self_test/words.h"

#include "base/error.h"
#include "base/word.h"
#include "device/shared.h"
#include "layout/self_test.h"
#include "opencl/objects.h"
#include "opencl/program.h"
#include "opencl/wait.h"

#include <string.h>

extern const char gravel_self_test_cl[];

int gravel_test_build(const struct gravel_device *device, cl_program *program)
{
    const struct gravel_program_request request = {.name = "self_test.cl",
                                                   .source = gravel_self_test_cl};
    return gravel_device_build(device, &request, program);
}

int gravel_test_end(const struct gravel_device *device, cl_program program,
                    struct gravel_test_words *words, int code)
{
    if (code == GRAVEL_ETIMEOUT)
        return code;
    gravel_cl_program_release(program);
    gravel_test_words_destroy(words, device);
    return code;
}

/* ---- words ----------------------------------------------------------------------------------- */

int gravel_test_words_create(struct gravel_test_words *words, const struct gravel_device *device)
{
    const size_t bytes = GRAVELP_TEST_WORDS * sizeof(uint32_t);
    *words = (struct gravel_test_words){.shared = NULL};
    if (gravel_step_is_shared(device->step)) {
        words->shared = gravel_shared_alloc(device, bytes);
        if (!words->shared)
            return gravel_fail(GRAVEL_ECAPABILITY,
                               "%s: step %s: memory that kernels share with the "
                               "host is advertised, but there is none",
                               device->capability.name, gravel_step_name(device->step));
        memset(words->shared, 0, bytes);
        return 0;
    }
    int code = gravel_cl_queue_create(device, "self-test", &words->side);
    if (!code)
        code = gravel_cl_buffer_create(device, "self-test", bytes, &words->buffer);
    return code ? code : gravel_test_clear(words, device->queue, 0, GRAVELP_TEST_WORDS);
}

void gravel_test_words_destroy(struct gravel_test_words *words, const struct gravel_device *device)
{
    gravel_shared_free(device, words->shared);
    gravel_cl_buffer_release(words->buffer);
    gravel_cl_queue_release(words->side);
}

static int write_copy(const struct gravel_test_words *words, cl_command_queue queue, uint32_t first,
                      const uint32_t *values, uint32_t n)
{
    return gravel_check_cl("self-test: write",
                           clEnqueueWriteBuffer(queue, words->buffer, CL_TRUE,
                                                first * sizeof *values, n * sizeof *values, values,
                                                0, NULL, NULL));
}

int gravel_test_put(const struct gravel_test_words *words, uint32_t first, const uint32_t *values,
                    uint32_t n)
{
    if (!words->shared)
        return write_copy(words, words->side, first, values, n);
    for (uint32_t i = 0; i < n; i++)
        gravel_word_store(words->shared + first + i, values[i],
                          memory_order_release); /* T2, pairs with T1 */
    return 0;
}

int gravel_test_get(const struct gravel_test_words *words, uint32_t first, uint32_t *values,
                    uint32_t n)
{
    if (!words->shared)
        return gravel_check_cl("self-test: read",
                               clEnqueueReadBuffer(words->side, words->buffer, CL_TRUE,
                                                   first * sizeof *values, n * sizeof *values,
                                                   values, 0, NULL, NULL));
    for (uint32_t i = 0; i < n; i++)
        values[i] = gravel_word_load(words->shared + first + i,
                                     memory_order_acquire); /* T4, pairs with T3 */
    return 0;
}

/*
 * On the kernel's own command queue: on a busy machine Intel's CPU runtime 2026.22 returned from blocking writes of
 * another queue before they had landed, and they undid what the kernel had counted.
 */
int gravel_test_clear(const struct gravel_test_words *words, cl_command_queue queue, uint32_t first,
                      uint32_t n)
{
    static const uint32_t zeros[GRAVELP_TEST_WORDS];
    return words->shared ? gravel_test_put(words, first, zeros, n)
                         : write_copy(words, queue, first, zeros, n);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* The kernel's arguments: the words, and then the values. */
static cl_int set_arguments(const struct gravel_test_launch *launch,
                            const struct gravel_test_words *words, const uint32_t *values,
                            cl_uint n_values)
{
    const struct gravel_argument copied = GRAVEL_ARGUMENT(words->buffer);
    const struct gravel_argument shared = GRAVEL_ARGUMENT_SHARED(words->shared);
    cl_int error = gravel_cl_kernel_set(launch->device, launch->kernel, 0,
                                        words->shared ? &shared : &copied, 1);
    for (cl_uint i = 0; error == CL_SUCCESS && i < n_values; i++)
        error = clSetKernelArg(launch->kernel, 1 + i, sizeof *values, &values[i]);
    return error;
}

int gravel_test_start(struct gravel_test_launch *launch, const struct gravel_test_words *words,
                      const char *name, const uint32_t *values, cl_uint n_values, size_t n_groups,
                      size_t group)
{
    int code =
        gravel_cl_kernel_create(launch->device, launch->program, name, NULL, &launch->kernel);
    if (code)
        return code;
    cl_int error = set_arguments(launch, words, values, n_values);
    if (error != CL_SUCCESS)
        return gravel_fail_cl("self-test: clSetKernelArg", error);
    error = gravel_cl_kernel_enqueue(launch->queue, launch->kernel, n_groups * group, group, NULL);
    return gravel_check_cl("self-test: clEnqueueNDRangeKernel",
                           gravel_cl_flush(launch->queue, error));
}

int gravel_test_finish(struct gravel_test_launch *launch)
{
    int code = launch->kernel ? gravel_wait_test(launch->device, launch->queue) : 0;
    if (code != GRAVEL_ETIMEOUT)
        gravel_test_release(launch);
    return code;
}

void gravel_test_release(struct gravel_test_launch *launch)
{
    gravel_cl_kernel_release(launch->kernel);
    launch->kernel = NULL;
}
