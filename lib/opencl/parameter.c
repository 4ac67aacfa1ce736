/* SPDX-License-Identifier: MIT */
/*
 * Reads what a kernel takes. Drivers know the name of a parameter's type, and PoCL takes an argument of any size for a
 * type that the program defines; so a second program says the sizes of such types.
 *
 * Path:    gravel_kernel_set_arena, gravel_kernel_parameters -> this -> clGetKernelArgInfo.
 */
#include "opencl/objects.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t bytes;
} numbers[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},   {"uint", 4},
               {"long", 8}, {"ulong", 8}, {"half", 2},  {"float", 4},  {"double", 8}};
#define N_NUMBERS (sizeof numbers / sizeof *numbers)

static const char arena[] = "gravel_arena_"; /* as GRAVEL_ARENA declares it */

/* @return bytes of a number or a vector of numbers; 0 of another type. */
static uint32_t type_bytes(const char *type)
{
    size_t n_letters = strcspn(type, "0123456789");
    uint32_t width = type[n_letters] ? (uint32_t)strtoul(type + n_letters, NULL, 10) : 1;
    for (size_t i = 0; i < N_NUMBERS; i++)
        if (strlen(numbers[i].name) == n_letters && !strncmp(type, numbers[i].name, n_letters))
            return numbers[i].bytes * (width == 3 ? 4 : width);
    return 0;
}

/* @param out  [out] as much of it as there is room. @return false if the driver does not know it. */
static bool ask(cl_kernel kernel, cl_uint i, cl_kernel_arg_info what, char out[128])
{
    char text[1024] = "";
    if (clGetKernelArgInfo(kernel, i, what, sizeof text, text, NULL) != CL_SUCCESS)
        return false;
    snprintf(out, 128, "%.127s", text);
    return true;
}

/* Reads what the driver says; of a program without -cl-kernel-arg-info it says nothing. */
static void read_one(cl_kernel kernel, cl_uint i, struct gravel_parameter *out)
{
    cl_kernel_arg_address_qualifier at = 0;
    *out = (struct gravel_parameter){.kind = GRAVEL_PARAMETER_UNKNOWN};
    if (clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof at, &at, NULL) ||
        !ask(kernel, i, CL_KERNEL_ARG_NAME, out->name) ||
        !ask(kernel, i, CL_KERNEL_ARG_TYPE_NAME, out->type))
        return;
    static const char prefix[] = "unsigned ", accumulator[] = "gravelp_accumulator*";
    char *sign = strstr(out->type, prefix);
    if (sign) { /* "unsigned int" as "uint" */
        *sign = 'u';
        memmove(sign + 1, sign + strlen(prefix), strlen(sign + strlen(prefix)) + 1);
    }
    const size_t length = strlen(out->type), n_end = strlen(accumulator);
    if (strcmp(out->name, arena) == 0)
        out->kind = GRAVEL_PARAMETER_ARENA;
    else if (length >= n_end && strcmp(out->type + length - n_end, accumulator) == 0)
        out->kind = GRAVEL_PARAMETER_ACCUMULATOR;
    else if (at == CL_KERNEL_ARG_ADDRESS_LOCAL)
        out->kind = GRAVEL_PARAMETER_LOCAL;
    else if (at != CL_KERNEL_ARG_ADDRESS_PRIVATE || strcmp(out->type, "sampler_t") == 0)
        out->kind = GRAVEL_PARAMETER_OBJECT;
    else
        out->kind = GRAVEL_PARAMETER_VALUE;
    if (out->kind == GRAVEL_PARAMETER_VALUE)
        out->value_bytes = type_bytes(out->type);
}

/* ---- types that the program defines ---------------------------------------------------------- */

static bool is_defined(const struct gravel_parameter *parameter)
{
    bool is_whole = strlen(parameter->type) < sizeof parameter->type - 1;
    return parameter->kind == GRAVEL_PARAMETER_VALUE && !parameter->value_bytes && is_whole;
}

/* Writes a kernel for each such type, whose required group has the type's bytes, and its number, from 2 on. */
static void write_probes(FILE *out, const struct gravel_device *device,
                         const struct gravel_parameter *parameters, cl_uint n)
{
    for (cl_uint i = 0; i < n; i++) {
        const char *type = parameters[i].type;
        if (!is_defined(&parameters[i]))
            continue;
        fprintf(out, "\n__kernel __attribute__((reqd_work_group_size(sizeof(%s), 1", type);
        for (uint32_t j = 0; j < N_NUMBERS; j++)
            if (strcmp(numbers[j].name, "half") != 0 &&
                (device->capability.has_double || strcmp(numbers[j].name, "double") != 0))
                fprintf(out, " + %u * __builtin_types_compatible_p(%s, %s)", j + 1, type,
                        numbers[j].name);
        fprintf(out, ", 1))) void gravelp_parameter_%u(void) {}\n", i);
    }
}

static void take_answer(const struct gravel_device *device, cl_program probes, cl_uint i,
                        struct gravel_parameter *out)
{
    size_t group[3] = {0, 0, 0};
    char name[32];
    cl_kernel probe = NULL;
    snprintf(name, sizeof name, "gravelp_parameter_%u", i);
    if (gravel_cl_kernel_create(device, probes, name, NULL, &probe))
        return;
    if (clGetKernelWorkGroupInfo(probe, device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group,
                                 group, NULL) == CL_SUCCESS) {
        out->value_bytes = (uint32_t)group[0];
        if (group[1] >= 2 && group[1] < 2 + N_NUMBERS)
            snprintf(out->type, sizeof out->type, "%s", numbers[group[1] - 2].name);
    }
    gravel_cl_kernel_release(probe);
}

/* Asks the compiler for sizes of types; one that it does not say is not compared. */
static int ask_compiler(const struct gravel_device *device, cl_program program,
                        struct gravel_parameter *parameters, cl_uint n)
{
    char *text = NULL;
    size_t own_bytes = 0, bytes;
    clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &own_bytes);
    char *own = calloc(1, own_bytes + 1);
    if (own && own_bytes)
        clGetProgramInfo(program, CL_PROGRAM_SOURCE, own_bytes, own, NULL);
    FILE *out = own ? open_memstream(&text, &bytes) : NULL;
    if (out) {
        fputs(own, out);
        write_probes(out, device, parameters, n);
        fclose(out);
    }
    free(own);
    char *options = gravel_cl_program_text(device, program, CL_PROGRAM_BUILD_OPTIONS);
    int code = text && options ? 0 : gravel_fail(GRAVEL_ENOMEM, "text of a program for sizes");
    cl_int error = CL_SUCCESS;
    cl_program probes = NULL;
    if (!code)
        probes = clCreateProgramWithSource(device->context, 1, (const char **)&text, NULL, &error);
    if (probes && gravel_cl_program_build(device, probes, options) == CL_SUCCESS)
        for (cl_uint i = 0; i < n; i++)
            if (is_defined(&parameters[i]))
                take_answer(device, probes, i, &parameters[i]);
    gravel_cl_program_release(probes);
    free(options);
    free(text);
    return code;
}

int gravel_parameters_read(const struct gravel_device *device, cl_kernel kernel,
                           struct gravel_parameter *parameters, cl_uint n)
{
    bool has_defined = false;
    cl_program program = NULL;
    for (cl_uint i = 0; i < n; i++) {
        read_one(kernel, i, &parameters[i]);
        has_defined |= is_defined(&parameters[i]);
    }
    if (!has_defined ||
        clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(cl_program), &program, NULL))
        return 0;
    return ask_compiler(device, program, parameters, n);
}

int gravel_parameter_check(const char *call, cl_kernel kernel, cl_uint index, uint32_t kind)
{
    const char *what = kind == GRAVEL_PARAMETER_ARENA ? "GRAVEL_ARENA" : "GRAVEL_ACCUMULATOR";
    struct gravel_parameter given, other;
    cl_uint n = 0;
    read_one(kernel, index, &given);
    if (given.kind == kind || given.kind == GRAVEL_PARAMETER_UNKNOWN)
        return 0;
    clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL);
    for (cl_uint i = 0; i < n; i++) {
        read_one(kernel, i, &other);
        if (other.kind == kind)
            return gravel_fail(GRAVEL_EINVAL, "%s: argument %u is %s %s; %s is argument %u", call,
                               index, given.type, given.name, what, i);
    }
    if (strcmp(given.type, "void*") == 0)
        return 0; /* the program declares the argument without the macro */
    return gravel_fail(GRAVEL_EINVAL, "%s: argument %u is %s %s; the kernel has no %s", call, index,
                       given.type, given.name, what);
}
