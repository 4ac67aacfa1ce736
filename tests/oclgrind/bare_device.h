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

/* The first device, or the end with 77. */
static inline void open_bare_device(cl_device_id *device, cl_context *context,
                                    cl_command_queue *queue)
{
    cl_platform_id platform;
    cl_int error;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, device, NULL) != CL_SUCCESS) {
        printf("skipped: no OpenCL device\n");
        exit(77);
    }
    *context = clCreateContext(NULL, 1, device, NULL, NULL, &error);
    check_cl(error, "clCreateContext");
    *queue = clCreateCommandQueue(*context, *device, 0, &error);
    check_cl(error, "clCreateCommandQueue");
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

#endif
