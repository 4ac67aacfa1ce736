/* SPDX-License-Identifier: MIT */
/*
 * Kernels from their bodies alone. See bodies.h.
 */
#include "bodies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The section that BODY fills; the linker names its ends. None if the program has no BODY. */
extern const char *const __start_test_bodies[] __attribute__((weak));
extern const char *const __stop_test_bodies[] __attribute__((weak));

/* The bodies' program for a node: the context, which the program keeps, distinguishes it from a node that had its address. */
static struct {
    const struct gravel *gravel;
    cl_context context;
    cl_program program;
} built[2];
static unsigned n_built;

/* The first of the bodies that is this text; -1 if none is. */
static long find_body(const char *text)
{
    for (const char *const *body = __start_test_bodies; body != __stop_test_bodies; body++)
        if (!strcmp(*body, text))
            return body - __start_test_bodies;
    return -1;
}

static void write_kernel(FILE *out, const char *name, const char *body)
{
    fprintf(out,
            "kernel void %s(GRAVEL_ARENA, ulong a, ulong b, ulong c, ulong row, ulong plane)\n"
            "{\n"
            "    GRAVEL_OPEN(g);\n"
            "    uint i = (uint)(get_global_id(0) + get_global_id(1) * row +\n"
            "                    get_global_id(2) * plane);\n"
            "#line 7\n"
            "    %s\n"
            "}\n",
            name, body);
}

/* A program of this body, or of all that are marked. */
static cl_program build(struct gravel *gravel, const char *own)
{
    char *source = NULL, name[32];
    size_t bytes;
    FILE *out = open_memstream(&source, &bytes);
    MUST(out);
    fprintf(out, "#include \"gravel.cl.h\"\n#include \"subgroup.cl.h\"\n");
    if (own)
        write_kernel(out, "body", own);
    for (long i = 0; !own && i < __stop_test_bodies - __start_test_bodies; i++) {
        snprintf(name, sizeof name, "body_%ld", i);
        if (find_body(__start_test_bodies[i]) == i)
            write_kernel(out, name, __start_test_bodies[i]);
    }
    fclose(out);
    cl_program program = build_or_die(gravel, source, NULL);
    free(source);
    return program;
}

static cl_program all_bodies(struct gravel *gravel)
{
    cl_context context = gravel_cl_context(gravel);
    for (unsigned i = 0; i < 2; i++)
        if (built[i].gravel == gravel && built[i].context == context)
            return built[i].program;
    unsigned place = n_built++ % 2;
    if (built[place].program)
        clReleaseProgram(built[place].program);
    built[place].gravel = gravel;
    built[place].context = context;
    return built[place].program = build(gravel, NULL);
}

static cl_kernel make_kernel(struct gravel *gravel, const char *body)
{
    char name[32];
    long place = find_body(body);
    if (place >= 0) {
        snprintf(name, sizeof name, "body_%ld", place);
        return kernel_or_die(gravel, all_bodies(gravel), name);
    }
    cl_program program = build(gravel, body);
    cl_kernel kernel = kernel_or_die(gravel, program, "body");
    clReleaseProgram(program);
    return kernel;
}

cl_kernel body_kernel(struct gravel *gravel, const char *body, const uint64_t arguments[3])
{
    cl_kernel kernel = make_kernel(gravel, body);
    for (cl_uint i = 0; i < 3; i++)
        MUST(clSetKernelArg(kernel, i + 1, sizeof(cl_ulong), &arguments[i]) == CL_SUCCESS);
    set_body_size(kernel, 0, 0);
    return kernel;
}

void set_body_size(cl_kernel kernel, uint64_t width, uint64_t height)
{
    const cl_ulong row = width, plane = width * height;
    MUST(clSetKernelArg(kernel, 4, sizeof row, &row) == CL_SUCCESS);
    MUST(clSetKernelArg(kernel, 5, sizeof plane, &plane) == CL_SUCCESS);
}

int run_body(struct gravel *gravel, const char *body, size_t global_size, size_t local_size,
             uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t arguments[3] = {a, b, c};
    cl_kernel kernel = body_kernel(gravel, body, arguments);
    int code = run_kernel(gravel, kernel, global_size, local_size);
    clReleaseKernel(kernel);
    return code;
}
