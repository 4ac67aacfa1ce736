/* SPDX-License-Identifier: MIT */
/*
 * Deques that a kernel runs: every task exactly once, at the edges of a ring and among more groups than fit; what a kernel that
 * goes wrong is told, and what is refused. The environment's GRAVEL_STEAL_POLICY says by which policy.
 *
 * One kernel does everything, for compiling it takes most of the time.
 *
 * Path: meson test -> this -> lib/steal, cl/steal.cl.h
 */
#include <stdlib.h>

#include "expect.h"

#include <gravel/steal.h>

#define STEAL_GROUP 16u /* work-items */
#define MOST_TASKS 100000u
#define LEDGER_TASKS 10000000u /* of `test_device_steal ledger` */

/* What the kernel does: see kernels/steal.cl. */
enum { TREE, TREE_WI, TREE_LOOK, FLOOD, BREAK, RETURN, PLAIN };

static struct {
    struct gravel *gravel;
    cl_program program;
    cl_kernel kernel;
    cl_mem ledger;
    cl_uint n_words;           /* of the ledger */
    bool is_list, has_thieves; /* the policy */
} tested;

extern const char steal_cl[]; /* kernels/steal.cl */

static void steal_clear_ledger(void)
{
    const cl_uint zero = 0;
    assert_int_equal(clEnqueueFillBuffer(gravel_cl_queue(tested.gravel), tested.ledger, &zero,
                                         sizeof zero, 0, tested.n_words * sizeof zero, 0, NULL,
                                         NULL),
                     CL_SUCCESS);
    assert_int_equal(clFinish(gravel_cl_queue(tested.gravel)), CL_SUCCESS);
}

static void steal_set_up(void)
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

static void steal_tear_down(void)
{
    clReleaseMemObject(tested.ledger);
    clReleaseKernel(tested.kernel);
    clReleaseProgram(tested.program);
    OK(gravel_close(tested.gravel));
}

static struct gravel_steal *steal_make(uint32_t n_groups, uint32_t capacity)
{
    struct gravel_steal *steal = NULL;
    const struct gravel_steal_options options =
        GRAVEL_STEAL_OPTIONS(.n_groups = n_groups, .group_size = STEAL_GROUP, .capacity = capacity);
    OK(gravel_steal_create(&steal, tested.gravel, &options));
    return steal;
}

static void steal_launch(struct gravel_steal *steal, cl_uint n, cl_uint mode)
{
    clSetKernelArg(tested.kernel, 2, sizeof n, &n);
    clSetKernelArg(tested.kernel, 3, sizeof mode, &mode);
    cl_event end = NULL;
    OK(gravel_steal_launch(steal, tested.kernel, 0, NULL, &end));
    assert_int_equal(clWaitForEvents(1, &end), CL_SUCCESS);
    clReleaseEvent(end);
}

/* Adds tasks first to first + n - 1, evenly. */
static int steal_fill(struct gravel_steal *steal, uint64_t first, uint64_t n)
{
    uint64_t *tasks = calloc(n ? n : 1, sizeof *tasks);
    for (uint64_t i = 0; i < n; i++)
        tasks[i] = first + i;
    int code = gravel_steal_fill(steal, tasks, n);
    free(tasks);
    return code;
}

/* Each of n tasks has run `times` times, and no other; clears the ledger. */
static void steal_expect_ledger(cl_uint n, cl_uint times)
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

static struct gravel_steal_stats steal_stats_of(struct gravel_steal *steal)
{
    struct gravel_steal_stats stats;
    OK(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS));
    return stats;
}

/* ---- every task once ------------------------------------------------------------------------------ */

TEST(no_task_and_one_task_end)
{
    struct gravel_steal *steal = steal_make(3, 8);
    const uint64_t task = 0;
    for (cl_uint n = 0; n < 2; n++) {
        if (n)
            OK(gravel_steal_fill_at(steal, 2, &task, 1));
        assert_int_equal(steal_stats_of(steal).left, n);
        steal_launch(steal, 1, TREE);
        struct gravel_steal_stats stats = steal_stats_of(steal);
        assert_int_equal(stats.done, n);
        assert_int_equal(stats.most, n);
        assert_int_equal(stats.left, 0);
        steal_expect_ledger(n, n);
    }
    OK(gravel_steal_destroy(steal));
}

TEST(full_deques_run_and_take_no_more)
{
    struct gravel_steal *steal = steal_make(3, 8);
    OK(steal_fill(steal, 0, 24));
    expect_error(steal_fill(steal, 24, 1), GRAVEL_ERANGE, tested.is_list ? "24 of 24" : "8 of 8");
    if (!tested.is_list) {
        const uint64_t more[2] = {30, 31};
        expect_error(gravel_steal_fill_at(steal, 1, more, 2), GRAVEL_ERANGE, "group 1");
    }
    steal_launch(steal, 24, PLAIN);
    assert_int_equal(steal_stats_of(steal).done, 24);
    steal_expect_ledger(24, 1);
    OK(steal_fill(steal, 0, 24)); /* from here on the rings wrap */
    OK(gravel_steal_stats_reset(steal));
    steal_launch(steal, 24, PLAIN);
    assert_int_equal(steal_stats_of(steal).done, 24);
    steal_expect_ledger(24, 1);
    OK(gravel_steal_destroy(steal));
}

static void run_tree(uint32_t n_groups, uint32_t capacity, cl_uint n, cl_uint mode)
{
    struct gravel_steal *steal = steal_make(n_groups, capacity);
    const uint64_t root = 0;
    for (cl_uint turn = 0; turn < 3; turn++) {
        if (tested.is_list)
            OK(steal_fill(steal, 0, n));
        else
            OK(gravel_steal_fill_at(steal, 0, &root, 1));
        steal_launch(steal, n, mode);
    }
    struct gravel_steal_stats stats = steal_stats_of(steal);
    assert_int_equal(stats.done, 3 * n);
    assert_int_equal(stats.left, 0);
    assert_true(tested.has_thieves || (stats.stolen == 0 && stats.offers == 0));
    steal_expect_ledger(n, 3);
    OK(gravel_steal_destroy(steal));
}

/* Of one group; of two; of more than run side by side, the later of which find what is left; pushed by single
 * work-items; and looked for by long tasks. */
TEST(every_task_of_a_tree_runs_once)
{
    run_tree(1, 4096, 4000, TREE);
    run_tree(2, 65536, 30000, TREE);
    run_tree(67, 4096, 10000, TREE);
    run_tree(3, 4096, 5000, TREE_WI);
    run_tree(3, 4096, 5000, TREE_LOOK);
}

/* ---- beyond the capacity ----------------------------------------------------------------------------- */

static void flood(struct gravel_steal *steal, cl_uint n)
{
    const uint64_t root = 0;
    OK(gravel_steal_fill_at(steal, 0, &root, 1));
    steal_launch(steal, n, FLOOD);
}

/* The root has left its slot; the offer of the older half makes room for 16 more, but not for all. */
TEST(push_up_to_the_capacity_and_beyond)
{
    const cl_uint fits = tested.has_thieves ? 65 + 16 : 65;
    struct gravel_steal_stats stats;
    if (tested.is_list)
        skip_because("a list takes no pushes");
    struct gravel_steal *steal = steal_make(1, 64);
    for (cl_uint n = 65; n <= fits; n += 16) {
        OK(gravel_steal_stats_reset(steal));
        flood(steal, n);
        assert_int_equal(steal_stats_of(steal).done, n);
        assert_int_equal(steal_stats_of(steal).offers, n > 65);
        steal_expect_ledger(n, 1);
    }
    flood(steal, 1000);
    expect_error(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS),
                 GRAVEL_EKERNEL, "group 0: a push beyond");
    assert_non_null(strstr(gravel_last_error(), "its deque, 64 tasks"));
    steal_clear_ledger();
    steal_launch(steal, 0, PLAIN); /* what is left can still run */
    assert_int_equal(steal_stats_of(steal).left, 0);
    steal_clear_ledger();
    OK(gravel_steal_destroy(steal));
}

/* ---- every one of ten million ------------------------------------------------------------------------- */

TEST_OF("ledger", large_tree)
{
    struct gravel_steal *steal = steal_make(4, 65536);
    const uint64_t root = 0;
    OK(gravel_steal_fill_at(steal, 0, &root, 1));
    steal_launch(steal, LEDGER_TASKS, TREE);
    assert_int_equal(steal_stats_of(steal).done, LEDGER_TASKS);
    steal_expect_ledger(LEDGER_TASKS, 1);
    OK(gravel_steal_destroy(steal));
}

/* ---- what is told, and refused ------------------------------------------------------------------------- */

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

/* By a kernel that writes where it must not: one of four words of the first deque, see kernels/steal.cl. */
TEST(deque_that_is_overwritten_is_told)
{
    if (tested.is_list)
        skip_because("a list has no deques");
    for (cl_uint word = 0; word < 4; word++) {
        struct gravel_steal *steal = steal_make(2, 8);
        struct gravel_steal_stats stats;
        cl_kernel kernel = clCreateKernel(tested.program, "spoil", NULL);
        OK(steal_fill(steal, 0, 6));
        SET(kernel, 1, word);
        OK(gravel_steal_launch(steal, kernel, 0, NULL, NULL));
        expect_error(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS),
                     GRAVEL_EKERNEL, "group 0: its deque is overwritten");
        assert_int_equal(steal_stats_of(steal).left, 3); /* told once; half is of the other group */
        OK(steal_fill(steal, 0, 2));
        steal_launch(steal, 6, PLAIN);
        assert_int_equal(steal_stats_of(steal).left, 0);
        steal_clear_ledger();
        clReleaseKernel(kernel);
        OK(gravel_steal_destroy(steal));
    }
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

const struct fixture fixture = {.open = steal_set_up, .close = steal_tear_down};
