/* SPDX-License-Identifier: MIT */
/*
 * An OpenCL driver that breaks when it is loaded, as drivers do: GRAVEL_TEST_DRIVER says how (crash
 * or hang).
 *
 * Path: the ICD loader -> this; info.sh points $OCL_ICD_VENDORS at it.
 */
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint n, cl_platform_id *platforms,
                                                       cl_uint *n_platforms);
CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name);

cl_int clIcdGetPlatformIDsKHR(cl_uint n, cl_platform_id *platforms, cl_uint *n_platforms)
{
    const char *how = getenv("GRAVEL_TEST_DRIVER");
    (void)n, (void)platforms;
    if (how && !strcmp(how, "crash")) {
        fprintf(stderr, "the test driver says good-bye\n");
        abort();
    }
    while (how && !strcmp(how, "hang"))
        pause();
    *n_platforms = 0;
    return CL_PLATFORM_NOT_FOUND_KHR;
}

/* Loaders ask whether there is one. */
cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t bytes, void *value,
                         size_t *n_bytes)
{
    (void)platform, (void)name, (void)bytes, (void)value, (void)n_bytes;
    return CL_INVALID_PLATFORM;
}

void *clGetExtensionFunctionAddress(const char *name)
{
    cl_int (*function)(cl_uint, cl_platform_id *, cl_uint *) = clIcdGetPlatformIDsKHR;
    void *address = NULL;
    if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
        memcpy(&address, &function, sizeof address); /* ISO C has no cast for this */
    return address;
}
