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

/* A kernel without arguments ends a node of its own so. @param part  NULL: it does not. */
static void expect_end(const char *file, const char *options, const char *name, const char *part)
{
    struct gravel *gravel = open_loopback(1, NULL);
    cl_kernel kernel = build(gravel, file, options, name);
    int code = run_kernel(gravel, kernel, 256, 64);
    expect_error(code, part ? GRAVEL_EKERNEL : 0, part ? part : "");
    clReleaseKernel(kernel);
    expect_error(gravel_close(gravel), part ? GRAVEL_EKERNEL : 0, part ? part : "");
}

TEST(a_failure_names_work_item_node_file_line_and_condition)
{
    static const char part[] =
        "work-item at (5, 6, 7) of node 0: grid.cl, line 16: assertion failed: !is_wrong";
    const size_t global[] = {8, 8, 8}, local[] = {4, 4, 2};
    const cl_uint wrong[] = {5, 6, 7};
    struct gravel *gravel = open_loopback(1, NULL);
    cl_kernel kernel = build(gravel, "grid.cl", "", "grid");
    for (cl_uint d = 0; d < 3; d++)
        clSetKernelArg(kernel, d + 1, sizeof wrong[d], &wrong[d]);
    int launched = gravel_launch(gravel, kernel, 3, global, local, 0, NULL, NULL);
    if (launched)
        expect_error(launched, GRAVEL_EKERNEL, part);
    expect_error(gravel_barrier(gravel), GRAVEL_EKERNEL, part);
    clReleaseKernel(kernel);
    expect_error(gravel_close(gravel), GRAVEL_EKERNEL, part);
}

TEST(conditions_that_hold_end_nothing)
{
    const size_t global[] = {8, 8, 8}, local[] = {4, 4, 2};
    struct gravel *gravel = scoped_loopback(1, NULL);
    cl_kernel kernel = build(gravel, "grid.cl", "", "grid");
    const cl_uint nowhere = 8;
    for (cl_uint d = 0; d < 3; d++)
        clSetKernelArg(kernel, d + 1, sizeof nowhere, &nowhere);
    OK(gravel_launch(gravel, kernel, 3, global, local, 0, NULL, NULL));
    OK(gravel_barrier(gravel));
    clReleaseKernel(kernel);
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

TEST(failures_without_number_are_one)
{
    expect_end("many.cl", "", "many", NULL);
}

/* ---- the kernel runs on ------------------------------------------------------------------------ */

#define N_ITEMS 256u

static void clear(struct gravel *gravel, cl_mem memory)
{
    cl_uint none[N_ITEMS] = {0};
    cl_int error;
    cl_command_queue queue = clCreateCommandQueueWithProperties(
        gravel_cl_context(gravel), gravel_cl_device(gravel), NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    assert_int_equal(
        clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, sizeof none, none, 0, NULL, NULL),
        CL_SUCCESS);
    clReleaseCommandQueue(queue);
}

/* On a context that may outlive its node. @return what the barrier met. */
static int run_on(const char *options, cl_uint held[N_ITEMS])
{
    cl_int error;
    struct gravel *gravel = open_loopback(1, NULL);
    cl_context context = gravel_cl_context(gravel);
    cl_device_id device = gravel_cl_device(gravel);
    clRetainContext(context);
    uint64_t word = alloc_or_die(gravel, 64);
    cl_mem memory =
        clCreateBuffer(context, CL_MEM_READ_WRITE, N_ITEMS * sizeof *held, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    clear(gravel, memory);
    cl_kernel kernel = build(gravel, "on.cl", options, "runs_on");
    clSetKernelArg(kernel, 1, sizeof word, &word);
    clSetKernelArg(kernel, 2, sizeof memory, &memory);
    int code = run_kernel(gravel, kernel, N_ITEMS, 64);
    if (code)
        expect_error(code, GRAVEL_EKERNEL, "on.cl, line 26: assertion failed: n++ < i % 2");
    else
        assert_int_equal(word32(gravel, 0, word), 2 * N_ITEMS);
    clReleaseKernel(kernel);
    assert_int_equal(gravel_close(gravel), code);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
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
