/* SPDX-License-Identifier: MIT */
/*
 * A node opens on a machine so busy that the self-test's kernel once got no core for as long as the host waits.
 *
 * The linker sends the launch here (--wrap), which swallows the first hand-over.
 *
 * Path: meson test -> this -> lib/self_test/self_test.c
 */
#include "expect.h"
#include "driver.h"

static unsigned n_hand_overs;

WRAP(clEnqueueNDRangeKernel)
{
    char name[64] = "";
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL);
    if (!event && !strcmp(name, "hand_over") && n_hand_overs++ == 0)
        return CL_SUCCESS;
    return PASS_ON(clEnqueueNDRangeKernel);
}

TEST(a_kernel_that_was_late_once_is_tried_again)
{
    struct gravel *gravel = scoped_loopback(1, NULL);
    assert_true(n_hand_overs > 1);
    expect_works(gravel);
}

const struct fixture fixture = {.limit_s = 60};
