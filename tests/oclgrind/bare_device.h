/* SPDX-License-Identifier: MIT */
/*
 * An OpenCL device by the barest means, for programs that run under oclgrind.
 *
 * Path:    binning.c, device_half.c, flow.c -> this.
 * Owner:   the caller, of the text that is read.
 */
#ifndef GRAVEL_TEST_BARE_DEVICE_H
#define GRAVEL_TEST_BARE_DEVICE_H

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* oclgrind knows no later way to make a queue */
#include <CL/cl.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* End with 1 and why. */
static inline void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static inline void check_cl(cl_int error, const char *call)
{
    if (error != CL_SUCCESS)
        fail("%s: %d", call, (int)error);
}

struct bare {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

/* The first device, or the end with 77. */
static inline struct bare open_bare_device(void)
{
    struct bare bare;
    cl_platform_id platform;
    cl_int error;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &bare.device, NULL) != CL_SUCCESS) {
        printf("skipped: no OpenCL device\n");
        exit(77);
    }
    bare.context = clCreateContext(NULL, 1, &bare.device, NULL, NULL, &error);
    check_cl(error, "clCreateContext");
    bare.queue = clCreateCommandQueue(bare.context, bare.device, 0, &error);
    check_cl(error, "clCreateCommandQueue");
    return bare;
}

static inline void close_bare_device(const struct bare *bare)
{
    clReleaseCommandQueue(bare->queue);
    clReleaseContext(bare->context);
}

static inline char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    if (!file || getdelim(&text, &room, '\0', file) <= 0)
        fail("cannot read %s", path);
    fclose(file);
    return text;
}

static inline cl_program bare_program(const struct bare *bare, const char *text)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(bare->context, 1, &text, NULL, &error);
    check_cl(error, "clCreateProgramWithSource");
    return program;
}

/* Build a text with what it includes, n files by their names there. */
static inline cl_program bare_build(const struct bare *bare, const char *text, const char **names,
                                    char *const *files, cl_uint n, const char *options)
{
    cl_program source = bare_program(bare, text), headers[4], program;
    for (cl_uint i = 0; i < n; i++) {
        char *header = read_text(files[i]);
        headers[i] = bare_program(bare, header);
        free(header);
    }
    cl_int error =
        clCompileProgram(source, 1, &bare->device, options, n, headers, names, NULL, NULL);
    if (error != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(source, bare->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fail("does not build with %s (%d):\n%s", options, (int)error, log);
    }
    program = clLinkProgram(bare->context, 1, &bare->device, NULL, 1, &source, NULL, NULL, &error);
    check_cl(error, "clLinkProgram");
    for (cl_uint i = 0; i < n; i++)
        clReleaseProgram(headers[i]);
    clReleaseProgram(source);
    return program;
}

static inline cl_kernel bare_kernel(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    check_cl(error, name);
    return kernel;
}

/* @param contents  or NULL */
static inline cl_mem bare_buffer(const struct bare *bare, size_t bytes, void *contents)
{
    cl_int error;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (contents ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem buffer = clCreateBuffer(bare->context, flags, bytes, contents, &error);
    check_cl(error, "clCreateBuffer");
    return buffer;
}

static inline void bare_launch(const struct bare *bare, cl_kernel kernel, cl_uint n_dimensions,
                               const size_t *global, const size_t *local)
{
    check_cl(clEnqueueNDRangeKernel(bare->queue, kernel, n_dimensions, NULL, global, local, 0, NULL,
                                    NULL),
             "clEnqueueNDRangeKernel");
    check_cl(clFinish(bare->queue), "clFinish");
}

static inline void bare_read(const struct bare *bare, cl_mem buffer, size_t bytes, void *to)
{
    check_cl(clEnqueueReadBuffer(bare->queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL),
             "clEnqueueReadBuffer");
}

#endif
