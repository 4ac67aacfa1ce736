/* SPDX-License-Identifier: MIT */
/*
 * The driver's pool of private memory. See private.h.
 */
#include "opencl/private.h"

#include "base/error.h"
#include "opencl/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUND 256u /* [bytes] */

/* A kernel by what stays the same for all objects of it. */
struct gravel_private_kernel {
    struct gravel_private_kernel *next;
    cl_program program;                  /* retained: its address means no other program */
    char name[GRAVEL_KERNEL_NAME_BYTES]; /* longer names are never known */
};

void gravel_private_init(struct gravel_private *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
}

void gravel_private_destroy(struct gravel_private *pool)
{
    while (pool->kernels) {
        struct gravel_private_kernel *kernel = pool->kernels;
        pool->kernels = kernel->next;
        clReleaseProgram(kernel->program);
        free(kernel);
    }
    pthread_mutex_destroy(&pool->lock);
}

/* ---- what kernels need --------------------------------------------------------------------------- */

uint64_t gravel_private_bytes(const struct gravel_device *device, cl_kernel kernel)
{
    cl_ulong bytes = 0;
    cl_int error = clGetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_PRIVATE_MEM_SIZE,
                                            sizeof bytes, &bytes, NULL);
    return error == CL_SUCCESS ? bytes : 0;
}

void gravel_private_note(struct gravel_private *pool, const struct gravel_device *device,
                         cl_program program)
{
    cl_uint n = 0;
    if (!pool || !pool->is_pooled || clCreateKernelsInProgram(program, 0, NULL, &n) || n == 0)
        return;
    cl_kernel *kernels = calloc(n, sizeof(cl_kernel));
    if (kernels && clCreateKernelsInProgram(program, n, kernels, NULL) == CL_SUCCESS)
        for (cl_uint i = 0; i < n; i++) {
            const uint64_t bytes = gravel_private_bytes(device, kernels[i]);
            uint64_t wanted =
                atomic_load_explicit(&pool->wanted, memory_order_relaxed); /* a hint */
            while (bytes > wanted &&
                   !atomic_compare_exchange_weak_explicit(
                       &pool->wanted, &wanted, bytes, memory_order_relaxed, memory_order_relaxed))
                ;
            clReleaseKernel(kernels[i]);
        }
    free(kernels);
}

/* ---- kernels that have run, by name -------------------------------------------------------------- */

static bool name_kernel(cl_kernel kernel, struct gravel_private_kernel *named)
{
    return clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof named->program, &named->program,
                           NULL) == CL_SUCCESS &&
           gravel_cl_kernel_name(kernel, named->name);
}

/* ---- the pool ------------------------------------------------------------------------------------ */

bool gravel_private_fits(const struct gravel_private *pool, const struct gravel_device *device,
                         cl_kernel kernel)
{
    struct gravel_private_kernel wanted;
    if (pool->is_told)
        return gravel_private_bytes(device, kernel) <= pool->bytes;
    if (!name_kernel(kernel, &wanted))
        return false;
    for (const struct gravel_private_kernel *known = pool->kernels; known; known = known->next)
        if (known->program == wanted.program && !strcmp(known->name, wanted.name))
            return true; /* it has run */
    return false;
}

void gravel_private_grow(struct gravel_private *pool, const struct gravel_device *device,
                         cl_kernel kernel)
{
    uint64_t bytes = gravel_private_bytes(device, kernel);
    if (bytes > pool->bytes)
        pool->bytes = bytes;
    if (pool->is_told)
        return;
    /* One that cannot be remembered only waits again at its next launch. */
    struct gravel_private_kernel *known = malloc(sizeof *known);
    if (!known || !name_kernel(kernel, known) || clRetainProgram(known->program) != CL_SUCCESS) {
        free(known);
        return;
    }
    known->next = pool->kernels;
    pool->kernels = known;
}

/* An array whose places only the arguments say stays in memory; n is 0, so none of it is touched. */
static void write_source(char *text, size_t most, uint64_t bytes)
{
    snprintf(text, most,
             "kernel void gravelp_private_%" PRIu64 "(global uint *out, uint n)\n"
             "{\n"
             "    uint words[%" PRIu64 "], at = n;\n"
             "    for (uint i = 0; i < n; i++)\n"
             "        words[(at = at * 1664525u + i) %% %" PRIu64 "u] = i;\n"
             "    for (uint i = 0; i < n; i++)\n"
             "        at += words[at %% %" PRIu64 "u];\n"
             "    if (n)\n"
             "        out[0] = at;\n"
             "}\n",
             bytes, bytes / 4, bytes / 4, bytes / 4);
}

static int make_kernel(const struct gravel_device *device, cl_program program, uint64_t bytes,
                       cl_kernel *kernel)
{
    const cl_uint none = 0;
    const struct gravel_argument arguments[] = {GRAVEL_ARGUMENT(device->probe_word),
                                                GRAVEL_ARGUMENT(none)};
    char name[48];
    snprintf(name, sizeof name, "gravelp_private_%" PRIu64, bytes);
    GRAVEL_TRY(gravel_check_cl("a kernel with private memory: clBuildProgram",
                               gravel_cl_program_build(device, program, NULL)));
    GRAVEL_TRY(gravel_cl_kernel_create(device, program, name, NULL, kernel));
    return gravel_check_cl("a kernel with private memory: clSetKernelArg",
                           GRAVEL_CL_KERNEL_SET(device, *kernel, 0, arguments));
}

int gravel_private_make(const struct gravel_device *device, uint64_t bytes, cl_kernel *kernel)
{
    char text[512];
    const char *source = text;
    cl_int error;
    bytes = (bytes + ROUND - 1) / ROUND * ROUND;
    write_source(text, sizeof text, bytes);
    *kernel = NULL;
    cl_program program = clCreateProgramWithSource(device->context, 1, &source, NULL, &error);
    if (!program)
        return gravel_fail_cl("a kernel with private memory: clCreateProgramWithSource", error);
    int code = make_kernel(device, program, bytes, kernel);
    clReleaseProgram(program); /* the kernel keeps it */
    if (code) {
        gravel_cl_kernel_release(*kernel);
        *kernel = NULL;
    }
    return code;
}
