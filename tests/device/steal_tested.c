/* SPDX-License-Identifier: MIT */
/*
 * The node, kernel and ledger that tests of deques share. See steal_tested.h.
 */
#include "steal_tested.h"

#include <stdlib.h>

extern const char steal_cl[]; /* kernels/steal.cl */

struct steal_tested tested;

void steal_clear_ledger(void)
{
    const cl_uint zero = 0;
    assert_int_equal(clEnqueueFillBuffer(gravel_cl_queue(tested.gravel), tested.ledger, &zero,
                                         sizeof zero, 0, tested.n_words * sizeof zero, 0, NULL,
                                         NULL),
                     CL_SUCCESS);
    assert_int_equal(clFinish(gravel_cl_queue(tested.gravel)), CL_SUCCESS);
}

void steal_set_up(void)
{
    cl_int error;
    tested.n_words = has_argument("ledger") ? LEDGER_TASKS : MOST_TASKS;
    setenv("GRAVEL_TIMEOUT", "1000", 0); /* of groups that wait for one that has returned */
    tested.gravel = open_loopback(1, NULL);
    const char *policy = gravel_config_of(tested.gravel)->steal_policy;
    tested.is_list = !strcmp(policy, "counter");
    tested.has_thieves = !strcmp(policy, "promoted");
    OK(gravel_program_build(tested.gravel, "steal_test.cl", steal_cl,
                            tested.is_list ? "" : "-DHAS_PUSHES", &tested.program));
    tested.kernel = clCreateKernel(tested.program, "work", &error);
    tested.ledger = clCreateBuffer(gravel_cl_context(tested.gravel), CL_MEM_READ_WRITE,
                                   tested.n_words * sizeof(cl_uint), NULL, &error);
    clSetKernelArg(tested.kernel, 1, sizeof tested.ledger, &tested.ledger);
    steal_clear_ledger();
}

void steal_tear_down(void)
{
    clReleaseMemObject(tested.ledger);
    clReleaseKernel(tested.kernel);
    clReleaseProgram(tested.program);
    OK(gravel_close(tested.gravel));
}

struct gravel_steal *steal_make(uint32_t n_groups, uint32_t capacity)
{
    struct gravel_steal *steal = NULL;
    const struct gravel_steal_options options =
        GRAVEL_STEAL_OPTIONS(.n_groups = n_groups, .group_size = STEAL_GROUP, .capacity = capacity);
    OK(gravel_steal_create(&steal, tested.gravel, &options));
    return steal;
}

void steal_launch(struct gravel_steal *steal, cl_uint n, cl_uint mode)
{
    clSetKernelArg(tested.kernel, 2, sizeof n, &n);
    clSetKernelArg(tested.kernel, 3, sizeof mode, &mode);
    OK(gravel_steal_launch(steal, tested.kernel, 0, NULL, NULL));
}

int steal_fill(struct gravel_steal *steal, uint64_t first, uint64_t n)
{
    uint64_t *tasks = calloc(n ? n : 1, sizeof *tasks);
    for (uint64_t i = 0; i < n; i++)
        tasks[i] = first + i;
    int code = gravel_steal_fill(steal, tasks, n);
    free(tasks);
    return code;
}

void steal_expect_ledger(cl_uint n, cl_uint times)
{
    cl_uint *counts = calloc(tested.n_words, sizeof *counts);
    assert_int_equal(clEnqueueReadBuffer(gravel_cl_queue(tested.gravel), tested.ledger, CL_TRUE, 0,
                                         tested.n_words * sizeof *counts, counts, 0, NULL, NULL),
                     CL_SUCCESS);
    for (cl_uint i = 0; i < tested.n_words; i++)
        if (counts[i] != (i < n ? times : 0))
            fail_msg("task %u of %u ran %u times", i, n, counts[i]);
    free(counts);
    steal_clear_ledger();
}

struct gravel_steal_stats steal_stats_of(struct gravel_steal *steal)
{
    struct gravel_steal_stats stats;
    OK(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS));
    return stats;
}
