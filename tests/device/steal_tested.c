/* SPDX-License-Identifier: MIT */
/*
 * The node, kernel and ledger that tests of deques share. See steal_tested.h.
 */
#include "steal_tested.h"

#include <stdlib.h>

/*
 * A task is a number. ledger: [tasks] how often each has run. Modes: 0 a tree, where task t has the children 4 t + 1 to
 * 4 t + 4 that are less than n; 1 the same, pushed by single work-items; 2 the same, with looks; 3 task 0 pushes 1 to
 * n - 1, a group's size at a time; 4 a break, 5 a return out of task n - 1; 6 nothing more.
 */
static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "#include \"steal.cl.h\"\n"
    "kernel void work(GRAVEL_STEAL, global volatile uint *ledger, uint n, uint mode)\n"
    "{\n"
    "    GRAVEL_STEAL_OPEN(s);\n"
    "    uint lane = get_local_id(0), size = get_local_size(0);\n"
    "    GRAVEL_STEAL_EACH(s, task) {\n"
    "#ifdef HAS_PUSHES\n"
    "        ulong child = 4 * task + 1 + lane;\n"
    "        bool has = lane < 4 && child < n;\n"
    "        if (mode == 0 || mode == 2)\n"
    "            gravel_steal_push_wg_if(s, has, child);\n"
    "        if (mode == 1 && has)\n"
    "            gravel_steal_push_wi(s, child);\n"
    "        if (mode == 2)\n"
    "            gravel_steal_look_wg(s);\n"
    "        for (uint i = 1; mode == 3 && task == 0 && i < n; i += size)\n"
    "            gravel_steal_push_wg_if(s, i + lane < n, (ulong)(i + lane));\n"
    "#endif\n"
    "        if (lane == 0)\n"
    "            atomic_inc(&ledger[task]);\n"
    "        if (mode == 4 && task == n - 1)\n"
    "            break;\n"
    "        if (mode == 5 && task == n - 1)\n"
    "            return;\n"
    "    }\n"
    "}\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void fixed(GRAVEL_STEAL)\n"
    "{\n"
    "}\n"
    "kernel void spoil(GRAVEL_STEAL, uint word, uint value)\n"
    "{\n"
    "    if (get_global_id(0) == 0)\n"
    "        ((global uint *)((global uchar *)gravel_steal_ + gravel_steal_->deques_offset))[word] "
    "= value;\n"
    "}\n"
    "kernel void none(global uint *ledger, uint n)\n"
    "{\n"
    "    ledger[n] = 0;\n"
    "}\n";

struct steal_tested tested = {.n_words = MOST_TASKS};

void steal_clear_ledger(void)
{
    const cl_uint zero = 0;
    assert_int_equal(clEnqueueFillBuffer(gravel_cl_queue(tested.gravel), tested.ledger, &zero,
                                         sizeof zero, 0, tested.n_words * sizeof zero, 0, NULL,
                                         NULL),
                     CL_SUCCESS);
    assert_int_equal(clFinish(gravel_cl_queue(tested.gravel)), CL_SUCCESS);
}

int steal_set_up(void **state)
{
    (void)state;
    cl_int error;
    setenv("GRAVEL_TIMEOUT", "1000", 0); /* of groups that wait for one that has returned */
    tested.gravel = open_loopback(1, NULL);
    const char *policy = gravel_config(tested.gravel)->steal_policy;
    tested.is_list = !strcmp(policy, "counter") || !strcmp(policy, "device");
    tested.has_thieves = !strcmp(policy, "promoted") || !strcmp(policy, "steal-only");
    tested.is_abp = !strcmp(policy, "steal-only") || !strcmp(policy, "baseline") ||
                    !strcmp(policy, "scope-only");
    OK(gravel_program_build(tested.gravel, "steal_test.cl", source,
                            tested.is_list ? "" : "-DHAS_PUSHES", &tested.program));
    tested.kernel = clCreateKernel(tested.program, "work", &error);
    tested.ledger = clCreateBuffer(gravel_cl_context(tested.gravel), CL_MEM_READ_WRITE,
                                   tested.n_words * sizeof(cl_uint), NULL, &error);
    clSetKernelArg(tested.kernel, 1, sizeof tested.ledger, &tested.ledger);
    steal_clear_ledger();
    return 0;
}

int steal_tear_down(void **state)
{
    (void)state;
    clReleaseMemObject(tested.ledger);
    clReleaseKernel(tested.kernel);
    clReleaseProgram(tested.program);
    return gravel_close(tested.gravel);
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
