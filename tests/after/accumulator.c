/* SPDX-License-Identifier: MIT */
/*
 * Accumulators after an error: no word is lost, and none is applied twice.
 *
 * Path: main.c -> this -> lib/accumulate
 */
#include "after.h"

#include <gravel/accumulator.h>

#define N 4096u

static uint64_t words;
static struct gravel_accumulator *accumulator;
static cl_program program;

static const char source[] = "#include \"gravel.cl.h\"\n"
                             "#include \"accumulator.cl.h\"\n"
                             "kernel void add(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a), uint n_nodes)\n"
                             "{\n"
                             "    GRAVEL_OPEN(g);\n"
                             "    const uint i = get_global_id(0);\n"
                             "    gravel_accumulate_uint_wi(g, a, i, 1u, i % n_nodes);\n"
                             "}\n";

static void make(struct gravel *gravel)
{
    words = alloc_or_die(gravel, N * sizeof(uint32_t));
    OK(gravel_accumulator_create(&accumulator, gravel, words, N, GRAVEL_ADD, GRAVEL_UINT));
    program = build_or_die(gravel, source, NULL);
}

/* Each process adds 1 to N words. */
static void add(struct gravel *gravel)
{
    const cl_uint n_nodes = gravel_n_nodes(gravel);
    cl_kernel kernel = kernel_or_die(gravel, program, "add");
    OK(gravel_kernel_set_accumulator(accumulator, kernel, 1));
    MUST(clSetKernelArg(kernel, 2, sizeof n_nodes, &n_nodes) == CL_SUCCESS);
    const size_t global = N, local = 64;
    OK(gravel_launch(gravel, kernel, 1, &global, &local, 0, NULL, NULL));
    clReleaseKernel(kernel);
}

static void make_and_add(struct gravel *gravel)
{
    make(gravel);
    add(gravel);
}

static int flush(struct gravel *gravel)
{
    (void)gravel;
    return gravel_accumulator_flush(accumulator);
}

/* Whatever failed: flushed again, all words have arrived; or the node has ended, and every call says so. */
static void all_or_the_end(struct gravel *gravel, int code)
{
    (void)code;
    code = gravel_accumulator_flush(accumulator);
    int destroyed = gravel_accumulator_destroy(accumulator), ended = gravel_barrier(gravel);
    MUST(ended || (!code && !destroyed));
    clReleaseProgram(program);
    const uint32_t n_adders = gravel_is_local(gravel, gravel_n_nodes(gravel) - 1) ? 1 : 0;
    if (!ended && n_adders && gravel_is_local(gravel, 0))
        MUST(after_sum(gravel, words, N) == N);
    if (!ended)
        OK(gravel_free(gravel, words));
}

const struct after_row accumulator_rows[] = {
    {"accumulator", "a call of the driver fails in gravel_accumulator_flush",
     "the next flush sends all", .prepare = make_and_add, .act = flush, .hold = all_or_the_end,
     .fails = AFTER_DRIVER},
    {"accumulator", "memory runs out in gravel_accumulator_flush", "the next flush sends all",
     .prepare = make_and_add, .act = flush, .hold = all_or_the_end, .fails = AFTER_MEMORY},
    {0},
};
