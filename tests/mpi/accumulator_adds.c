/* SPDX-License-Identifier: MIT */
/*
 * Kernels that add to words by accumulators.
 *
 * Path: accumulator.h -> this -> kernels/adds.cl
 * Threads: main's.
 */
#include "accumulator.h"

struct gravel *gravel;
uint32_t node, n_nodes, n_adders;

extern const char adds_cl[]; /* kernels/adds.cl */

cl_kernel one;

void build_adders(void)
{
    cl_program program = build_or_die(gravel, adds_cl, NULL);
    one = kernel_or_die(gravel, program, "one");
    clReleaseProgram(program);
}

void release_adders(void)
{
    clReleaseKernel(one);
}

void add_one(const struct gravel_accumulator *accumulator, uint64_t index, uint32_t value,
             uint64_t owner, size_t n)
{
    const cl_ulong place[] = {index, owner};
    const cl_uint number = value;
    OK(gravel_kernel_set_accumulator(accumulator, one, 1));
    MUST(clSetKernelArg(one, 2, sizeof *place, &place[0]) == CL_SUCCESS);
    MUST(clSetKernelArg(one, 3, sizeof number, &number) == CL_SUCCESS);
    MUST(clSetKernelArg(one, 4, sizeof *place, &place[1]) == CL_SUCCESS);
    OK(gravel_launch(gravel, one, 1, &n, NULL, 0, NULL, NULL));
}

struct gravel_accumulator *create(uint64_t offset, uint64_t n, uint32_t op, uint32_t type)
{
    struct gravel_accumulator *accumulator;
    OK(gravel_accumulator_create(&accumulator, gravel, offset, n, op, type));
    return accumulator;
}

bool has_shadow(void)
{
    return n_nodes > 1 || gravel_config_of(gravel)->check;
}
