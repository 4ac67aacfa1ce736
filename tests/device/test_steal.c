/* SPDX-License-Identifier: MIT */
/*
 * Deques that a kernel runs: every task exactly once, at the edges of a ring and among more groups than fit; what is
 * refused, and what a kernel that goes wrong is told. The environment's GRAVEL_STEAL_POLICY says by which policy.
 *
 * One kernel does everything, for compiling it takes most of the time.
 *
 * Path: meson test -> this -> lib/steal, cl/steal.cl.h
 */
#include "expect.h"

#include <stdlib.h>

#include "steal/steal.h"

#define GROUP 16u
#define MOST_TASKS 100000u
#define LEDGER_TASKS 10000000u /* of `test_device_steal ledger` */
#define FAR_TASKS 8u           /* of a deque whose ends wrap */

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
    "kernel void none(global uint *ledger, uint n)\n"
    "{\n"
    "    ledger[n] = 0;\n"
    "}\n";

enum { TREE, TREE_WI, TREE_LOOK, FLOOD, BREAK, RETURN, PLAIN };

static struct gravel *gravel;
static cl_program program;
static cl_kernel kernel;
static cl_mem ledger;
static cl_uint n_words = MOST_TASKS; /* of the ledger */
static bool is_list, has_thieves, is_abp;

static void clear_ledger(void)
{
    const cl_uint zero = 0;
    assert_int_equal(clEnqueueFillBuffer(gravel_cl_queue(gravel), ledger, &zero, sizeof zero, 0,
                                         n_words * sizeof zero, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_int_equal(clFinish(gravel_cl_queue(gravel)), CL_SUCCESS);
}

static int set_up(void **state)
{
    (void)state;
    cl_int error;
    setenv("GRAVEL_TIMEOUT", "1000", 0); /* of groups that wait for one that has returned */
    gravel = open_loopback(1, NULL);
    const char *policy = gravel_config(gravel)->steal_policy;
    is_list = !strcmp(policy, "counter") || !strcmp(policy, "device");
    has_thieves = !strcmp(policy, "promoted") || !strcmp(policy, "steal-only");
    is_abp = !strcmp(policy, "steal-only") || !strcmp(policy, "baseline") ||
             !strcmp(policy, "scope-only");
    OK(gravel_program_build(gravel, "steal_test.cl", source, is_list ? "" : "-DHAS_PUSHES",
                            &program));
    kernel = clCreateKernel(program, "work", &error);
    ledger = clCreateBuffer(gravel_cl_context(gravel), CL_MEM_READ_WRITE, n_words * sizeof(cl_uint),
                            NULL, &error);
    clSetKernelArg(kernel, 1, sizeof ledger, &ledger);
    clear_ledger();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    clReleaseMemObject(ledger);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return gravel_close(gravel);
}

static struct gravel_steal *make(uint32_t n_groups, uint32_t capacity)
{
    struct gravel_steal *steal = NULL;
    const struct gravel_steal_options options = {
        .n_groups = n_groups, .group_size = GROUP, .capacity = capacity};
    OK(gravel_steal_create(&steal, gravel, &options));
    return steal;
}

static void launch(struct gravel_steal *steal, cl_uint n, cl_uint mode)
{
    clSetKernelArg(kernel, 2, sizeof n, &n);
    clSetKernelArg(kernel, 3, sizeof mode, &mode);
    OK(gravel_steal_launch(steal, kernel, 0, NULL, NULL));
}

/* Tasks first to first + n - 1, evenly. */
static int fill_with(struct gravel_steal *steal, uint64_t first, uint64_t n)
{
    uint64_t *tasks = calloc(n ? n : 1, sizeof *tasks);
    for (uint64_t i = 0; i < n; i++)
        tasks[i] = first + i;
    int code = gravel_steal_fill(steal, tasks, n);
    free(tasks);
    return code;
}

/* Each of n tasks has run `times` times, and no other has run. */
static void expect_ledger(cl_uint n, cl_uint times)
{
    cl_uint *counts = calloc(n_words, sizeof *counts);
    assert_int_equal(clEnqueueReadBuffer(gravel_cl_queue(gravel), ledger, CL_TRUE, 0,
                                         n_words * sizeof *counts, counts, 0, NULL, NULL),
                     CL_SUCCESS);
    for (cl_uint i = 0; i < n_words; i++)
        if (counts[i] != (i < n ? times : 0))
            fail_msg("task %u of %u ran %u times", i, n, counts[i]);
    free(counts);
    clear_ledger();
}

static struct gravel_steal_stats stats_of(struct gravel_steal *steal)
{
    struct gravel_steal_stats stats;
    OK(gravel_steal_stats(steal, &stats));
    return stats;
}

/* ---- every task once ------------------------------------------------------------------------------ */

static void empty_deques_end(void **state)
{
    (void)state;
    struct gravel_steal *steal = make(3, 8);
    launch(steal, 1, TREE);
    struct gravel_steal_stats stats = stats_of(steal);
    assert_int_equal(stats.done, 0);
    assert_int_equal(stats.left, 0);
    expect_ledger(0, 0);
    OK(gravel_steal_destroy(steal));
}

static void one_task_runs_once(void **state)
{
    (void)state;
    struct gravel_steal *steal = make(3, 8);
    const uint64_t task = 0;
    OK(gravel_steal_fill_at(steal, 2, &task, 1));
    assert_int_equal(stats_of(steal).left, 1);
    launch(steal, 1, TREE);
    struct gravel_steal_stats stats = stats_of(steal);
    assert_int_equal(stats.done, 1);
    assert_int_equal(stats.most, 1);
    assert_int_equal(stats.left, 0);
    expect_ledger(1, 1);
    OK(gravel_steal_destroy(steal));
}

static void full_deques_run_and_take_no_more(void **state)
{
    (void)state;
    struct gravel_steal *steal = make(3, 8);
    OK(fill_with(steal, 0, 24));
    expect_error(fill_with(steal, 24, 1), GRAVEL_ERANGE, is_list ? "24 of 24" : "8 of 8");
    if (!is_list) {
        const uint64_t more[2] = {30, 31};
        expect_error(gravel_steal_fill_at(steal, 1, more, 2), GRAVEL_ERANGE, "group 1");
    }
    launch(steal, 24, PLAIN);
    assert_int_equal(stats_of(steal).done, 24);
    expect_ledger(24, 1);
    OK(fill_with(steal, 0, 24)); /* from here on the rings wrap */
    OK(gravel_steal_stats_reset(steal));
    launch(steal, 24, PLAIN);
    assert_int_equal(stats_of(steal).done, 24);
    expect_ledger(24, 1);
    OK(gravel_steal_destroy(steal));
}

static void tasks_are_shared_out_evenly(void **state)
{
    (void)state;
    struct gravel_steal_stats stats;
    struct gravel_steal *steal = make(3, 8);
    OK(fill_with(steal, 0, 8));
    for (uint32_t group = 0; group < 3 && !is_list; group++) {
        OK(gravel_steal_group_stats(steal, group, &stats));
        assert_in_range(stats.left, 2, 3);
    }
    launch(steal, 8, PLAIN);
    expect_error(gravel_steal_group_stats(steal, 3, &stats), GRAVEL_EINVAL, "group 3 of 3");
    OK(gravel_steal_destroy(steal));
    expect_ledger(8, 1);
}

static void run_tree(uint32_t n_groups, uint32_t capacity, cl_uint n, cl_uint mode)
{
    struct gravel_steal *steal = make(n_groups, capacity);
    const uint64_t root = 0;
    for (cl_uint turn = 0; turn < 3; turn++) {
        if (is_list)
            OK(fill_with(steal, 0, n));
        else
            OK(gravel_steal_fill_at(steal, 0, &root, 1));
        launch(steal, n, mode);
    }
    struct gravel_steal_stats stats = stats_of(steal);
    assert_int_equal(stats.done, 3 * n);
    assert_int_equal(stats.left, 0);
    assert_true(has_thieves || (stats.stolen == 0 && stats.offers == 0));
    expect_ledger(n, 3);
    OK(gravel_steal_destroy(steal));
}

static void tree_of_one_group(void **state)
{
    (void)state;
    run_tree(1, 4096, 4000, TREE);
}

static void tree_of_two_groups(void **state)
{
    (void)state;
    run_tree(2, 65536, 30000, TREE);
}

/* More than run side by side: the later ones find what is left. */
static void tree_of_more_groups_than_fit(void **state)
{
    (void)state;
    run_tree(67, 4096, 10000, TREE);
}

static void single_work_items_push(void **state)
{
    (void)state;
    run_tree(3, 4096, 5000, TREE_WI);
}

static void long_tasks_look(void **state)
{
    (void)state;
    run_tree(3, 4096, 5000, TREE_LOOK);
}

/* ---- ends that wrap ---------------------------------------------------------------------------------- */

/* All deques empty, ends just below 2^32. */
static void start_far(struct gravel_steal *steal)
{
    for (uint32_t i = 0; i < steal->options.n_groups; i++) {
        struct gravelp_deque *deque = &steal->deques[i];
        deque->head = deque->tail = deque->top = deque->bottom = UINT32_MAX - i;
    }
    OK(gravel_steal_write_deques(steal));
}

static void ends_wrap_at_32_bits(void **state)
{
    (void)state;
    struct gravel_steal *steal = make(3, FAR_TASKS);
    start_far(steal);
    for (cl_uint turn = 0; turn < 3; turn++) {
        OK(fill_with(steal, 0, 3 * FAR_TASKS));
        launch(steal, 3 * FAR_TASKS, PLAIN);
    }
    assert_int_equal(stats_of(steal).left, 0);
    expect_ledger(3 * FAR_TASKS, 3);
    if (!is_list) {
        const uint64_t root = 0;
        start_far(steal);
        OK(gravel_steal_fill_at(steal, 2, &root, 1));
        launch(steal, 20, TREE);
        assert_int_equal(stats_of(steal).left, 0);
        expect_ledger(20, 1);
    }
    OK(gravel_steal_destroy(steal));
}

/* ---- beyond the capacity ----------------------------------------------------------------------------- */

static void flood(struct gravel_steal *steal, cl_uint n)
{
    const uint64_t root = 0;
    OK(gravel_steal_fill_at(steal, 0, &root, 1));
    launch(steal, n, FLOOD);
}

static void push_up_to_the_capacity(void **state)
{
    (void)state;
    struct gravel_steal *steal = make(1, 64);
    if (!is_list) {
        flood(steal, 65); /* the root has left its slot */
        assert_int_equal(stats_of(steal).done, 65);
        expect_ledger(65, 1);
    }
    OK(gravel_steal_destroy(steal));
}

/* The offer of the older half makes room for 16 more, but not for all. */
static void push_beyond_the_capacity(void **state)
{
    (void)state;
    struct gravel_steal *steal = make(1, 64);
    struct gravel_steal_stats stats;
    if (!is_list) {
        flood(steal, 65 + 16);
        if (has_thieves && !is_abp) {
            assert_int_equal(stats_of(steal).done, 81);
            assert_int_equal(stats_of(steal).offers, 1);
            expect_ledger(81, 1);
        } else {
            expect_error(gravel_steal_stats(steal, &stats), GRAVEL_EKERNEL,
                         "group 0: a push beyond");
            assert_int_equal(stats.left, 64);
            assert_int_equal(stats.done, 1);
            clear_ledger();
            launch(steal, 0, PLAIN); /* what is left can still run */
            assert_int_equal(stats_of(steal).left, 0);
            clear_ledger();
        }
        flood(steal, 1000);
        expect_error(gravel_steal_stats(steal, &stats), GRAVEL_EKERNEL, "its deque, 64 tasks");
        clear_ledger();
    }
    OK(gravel_steal_destroy(steal));
}

/* ---- what a kernel must not do ------------------------------------------------------------------------ */

static void kernel_that_leaves_is_told(void **state)
{
    (void)state;
    struct gravel_steal *steal = make(1, 8);
    struct gravel_steal_stats stats;
    OK(fill_with(steal, 0, 4));
    launch(steal, is_list ? 1 : 4, BREAK); /* the last task is run first */
    expect_error(gravel_steal_stats(steal, &stats), GRAVEL_EKERNEL, "left GRAVEL_STEAL_EACH");
    OK(gravel_steal_stats(steal, &stats)); /* told once */
    if (!is_list)
        assert_int_equal(stats.left, 3);
    clear_ledger();
    OK(gravel_steal_destroy(steal));
    steal = make(2, 8);
    OK(fill_with(steal, 0, 8));
    launch(steal, 8, RETURN);
    expect_error(gravel_steal_stats(steal, &stats), GRAVEL_EKERNEL, "returned within");
    clear_ledger();
    OK(gravel_steal_destroy(steal));
}

static void program_of_another_task_is_refused(void **state)
{
    (void)state;
    struct gravel_steal *steal = NULL;
    struct gravel_steal_stats stats;
    const uint32_t task[3] = {0, 0, 0};
    OK(gravel_steal_create(
        &steal, gravel,
        &(struct gravel_steal_options){
            .n_groups = 1, .group_size = GROUP, .capacity = 8, .task_bytes = 12}));
    OK(gravel_steal_fill(steal, task, 1));
    launch(steal, 1, TREE);
    expect_error(gravel_steal_stats(steal, &stats), GRAVEL_EKERNEL, "tasks of 8 bytes");
    assert_int_equal(stats.done, 0);
    OK(gravel_steal_destroy(steal));
}

static void launches_that_cannot_be(void **state)
{
    (void)state;
    cl_int error;
    struct gravel_steal *steal = make(1, 8);
    cl_kernel none = clCreateKernel(program, "none", &error);
    expect_error(gravel_steal_launch(steal, none, 0, NULL, NULL), GRAVEL_EINVAL, "no GRAVEL_STEAL");
    cl_kernel fixed = clCreateKernel(program, "fixed", &error);
    expect_error(gravel_steal_launch(steal, fixed, 0, NULL, NULL), GRAVEL_EINVAL, "8 x 1 x 1");
    expect_error(gravel_steal_launch(steal, NULL, 0, NULL, NULL), GRAVEL_EINVAL, "NULL");
    clReleaseKernel(none);
    clReleaseKernel(fixed);
    OK(gravel_steal_destroy(steal));
}

static void expect_no_deques(struct gravel_steal_options options, const char *part)
{
    struct gravel_steal *steal = (struct gravel_steal *)1;
    expect_error(gravel_steal_create(&steal, gravel, &options), GRAVEL_EINVAL, part);
    assert_null(steal);
}

static void bad_options_are_named(void **state)
{
    (void)state;
    expect_no_deques((struct gravel_steal_options){.capacity = 12}, "capacity = 12");
    expect_no_deques((struct gravel_steal_options){.capacity = 1u << 31}, "capacity = 2147483648");
    expect_no_deques((struct gravel_steal_options){.task_bytes = 6}, "task_bytes = 6");
    expect_no_deques((struct gravel_steal_options){.task_bytes = 68}, "task_bytes = 68");
    expect_no_deques((struct gravel_steal_options){.group_size = 1u << 30}, "group_size");
    expect_no_deques((struct gravel_steal_options){.n_groups = UINT32_MAX}, "n_groups");
    expect_error(gravel_steal_fill(NULL, NULL, 0), GRAVEL_EINVAL, "NULL");
    struct gravel_steal *steal = make(2, 8);
    const uint64_t task = 0;
    expect_error(gravel_steal_fill_at(steal, 2, &task, 1), GRAVEL_EINVAL, "group 2 of 2");
    expect_error(gravel_steal_fill(steal, NULL, 1), GRAVEL_EINVAL, "NULL");
    OK(gravel_steal_destroy(steal));
    OK(gravel_steal_destroy(NULL));
}

static void unknown_policy_is_refused(void **state)
{
    (void)state;
    struct gravel_config config;
    OK(gravel_config_load(&config, sizeof config));
    expect_error(gravel_config_set(&config, "steal_policy", "greedy"), GRAVEL_ECONFIG,
                 "steal-only");
}

static void defaults_are_chosen(void **state)
{
    (void)state;
    struct gravel_steal *steal = NULL;
    OK(gravel_steal_create(&steal, gravel, NULL));
    assert_true(gravel_steal_n_groups(steal) >= 1);
    OK(fill_with(steal, 0, 100));
    launch(steal, 100, PLAIN);
    OK(gravel_steal_destroy(steal));
    expect_ledger(100, 1);
}

/* ---- an event of the end -------------------------------------------------------------------------------- */

static void launch_gives_its_end(void **state)
{
    (void)state;
    cl_event end = NULL;
    cl_uint n = 5, mode = PLAIN;
    struct gravel_steal *steal = make(2, 8);
    OK(fill_with(steal, 0, 5));
    clSetKernelArg(kernel, 2, sizeof n, &n);
    clSetKernelArg(kernel, 3, sizeof mode, &mode);
    OK(gravel_steal_launch(steal, kernel, 0, NULL, &end));
    assert_non_null(end);
    assert_int_equal(clWaitForEvents(1, &end), CL_SUCCESS);
    clReleaseEvent(end);
    OK(gravel_quiet(gravel));
    expect_ledger(5, 1);
    OK(gravel_steal_destroy(steal));
}

/* ---- every one of ten million ------------------------------------------------------------------------- */

static void large_tree(void **state)
{
    (void)state;
    struct gravel_steal *steal = make(4, 65536);
    const uint64_t root = 0;
    OK(gravel_steal_fill_at(steal, 0, &root, 1));
    launch(steal, LEDGER_TASKS, TREE);
    assert_int_equal(stats_of(steal).done, LEDGER_TASKS);
    expect_ledger(LEDGER_TASKS, 1);
    OK(gravel_steal_destroy(steal));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest large[] = {cmocka_unit_test(large_tree)};
    if (argc > 1 && !strcmp(argv[1], "ledger")) {
        n_words = LEDGER_TASKS;
        return cmocka_run_group_tests(large, set_up, tear_down);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_deques_end),
        cmocka_unit_test(one_task_runs_once),
        cmocka_unit_test(full_deques_run_and_take_no_more),
        cmocka_unit_test(tasks_are_shared_out_evenly),
        cmocka_unit_test(tree_of_one_group),
        cmocka_unit_test(tree_of_two_groups),
        cmocka_unit_test(tree_of_more_groups_than_fit),
        cmocka_unit_test(single_work_items_push),
        cmocka_unit_test(long_tasks_look),
        cmocka_unit_test(ends_wrap_at_32_bits),
        cmocka_unit_test(push_up_to_the_capacity),
        cmocka_unit_test(push_beyond_the_capacity),
        cmocka_unit_test(kernel_that_leaves_is_told),
        cmocka_unit_test(program_of_another_task_is_refused),
        cmocka_unit_test(launches_that_cannot_be),
        cmocka_unit_test(bad_options_are_named),
        cmocka_unit_test(unknown_policy_is_refused),
        cmocka_unit_test(defaults_are_chosen),
        cmocka_unit_test(launch_gives_its_end),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
