/* SPDX-License-Identifier: MIT */
/*
 * A driver that breaks when the loader takes it for one, as drivers do: GRAVEL_TEST_DRIVER is load-crash or load-hang.
 * Preloaded, it makes calls of any driver break, as GRAVEL_TEST_DRIVER says:
 *     context   it crashes when a device is opened, after it was listed well
 *     listing   every platform but PoCL crashes when its devices are listed
 *     compiler  it says that it has no compiler for kernels, as some of embedded devices do
 *     crash, hang, wrong    in the middle of the suite `waits`, the one that reads buffers of READ_BYTES
 *
 * Path: info.sh, conformance.sh -> $OCL_ICD_VENDORS or $LD_PRELOAD -> lib/device, tools/info/list.c, tools/conformance/waits.c.
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES 2048u
#define N_GOOD 200u /* reads before: more than the first line has */

/* The loader's function of a name; ISO C has no cast for this. */
#define NEXT(name)                                 \
    __typeof__(&name) next;                        \
    void *const address = dlsym(RTLD_NEXT, #name); \
    memcpy(&next, &address, sizeof next)

static bool is_to_break(const char *what)
{
    const char *set = getenv("GRAVEL_TEST_DRIVER");
    return set && !strcmp(set, what);
}

static void break_here(const char *crash, const char *hang)
{
    if (is_to_break(crash)) {
        fprintf(stderr, "the test driver says good-bye\n");
        abort();
    }
    while (is_to_break(hang))
        pause();
}

__attribute__((constructor)) static void load(void)
{
    break_here("load-crash", "load-hang");
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint n_devices,
                           const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *text, const void *info,
                                                     size_t n_info, void *user),
                           void *user, cl_int *error)
{
    NEXT(clCreateContext);
    if (is_to_break("context"))
        abort();
    return next(properties, n_devices, devices, notify, user, error);
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint n,
                      cl_device_id *devices, cl_uint *n_devices)
{
    char name[64] = "";
    NEXT(clGetDeviceIDs);
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    if (is_to_break("listing") && strcmp(name, "Portable Computing Language"))
        abort();
    return next(platform, type, n, devices, n_devices);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info info, size_t bytes, void *value,
                       size_t *n_bytes)
{
    NEXT(clGetDeviceInfo);
    cl_int error = next(device, info, bytes, value, n_bytes);
    if (is_to_break("compiler") && info == CL_DEVICE_COMPILER_AVAILABLE && value && !error)
        *(cl_bool *)value = CL_FALSE;
    return error;
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset,
                           size_t bytes, void *data, cl_uint n_wait, const cl_event *wait,
                           cl_event *event)
{
    static unsigned n_reads;
    NEXT(clEnqueueReadBuffer);
    cl_int error = next(queue, buffer, blocks, offset, bytes, data, n_wait, wait, event);
    if (!blocks || bytes != READ_BYTES || ++n_reads <= N_GOOD)
        return error;
    break_here("crash", "hang");
    *(unsigned char *)data ^= is_to_break("wrong");
    return error;
}
