/* SPDX-License-Identifier: MIT */
/*
 * A driver like NVIDIA's over PoCL: a GPU, whose private memory is one pool. A kernel that needs more than the pool has
 * waits in clEnqueueNDRangeKernel until no kernel runs, with the driver's lock held, so that no other call gets in; and
 * so does clCreateBuffer. A kernel starts late, as on a busy machine.
 *
 * What a kernel needs is the number at the end of its name.
 * The linker sends the calls here (--wrap); see meson.build.
 *
 * Path: meson test -> test_first_launch.c, the library -> this -> OpenCL.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <CL/cl.h>

#include "wrapped_opencl.h"

#define MOST_KERNELS 4096u
#define LATE_US 2000u

static pthread_mutex_t driver = PTHREAD_MUTEX_INITIALIZER;
static cl_event running[MOST_KERNELS]; /* retained */
static unsigned n_running;
static uint64_t pool_bytes = 512;

static uint64_t needs(cl_kernel kernel)
{
    char name[128] = "";
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL);
    const char *number = strrchr(name, '_');
    return number ? strtoull(number + 1, NULL, 10) : 0;
}

/* ---- what it says of itself -------------------------------------------------------------------- */

WRAP(clGetDeviceInfo)
{
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    cl_int error = PASS_ON(clGetDeviceInfo);
    if (param_name == CL_DEVICE_TYPE && error == CL_SUCCESS && param_value)
        memcpy(param_value, &gpu, sizeof gpu);
    return error;
}

WRAP(clGetKernelWorkGroupInfo)
{
    if (param_name != CL_KERNEL_PRIVATE_MEM_SIZE || param_value_size < sizeof(cl_ulong))
        return PASS_ON(clGetKernelWorkGroupInfo);
    *(cl_ulong *)param_value = needs(kernel);
    return CL_SUCCESS;
}

/* ---- its lock ---------------------------------------------------------------------------------- */

/* A call that gets in one after the other. */
#define LOCKED(name)                   \
    WRAP(name)                         \
    {                                  \
        pthread_mutex_lock(&driver);   \
        pthread_mutex_unlock(&driver); \
        return PASS_ON(name);          \
    }
LOCKED(clFlush)
LOCKED(clGetEventInfo)
LOCKED(clEnqueueReadBuffer)
LOCKED(clEnqueueWriteBuffer)
LOCKED(clEnqueueReadBufferRect)

static int has_ended(cl_event event)
{
    cl_int status = CL_QUEUED;
    __real_clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return status <= CL_COMPLETE;
}

static void forget_ended(void)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < n_running; i++)
        if (has_ended(running[i]))
            clReleaseEvent(running[i]);
        else
            running[kept++] = running[i];
    n_running = kept;
}

static void wait_until_idle(void)
{
    for (forget_ended(); n_running; forget_ended())
        usleep(1000);
}

static void CL_CALLBACK start_late(void *nothing)
{
    (void)nothing;
    usleep(LATE_US);
}

static void remember(cl_event event)
{
    forget_ended();
    if (n_running == MOST_KERNELS)
        abort();
    clRetainEvent(event);
    running[n_running++] = event;
}

WRAP(clEnqueueNDRangeKernel)
{
    cl_event ours = NULL, *const theirs = event;
    uint64_t bytes = needs(kernel);
    pthread_mutex_lock(&driver);
    if (bytes > pool_bytes) {
        wait_until_idle();
        pool_bytes = bytes;
    }
    event = &ours;
    clEnqueueNativeKernel(command_queue, start_late, NULL, 0, 0, NULL, NULL, 0, NULL, NULL);
    cl_int error = PASS_ON(clEnqueueNDRangeKernel);
    if (error == CL_SUCCESS) {
        remember(ours);
        if (theirs)
            *theirs = ours;
        else
            clReleaseEvent(ours);
    }
    pthread_mutex_unlock(&driver);
    return error;
}

WRAP(clCreateBuffer)
{
    pthread_mutex_lock(&driver);
    wait_until_idle();
    cl_mem buffer = PASS_ON(clCreateBuffer);
    pthread_mutex_unlock(&driver);
    return buffer;
}
