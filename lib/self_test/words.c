/* SPDX-License-Identifier: MIT */
/*
 * Words that the self-test's kernels and the host share. See words.h.
 */
#include "self_test/words.h"

#include "base/await.h"
#include "base/error.h"
#include "base/counter.h"
#include "device/device.h"
#include "layout/self_test.h"
#include "opencl/objects.h"
#include "opencl/program.h"
#include "opencl/wait.h"

#include <string.h>

#define LIMIT_NS (2 * GRAVEL_NS_PER_S) /* longest wait of the host for one answer */
#define YIELDS_NS UINT64_C(300000)

extern const char gravel_self_test_cl[];

/* ---- words ----------------------------------------------------------------------------------- */

static int write_copy(const struct gravel_test *test, cl_command_queue queue, uint32_t first,
                      const uint32_t *values, uint32_t n)
{
    return gravel_check_cl("self-test: write",
                           clEnqueueWriteBuffer(queue, test->buffer, CL_TRUE,
                                                first * sizeof *values, n * sizeof *values, values,
                                                0, NULL, NULL));
}

int gravel_test_put(const struct gravel_test *test, uint32_t first, const uint32_t *values,
                    uint32_t n)
{
    if (!test->shared)
        return write_copy(test, test->side, first, values, n);
    for (uint32_t i = 0; i < n; i++)
        gravel_word_store(test->shared + first + i, values[i],
                          memory_order_release); /* T2, pairs with T1 */
    return 0;
}

int gravel_test_get(const struct gravel_test *test, uint32_t first, uint32_t *values, uint32_t n)
{
    if (!test->shared)
        return gravel_check_cl("self-test: read",
                               clEnqueueReadBuffer(test->side, test->buffer, CL_TRUE,
                                                   first * sizeof *values, n * sizeof *values,
                                                   values, 0, NULL, NULL));
    for (uint32_t i = 0; i < n; i++)
        values[i] = gravel_word_load(test->shared + first + i,
                                     memory_order_acquire); /* T4, pairs with T3 */
    return 0;
}

int gravel_test_await(const struct gravel_test *test, uint32_t at, uint32_t value, bool *has_it)
{
    struct gravel_wait wait = {.limit = {.ns = LIMIT_NS, .yields_ns = YIELDS_NS}};
    uint32_t seen = 0, n_gave_up = 0;
    do {
        GRAVEL_TRY(gravel_test_get(test, at, &seen, 1));
        *has_it = seen == value;
        if (*has_it)
            return 0;
        GRAVEL_TRY(gravel_test_get(test, GRAVELP_TEST_ENDED, &n_gave_up, 1));
    } while (!n_gave_up && !gravel_wait_pause(&wait));
    return 0;
}

/*
 * Clears words, in the kernel's own queue: on a busy machine Intel's CPU runtime 2026.22 returned from blocking writes
 * of another queue before they had landed, and they undid what the kernel had counted.
 */
static int clear(const struct gravel_test *test, cl_command_queue queue)
{
    static const uint32_t zeros[GRAVELP_TEST_WORDS];
    return test->shared ? gravel_test_put(test, 0, zeros, GRAVELP_TEST_WORDS)
                        : write_copy(test, queue, 0, zeros, GRAVELP_TEST_WORDS);
}

int gravel_test_words_create(struct gravel_test *test)
{
    const size_t bytes = GRAVELP_TEST_WORDS * sizeof(uint32_t);
    const struct gravel_device *device = test->device;
    if (gravel_step_is_shared(device->step)) {
        test->shared = gravel_shared_alloc(device, bytes);
        if (!test->shared)
            return gravel_fail(GRAVEL_ECAPABILITY,
                               "%s: step %s: memory that kernels share with the "
                               "host is advertised, but there is none",
                               device->capability.name, gravel_step_name(device->step));
        memset(test->shared, 0, bytes);
        return 0;
    }
    GRAVEL_TRY(gravel_cl_queue_create(device, "self-test", &test->side));
    GRAVEL_TRY(gravel_cl_buffer_create(device, "self-test", bytes, &test->buffer));
    return clear(test, device->queue);
}

/* ---- tests ----------------------------------------------------------------------------------- */

int gravel_test_build(const struct gravel_device *device, cl_program *program)
{
    const struct gravel_program_request request = {.name = "self_test.cl",
                                                   .source = gravel_self_test_cl};
    return gravel_device_build(device, &request, program);
}

int gravel_test_open(struct gravel_test *test, const struct gravel_device *device)
{
    *test = (struct gravel_test){.device = device, .queue = device->queue};
    GRAVEL_TRY(gravel_test_words_create(test));
    return gravel_test_build(device, &test->program);
}

int gravel_test_close(struct gravel_test *test, int code)
{
    if (code == GRAVEL_ETIMEOUT)
        return code;
    gravel_cl_program_release(test->program);
    gravel_shared_free(test->device, test->shared);
    gravel_cl_buffer_release(test->buffer);
    gravel_cl_queue_release(test->side);
    return code;
}

int gravel_test_start(const struct gravel_test *test, const struct gravel_test_row *row,
                      cl_kernel *kernel)
{
    const struct gravel_argument copied = GRAVEL_ARGUMENT(test->buffer);
    const struct gravel_argument shared = GRAVEL_ARGUMENT_SHARED(test->shared);
    GRAVEL_TRY(gravel_cl_kernel_create(test->device, test->program, row->name, NULL, kernel));
    cl_int error =
        gravel_cl_kernel_set(test->device, *kernel, 0, test->shared ? &shared : &copied, 1);
    for (cl_uint i = 0; error == CL_SUCCESS && i < row->n_values; i++)
        error = clSetKernelArg(*kernel, 1 + i, sizeof *row->values, &row->values[i]);
    GRAVEL_TRY(gravel_check_cl("self-test: clSetKernelArg", error));
    error = gravel_cl_kernel_enqueue(test->queue, *kernel, row->n_groups * row->group, row->group,
                                     NULL);
    return gravel_check_cl("self-test: clEnqueueNDRangeKernel",
                           gravel_cl_flush(test->queue, error));
}

int gravel_test_finish(const struct gravel_test *test, cl_kernel kernel)
{
    int code = kernel ? gravel_wait_test(test->device, test->queue) : 0;
    if (code != GRAVEL_ETIMEOUT)
        gravel_cl_kernel_release(kernel);
    return code;
}

int gravel_test_run(const struct gravel_test *test, const struct gravel_test_row *row,
                    void *context)
{
    cl_kernel kernel = NULL;
    int code = clear(test, test->queue);
    if (!code)
        code = gravel_test_start(test, row, &kernel);
    if (!code && row->watch)
        code = row->watch(test, context);
    if (row->end)
        gravel_test_put(test, row->end_at, &row->end, 1);
    int finished = gravel_test_finish(test, kernel);
    return gravel_first_failure(finished, code);
}
