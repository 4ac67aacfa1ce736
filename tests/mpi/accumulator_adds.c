/* SPDX-License-Identifier: MIT */
/*
 * Kernels that add to words by accumulators.
 *
 * Path: accumulator.h -> this -> kernels/adds.cl
 * Threads: main's.
 */
#include "accumulator.h"

#include <string.h>

struct gravel *gravel;
uint32_t node, n_nodes, n_adders;

extern const char adds_cl[]; /* kernels/adds.cl */

static cl_kernel adders[GRAVEL_DOUBLE + 1]; /* of each type, or NULL */
cl_kernel one;

void build_adders(void)
{
    static const char *const names[] = {"adds_int",   "adds_uint",  "adds_long",
                                        "adds_ulong", "adds_float", "adds_double"};
    char extensions[16384] = "";
    clGetDeviceInfo(gravel_cl_device(gravel), CL_DEVICE_EXTENSIONS, sizeof extensions - 1,
                    extensions, NULL);
    bool is_wide =
        strstr(extensions, "cl_khr_fp64") && strstr(extensions, "int64_extended_atomics");
    cl_program program = build_or_die(gravel, adds_cl, is_wide ? "-DWIDE" : "");
    for (uint32_t type = 0; type <= GRAVEL_DOUBLE; type++)
        if (is_wide || GRAVEL_TYPE_BYTES(type) == 4)
            adders[type] = kernel_or_die(gravel, program, names[type]);
    one = kernel_or_die(gravel, program, "one");
    clReleaseProgram(program);
}

void release_adders(void)
{
    for (uint32_t type = 0; type <= GRAVEL_DOUBLE; type++)
        if (adders[type])
            clReleaseKernel(adders[type]);
    clReleaseKernel(one);
}

bool has_adder(uint32_t type)
{
    return adders[type] != NULL;
}

void add_many(const struct gravel_accumulator *accumulator, uint32_t type)
{
    const size_t group = 32, global = (N_ADDS + group - 1) / group * group;
    const cl_uint arguments[] = {N_ADDS, node};
    OK(gravel_kernel_set_accumulator(accumulator, adders[type], 1));
    for (cl_uint i = 0; i < 2; i++)
        MUST(clSetKernelArg(adders[type], i + 2, sizeof *arguments, &arguments[i]) == CL_SUCCESS);
    OK(gravel_launch(gravel, adders[type], 1, &global, &group, 0, NULL, NULL));
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
