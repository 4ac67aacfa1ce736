/* SPDX-License-Identifier: MIT */
/*
 * Tasks that send messages, on every step: none is lost, also where a launch is made of many slices or launches. And a
 * task that does not end: GRAVEL_KERNEL_LIMIT names its group, and the groups that wait for tasks end.
 *
 * Path: meson test -> this -> lib/steal/launch.c, lib/pump/drain.c; cl/steal.cl.h
 */
#include "expect.h"

#include <gravel/steal.h>

#include <stdlib.h>

#define GROUP 16u
#define N_WORDS 64u
#define N_TASKS 3000u

/*
 * A task: its number, and what its parent was. Every work-item of a task counts up a word of node 1. With `stop`, the
 * heap offset of a uint, the first task ends when that is not 0.
 */
extern const char steal_messages_cl[]; /* kernels/steal_messages.cl */

struct pair {
    uint32_t number, parent, filler[4];
};

static struct gravel *gravel;
static cl_program program;
static cl_kernel kernel;

static void set_up(void)
{
    cl_int error;
    gravel = open_loopback(2, NULL);
    program = build_or_die(gravel, steal_messages_cl, NULL);
    kernel = clCreateKernel(program, "work", &error);
    assert_int_equal(error, CL_SUCCESS);
    OK(gravel_kernel_set_arena(gravel, kernel, 0));
}

static void tear_down(void)
{
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    OK(gravel_close(gravel));
}

static struct gravel_steal *make(uint32_t n_groups)
{
    struct gravel_steal *steal = NULL;
    const struct pair root = {0, 0, {7, 7, 7, 7}};
    const struct gravel_steal_options options =
        GRAVEL_STEAL_OPTIONS(.n_groups = n_groups, .group_size = GROUP, .task_bytes = sizeof root);
    OK(gravel_steal_create(&steal, gravel, &options));
    OK(gravel_steal_fill_at(steal, 0, &root, 1));
    return steal;
}

static void launch(struct gravel_steal *steal, uint64_t table, cl_uint n, uint64_t stop)
{
    const cl_ulong offsets[2] = {table, stop};
    clSetKernelArg(kernel, 2, sizeof offsets[0], &offsets[0]);
    clSetKernelArg(kernel, 3, sizeof n, &n);
    clSetKernelArg(kernel, 4, sizeof offsets[1], &offsets[1]);
    OK(gravel_steal_launch(steal, kernel, 0, NULL, NULL));
}

TEST(messages_of_tasks_arrive)
{
    set_up();
    uint32_t expected[N_WORDS + 1] = {0};
    uint64_t table = alloc_or_die(gravel, sizeof expected);
    struct gravel_steal *steal = make(5);
    struct gravel_steal_stats stats;
    for (uint32_t task = 0; task < N_TASKS; task++)
        for (uint32_t lane = 0; lane < GROUP; lane++)
            expected[(task + lane) % N_WORDS]++;
    expected[N_WORDS] = N_TASKS;
    launch(steal, table, N_TASKS, 0);
    OK(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS));
    assert_int_equal(stats.done, N_TASKS);
    assert_int_equal(stats.left, 0);
    OK(gravel_barrier(gravel));
    const uint32_t *words = read_map(gravel, 1, table, sizeof expected);
    assert_memory_equal(words, expected, sizeof expected);
    unmap(gravel, words);
    OK(gravel_steal_destroy(steal));
    OK(gravel_free(gravel, table));
}

TEST(task_that_does_not_end_is_named)
{
    setenv("GRAVEL_KERNEL_LIMIT", "3000", 1); /* kernels have been compiled before */
    set_up();
    if (is_sliced(gravel)) /* the host cannot write to a word of a running kernel */
        skip();
    uint64_t table = alloc_or_die(gravel, 4 * (N_WORDS + 1)), stop = alloc_or_die(gravel, 64);
    struct gravel_steal *steal = make(2);
    struct gravel_steal_stats stats;
    launch(steal, table, 10, stop);
    expect_error(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS),
                 GRAVEL_EKERNEL, "1 of 2 groups run tasks, the first is group 0");
    expect_error(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS),
                 GRAVEL_EKERNEL, "has not ended");
    volatile uint32_t *word = map_or_die(gravel, 0, stop, 4, CL_MAP_WRITE);
    *word = 1;
    unmap(gravel, (const void *)(uintptr_t)word);
    OK(gravel_quiet(gravel));
    OK(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS));
    assert_int_equal(stats.done, 10);
    OK(gravel_steal_destroy(steal));
    OK(gravel_free(gravel, stop));
    OK(gravel_free(gravel, table));
}

const struct fixture fixture = {.after = tear_down};
