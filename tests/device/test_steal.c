/* SPDX-License-Identifier: MIT */
/*
 * Deques that a kernel runs: every task exactly once, at the edges of a ring and among more groups than fit. What is
 * refused, and what a kernel that goes wrong is told, is in steal_faults.c. The environment's GRAVEL_STEAL_POLICY says by
 * which policy.
 *
 * Path: meson test -> this -> steal_tested.h, steal_faults.c
 */
#include "steal_tested.h"

#define FAR_TASKS 8u /* of a deque whose ends wrap */

/* ---- every task once ------------------------------------------------------------------------------ */

TEST(empty_deques_end)
{
    struct gravel_steal *steal = steal_make(3, 8);
    steal_launch(steal, 1, TREE);
    struct gravel_steal_stats stats = steal_stats_of(steal);
    assert_int_equal(stats.done, 0);
    assert_int_equal(stats.left, 0);
    steal_expect_ledger(0, 0);
    OK(gravel_steal_destroy(steal));
}

TEST(one_task_runs_once)
{
    struct gravel_steal *steal = steal_make(3, 8);
    const uint64_t task = 0;
    OK(gravel_steal_fill_at(steal, 2, &task, 1));
    assert_int_equal(steal_stats_of(steal).left, 1);
    steal_launch(steal, 1, TREE);
    struct gravel_steal_stats stats = steal_stats_of(steal);
    assert_int_equal(stats.done, 1);
    assert_int_equal(stats.most, 1);
    assert_int_equal(stats.left, 0);
    steal_expect_ledger(1, 1);
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

TEST(tasks_are_shared_out_evenly)
{
    struct gravel_steal_stats stats;
    struct gravel_steal *steal = steal_make(3, 8);
    OK(steal_fill(steal, 0, 8));
    for (uint32_t group = 0; group < 3 && !tested.is_list; group++) {
        OK(gravel_steal_stats_read(steal, &stats, sizeof stats, group));
        assert_in_range(stats.left, 2, 3);
    }
    steal_launch(steal, 8, PLAIN);
    expect_error(gravel_steal_stats_read(steal, &stats, sizeof stats, 3), GRAVEL_EINVAL,
                 "group 3 of 3");
    uint64_t newer[sizeof stats / 8 + 1] = {[sizeof stats / 8] = 77};
    OK(gravel_steal_stats_read(steal, (struct gravel_steal_stats *)newer, sizeof newer,
                               GRAVEL_ALL_GROUPS));
    assert_int_equal(newer[0], 8);
    assert_int_equal(newer[sizeof stats / 8], 0);
    expect_error(gravel_steal_stats_read(steal, &stats, 4, GRAVEL_ALL_GROUPS), GRAVEL_EINVAL,
                 "gravel_steal_stats_read: 4 bytes of statistics");
    OK(gravel_steal_destroy(steal));
    steal_expect_ledger(8, 1);
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

/* ---- ends that wrap ---------------------------------------------------------------------------------- */

/* All deques empty, ends just below 2^32. */
static void start_far(struct gravel_steal *steal)
{
    for (uint32_t i = 0; i < steal->options.n_groups; i++) {
        struct gravelp_deque *deque = &steal->deques[i];
        deque->head = deque->tail = UINT32_MAX - i;
    }
    OK(gravel_steal_write_deques(steal));
}

TEST(ends_wrap_at_32_bits)
{
    struct gravel_steal *steal = steal_make(3, FAR_TASKS);
    start_far(steal);
    for (cl_uint turn = 0; turn < 3; turn++) {
        OK(steal_fill(steal, 0, 3 * FAR_TASKS));
        steal_launch(steal, 3 * FAR_TASKS, PLAIN);
    }
    assert_int_equal(steal_stats_of(steal).left, 0);
    steal_expect_ledger(3 * FAR_TASKS, 3);
    if (!tested.is_list) {
        const uint64_t root = 0;
        start_far(steal);
        OK(gravel_steal_fill_at(steal, 2, &root, 1));
        steal_launch(steal, 20, TREE);
        assert_int_equal(steal_stats_of(steal).left, 0);
        steal_expect_ledger(20, 1);
    }
    OK(gravel_steal_destroy(steal));
}

/* ---- beyond the capacity ----------------------------------------------------------------------------- */

static void flood(struct gravel_steal *steal, cl_uint n)
{
    const uint64_t root = 0;
    OK(gravel_steal_fill_at(steal, 0, &root, 1));
    steal_launch(steal, n, FLOOD);
}

TEST(push_up_to_the_capacity)
{
    struct gravel_steal *steal = steal_make(1, 64);
    if (!tested.is_list) {
        flood(steal, 65); /* the root has left its slot */
        assert_int_equal(steal_stats_of(steal).done, 65);
        steal_expect_ledger(65, 1);
    }
    OK(gravel_steal_destroy(steal));
}

/* The offer of the older half makes room for 16 more, but not for all. */
TEST(push_beyond_the_capacity)
{
    struct gravel_steal *steal = steal_make(1, 64);
    struct gravel_steal_stats stats;
    if (!tested.is_list) {
        flood(steal, 65 + 16);
        if (tested.has_thieves) {
            assert_int_equal(steal_stats_of(steal).done, 81);
            assert_int_equal(steal_stats_of(steal).offers, 1);
            steal_expect_ledger(81, 1);
        } else {
            expect_error(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS),
                         GRAVEL_EKERNEL, "group 0: a push beyond");
            assert_int_equal(stats.left, 64);
            assert_int_equal(stats.done, 1);
            steal_clear_ledger();
            steal_launch(steal, 0, PLAIN); /* what is left can still run */
            assert_int_equal(steal_stats_of(steal).left, 0);
            steal_clear_ledger();
        }
        flood(steal, 1000);
        expect_error(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS),
                     GRAVEL_EKERNEL, "its deque, 64 tasks");
        steal_clear_ledger();
    }
    OK(gravel_steal_destroy(steal));
}

/* ---- options ------------------------------------------------------------------------------------ */

TEST(defaults_are_chosen)
{
    struct gravel_steal *steal = NULL;
    OK(gravel_steal_create(&steal, tested.gravel, NULL));
    assert_true(gravel_steal_n_groups(steal) >= 1);
    OK(steal_fill(steal, 0, 100));
    steal_launch(steal, 100, PLAIN);
    OK(gravel_steal_destroy(steal));
    steal_expect_ledger(100, 1);
}

/* ---- an event of the end -------------------------------------------------------------------------------- */

TEST(launch_gives_its_end)
{
    cl_event end = NULL;
    cl_uint n = 5, mode = PLAIN;
    struct gravel_steal *steal = steal_make(2, 8);
    OK(steal_fill(steal, 0, 5));
    clSetKernelArg(tested.kernel, 2, sizeof n, &n);
    clSetKernelArg(tested.kernel, 3, sizeof mode, &mode);
    OK(gravel_steal_launch(steal, tested.kernel, 0, NULL, &end));
    assert_non_null(end);
    assert_int_equal(clWaitForEvents(1, &end), CL_SUCCESS);
    clReleaseEvent(end);
    OK(gravel_quiet(tested.gravel));
    steal_expect_ledger(5, 1);
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

const struct fixture fixture = {.open = steal_set_up, .close = steal_tear_down};
