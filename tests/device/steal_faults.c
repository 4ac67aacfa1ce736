/* SPDX-License-Identifier: MIT */
/*
 * What a kernel of deques that goes wrong is told, and what is refused.
 *
 * Path: test_steal.c -> this -> lib/steal
 */

#include "steal_tested.h"

TEST(kernel_that_leaves_is_told)
{
    struct gravel_steal *steal = steal_make(1, 8);
    struct gravel_steal_stats stats;
    OK(steal_fill(steal, 0, 4));
    steal_launch(steal, tested.is_list ? 1 : 4, BREAK); /* the last task is run first */
    expect_error(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS),
                 GRAVEL_EKERNEL, "left GRAVEL_STEAL_EACH");
    OK(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS)); /* told once */
    if (!tested.is_list)
        assert_int_equal(stats.left, 3);
    steal_clear_ledger();
    OK(gravel_steal_destroy(steal));
    steal = steal_make(2, 8);
    OK(steal_fill(steal, 0, 8));
    steal_launch(steal, 8, RETURN);
    expect_error(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS),
                 GRAVEL_EKERNEL, "returned within");
    steal_clear_ledger();
    OK(gravel_steal_destroy(steal));
}

/* A kernel that writes where it must not: one word of the first deque. */
static void spoil(struct gravel_steal *steal, size_t at, cl_uint value)
{
    cl_int error;
    const cl_uint word = (cl_uint)(at / sizeof(cl_uint));
    cl_kernel kernel = clCreateKernel(tested.program, "spoil", &error);
    clSetKernelArg(kernel, 1, sizeof word, &word);
    clSetKernelArg(kernel, 2, sizeof value, &value);
    OK(gravel_steal_launch(steal, kernel, 0, NULL, NULL));
    clReleaseKernel(kernel);
}

static void expect_overwritten(size_t at, cl_uint value)
{
    struct gravel_steal *steal = steal_make(2, 8);
    struct gravel_steal_stats stats;
    OK(steal_fill(steal, 0, 6));
    spoil(steal, at, value);
    expect_error(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS),
                 GRAVEL_EKERNEL, "group 0: its deque is overwritten");
    OK(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS)); /* told once */
    assert_int_equal(stats.left, 3); /* of the other group */
    OK(steal_fill(steal, 0, 2));
    steal_launch(steal, 6, PLAIN);
    assert_int_equal(steal_stats_of(steal).left, 0);
    steal_clear_ledger();
    OK(gravel_steal_destroy(steal));
}

TEST(deque_that_is_overwritten_is_told)
{
    if (tested.is_list)
        skip_because("a list has no deques");
    expect_overwritten(offsetof(struct gravelp_deque, tail), 0xdeadbeef);
    expect_overwritten(offsetof(struct gravelp_deque, head), 4);
    expect_overwritten(offsetof(struct gravelp_deque, offer), 77);
    expect_overwritten(offsetof(struct gravelp_deque, n_offered), GRAVELP_STEAL_BLOCK + 1);
}

TEST(program_of_another_task_is_refused)
{
    struct gravel_steal *steal = NULL;
    struct gravel_steal_stats stats;
    const uint32_t task[3] = {0, 0, 0};
    OK(gravel_steal_create(
        &steal, tested.gravel,
        &(struct gravel_steal_options)GRAVEL_STEAL_OPTIONS(.n_groups = 1, .group_size = STEAL_GROUP,
                                                           .capacity = 8, .task_bytes = 12)));
    OK(gravel_steal_fill(steal, task, 1));
    steal_launch(steal, 1, TREE);
    expect_error(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS),
                 GRAVEL_EKERNEL, "tasks of 8 bytes");
    assert_int_equal(stats.done, 0);
    OK(gravel_steal_destroy(steal));
}

TEST(launches_that_cannot_be)
{
    cl_int error;
    struct gravel_steal *steal = steal_make(1, 8);
    cl_kernel none = clCreateKernel(tested.program, "none", &error);
    expect_error(gravel_steal_launch(steal, none, 0, NULL, NULL), GRAVEL_EINVAL, "no GRAVEL_STEAL");
    cl_kernel fixed = clCreateKernel(tested.program, "fixed", &error);
    cl_event event = (cl_event)steal; /* NULL behind what is refused */
    expect_error(gravel_steal_launch(steal, fixed, 0, NULL, NULL), GRAVEL_EINVAL, "8 x 1 x 1");
    expect_error(gravel_steal_launch(steal, NULL, 0, NULL, &event), GRAVEL_EINVAL, "NULL");
    assert_null(event);
    clReleaseKernel(none);
    clReleaseKernel(fixed);
    OK(gravel_steal_destroy(steal));
}

static void expect_no_deques(struct gravel_steal_options options, const char *part)
{
    struct gravel_steal *steal = (struct gravel_steal *)1;
    expect_error(gravel_steal_create(&steal, tested.gravel, &options), GRAVEL_EINVAL, part);
    assert_null(steal);
}

TEST(bad_options_are_named)
{
    expect_no_deques((struct gravel_steal_options){.capacity = 64},
                     "options.bytes is 0, and struct gravel_steal_options has ");
    expect_no_deques((struct gravel_steal_options)GRAVEL_STEAL_OPTIONS(.capacity = 12),
                     "capacity = 12");
    expect_no_deques((struct gravel_steal_options)GRAVEL_STEAL_OPTIONS(.capacity = 1u << 31),
                     "capacity = 2147483648");
    expect_no_deques((struct gravel_steal_options)GRAVEL_STEAL_OPTIONS(.task_bytes = 6),
                     "task_bytes = 6");
    expect_no_deques((struct gravel_steal_options)GRAVEL_STEAL_OPTIONS(.task_bytes = 68),
                     "task_bytes = 68");
    expect_no_deques((struct gravel_steal_options)GRAVEL_STEAL_OPTIONS(.group_size = 1u << 30),
                     "group_size");
    expect_no_deques((struct gravel_steal_options)GRAVEL_STEAL_OPTIONS(.n_groups = UINT32_MAX),
                     "n_groups");
    struct gravel_steal *steal = steal_make(2, 8);
    const uint64_t task = 0;
    expect_error(gravel_steal_fill_at(steal, 2, &task, 1), GRAVEL_EINVAL, "group 2 of 2");
    OK(gravel_steal_destroy(steal));
}
