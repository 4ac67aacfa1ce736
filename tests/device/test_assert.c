/* SPDX-License-Identifier: MIT */
/*
  * An assertion of a kernel that fails, and a trap, end the node with an error that names work-item, node, file, line
 * and text, of the first that failed; the kernel runs on, and the context survives.
 *
 * Path: meson test -> this -> cl/print.cl.h, lib/aggregate/fault.c, lib/pump/move.c
 */
#include "expect.h"

#define FILE_64 "programs/of/a/long/name/0123456789012345678901234567890123456789"

extern const char assert_cl[]; /* kernels/assert.cl */

static cl_kernel build(struct gravel *gravel, const char *file, const char *options,
                       const char *name)
{
    cl_program program;
    OK(gravel_program_build(gravel, file, assert_cl, options, &program));
    cl_kernel kernel = kernel_or_die(gravel, program, name);
    clReleaseProgram(program);
    return kernel;
}

/* A kernel without arguments ends a node of its own so. */
static void expect_end(const char *file, const char *options, const char *name, const char *part)
{
    struct gravel *gravel = open_loopback(1, NULL);
    cl_kernel kernel = build(gravel, file, options, name);
    expect_error(run_kernel(gravel, kernel, 256, 64), GRAVEL_EKERNEL, part);
    clReleaseKernel(kernel);
    expect_error(gravel_close(gravel), GRAVEL_EKERNEL, part);
}

/* Work-item (x, y, z) of (8, 8, 8) fails. @return what the launch or the barrier met */
static int run_grid(struct gravel *gravel, cl_kernel kernel, cl_uint x, cl_uint y, cl_uint z)
{
    const size_t global[] = {8, 8, 8}, local[] = {4, 4, 2};
    SET(kernel, 1, x);
    SET(kernel, 2, y);
    SET(kernel, 3, z);
    const int code = gravel_launch(gravel, kernel, 3, global, local, 0, NULL, NULL);
    return code ? code : gravel_barrier(gravel);
}

TEST(a_failure_names_work_item_node_file_line_and_condition)
{
    static const char part[] =
        "work-item at (5, 6, 7) of node 0: grid.cl, line 16: assertion failed: !is_wrong";
    struct gravel *gravel = open_loopback(1, NULL);
    cl_kernel kernel = build(gravel, "grid.cl", "", "grid");
    OK(run_grid(gravel, kernel, 8, 8, 8));
    expect_error(run_grid(gravel, kernel, 5, 6, 7), GRAVEL_EKERNEL, part);
    expect_error(gravel_barrier(gravel), GRAVEL_EKERNEL, part);
    clReleaseKernel(kernel);
    expect_error(gravel_close(gravel), GRAVEL_EKERNEL, part);
}

TEST(a_trap_has_its_own_text)
{
    expect_end("trap.cl", "", "trap",
               "work-item at (70) of node 0: trap.cl, line 35: 100 % of seventy");
    expect_end("trap.cl", "-DNDEBUG", "trap", "trap.cl, line 35: 100 % of seventy");
}

TEST(texts_are_cut_and_names_lose_their_head)
{
    expect_end(FILE_64, "", "longest_text", "node 0: rograms/of/");
    expect_end(FILE_64, "", "longest_text", "6789, line 45: 0123");
    expect_end("a", "", "longest_text", "9abcdef0123456789abcde");
    expect_end("a", "", "cut_text", "cdef0123456789abcdef...");
    assert_null(strstr(gravel_last_error(), "abcdefx"));
}

/* ---- the kernel runs on ------------------------------------------------------------------------ */

#define N_ITEMS 256u

/* On a context that outlives its node. @return what the barrier met. */
static int run_on(const char *options, cl_uint held[N_ITEMS])
{
    cl_int error, failed;
    struct gravel *gravel = open_loopback(1, NULL);
    cl_context context = gravel_cl_context(gravel);
    clRetainContext(context);
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(context, gravel_cl_device(gravel), NULL, &failed);
    uint64_t word = alloc_or_die(gravel, 64);
    memset(held, 0, N_ITEMS * sizeof *held);
    cl_mem memory =
        clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, N_ITEMS * sizeof *held, held, &error);
    MUST(error == CL_SUCCESS && failed == CL_SUCCESS);
    cl_kernel kernel = build(gravel, "on.cl", options, "runs_on");
    SET(kernel, 1, word);
    SET(kernel, 2, memory);
    int code = run_kernel(gravel, kernel, N_ITEMS, 64);
    if (code)
        expect_error(code, GRAVEL_EKERNEL, "on.cl, line 26: assertion failed: n++ < i % 2");
    else
        assert_int_equal(word32(gravel, 0, word), 2 * N_ITEMS);
    clReleaseKernel(kernel);
    assert_int_equal(gravel_close(gravel), code);
    assert_int_equal(
        clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, N_ITEMS * sizeof *held, held, 0, NULL, NULL),
        CL_SUCCESS);
    clReleaseCommandQueue(queue);
    clReleaseMemObject(memory);
    clReleaseContext(context);
    return code;
}

TEST(the_kernel_runs_on_and_the_context_survives)
{
    cl_uint held[N_ITEMS];
    assert_int_equal(run_on("", held), GRAVEL_EKERNEL);
    for (uint32_t i = 0; i < N_ITEMS; i++)
        assert_int_equal(held[i], 12 + i % 2);
    struct gravel *gravel = scoped_loopback(1, NULL);
    expect_works(gravel);
}

TEST(without_assertions_conditions_are_evaluated_once)
{
    cl_uint held[N_ITEMS];
    assert_int_equal(run_on("-DNDEBUG", held), 0);
    for (uint32_t i = 0; i < N_ITEMS; i++)
        assert_int_equal(held[i], 12 + i % 2);
}

const struct fixture fixture = {.limit_s = 120};
