/* SPDX-License-Identifier: MIT */
/*
 * How long a waiting leader's look takes at least, so that a number of looks can stand for a time where the host's
 * clock does not reach a kernel: it has none of its own. One leader alone, which nothing slows down and which keeps
 * its core.
 *
 * Path:    self_test.c -> looks.c -> cl/kernels/self_test.cl; lib/settings/defaults.c uses the result.
 */
#include "base/clock.h"
#include "base/error.h"
#include "opencl/objects.h"
#include "opencl/wait.h"
#include "self_test/parts.h"

#define FIRST_LOOKS (1u << 10)
#define MOST_LOOKS (1u << 24)
#define ENOUGH_NS UINT64_C(1000000) /* against what it takes to start a kernel */
#define N_TRIES 5u

/* The shortest launch of some [ns]: whatever else the machine does makes looks seem longer. @return 0: one failed. */
static uint64_t shortest(const struct gravel_device *device, cl_kernel kernel, uint32_t n)
{
    uint64_t best_ns = UINT64_MAX;
    cl_int error = clSetKernelArg(kernel, 1, sizeof n, &n);
    for (uint32_t i = 0; i < N_TRIES; i++) {
        uint64_t begin_ns = gravel_clock_ns();
        if (error == CL_SUCCESS)
            error = gravel_cl_kernel_enqueue(device->queue, kernel, 1, 1, NULL);
        if (error != CL_SUCCESS || gravel_wait_test(device, device->queue))
            return 0;
        uint64_t ns = gravel_clock_ns() - begin_ns;
        best_ns = ns < best_ns ? ns : best_ns;
    }
    return best_ns;
}

int gravel_self_test_looks(struct gravel_device *device, const struct gravel_test *test)
{
    cl_kernel kernel;
    GRAVEL_TRY(gravel_cl_kernel_create(device, test->program, "look", NULL, &kernel));
    uint32_t n = FIRST_LOOKS;
    uint64_t ns = 0;
    if (clSetKernelArg(kernel, 0, sizeof(cl_mem), &test->words.buffer) == CL_SUCCESS &&
        shortest(device, kernel, 1)) /* whatever a first launch takes */
        ns = shortest(device, kernel, n);
    while (ns && ns < ENOUGH_NS && n < MOST_LOOKS) {
        n *= 4;
        ns = shortest(device, kernel, n);
    }
    clReleaseKernel(kernel);
    if (ns == 0)
        return gravel_fail(GRAVEL_ECL, "self-test: a kernel of looks failed on %s",
                           device->capability.name);
    device->look_ns = (uint32_t)(ns / n ? ns / n : 1);
    return 0;
}
