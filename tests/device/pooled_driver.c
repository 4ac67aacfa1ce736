/* SPDX-License-Identifier: MIT */
/*
 * A driver like NVIDIA's over PoCL: a GPU, whose private memory is one pool. A kernel that needs more than the pool has
 * waits in clEnqueueNDRangeKernel until no kernel runs, with the driver's lock held, so that no other call gets in; and
 * so does clCreateBuffer.
 *
 * What a kernel needs is the number at the end of its name; POOLED_DRIVER=silent makes the driver answer 0 for it.
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

#include "wrapped_enqueue.h"

#define MOST_KERNELS 4096u

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

cl_int __real_clGetDeviceInfo(cl_device_id, cl_device_info, size_t, void *, size_t *);
cl_int __wrap_clGetDeviceInfo(cl_device_id, cl_device_info, size_t, void *, size_t *);
cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t bytes, void *value,
                              size_t *needed)
{
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    cl_int error = __real_clGetDeviceInfo(device, name, bytes, value, needed);
    if (name == CL_DEVICE_TYPE && error == CL_SUCCESS && value)
        memcpy(value, &gpu, sizeof gpu);
    return error;
}

cl_int __real_clGetKernelWorkGroupInfo(cl_kernel, cl_device_id, cl_kernel_work_group_info, size_t,
                                       void *, size_t *);
cl_int __wrap_clGetKernelWorkGroupInfo(cl_kernel, cl_device_id, cl_kernel_work_group_info, size_t,
                                       void *, size_t *);
cl_int __wrap_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                       cl_kernel_work_group_info name, size_t bytes, void *value,
                                       size_t *needed)
{
    if (name != CL_KERNEL_PRIVATE_MEM_SIZE || bytes < sizeof(cl_ulong))
        return __real_clGetKernelWorkGroupInfo(kernel, device, name, bytes, value, needed);
    const char *how = getenv("POOLED_DRIVER");
    *(cl_ulong *)value = how && !strcmp(how, "silent") ? 0 : needs(kernel);
    return CL_SUCCESS;
}

/* ---- its lock ---------------------------------------------------------------------------------- */

cl_int __real_clGetEventInfo(cl_event, cl_event_info, size_t, void *, size_t *);

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

static void remember(cl_event event)
{
    forget_ended();
    if (n_running == MOST_KERNELS)
        abort();
    clRetainEvent(event);
    running[n_running++] = event;
}

cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint n,
                                     const size_t *offset, const size_t *global,
                                     const size_t *local, cl_uint n_events, const cl_event *events,
                                     cl_event *event)
{
    cl_event ours = NULL;
    uint64_t bytes = needs(kernel);
    pthread_mutex_lock(&driver);
    if (bytes > pool_bytes) {
        wait_until_idle();
        pool_bytes = bytes;
    }
    cl_int error = __real_clEnqueueNDRangeKernel(queue, kernel, n, offset, global, local, n_events,
                                                 events, &ours);
    if (error == CL_SUCCESS) {
        remember(ours);
        if (event)
            *event = ours;
        else
            clReleaseEvent(ours);
    }
    pthread_mutex_unlock(&driver);
    return error;
}

cl_mem __real_clCreateBuffer(cl_context, cl_mem_flags, size_t, void *, cl_int *);
cl_mem __wrap_clCreateBuffer(cl_context, cl_mem_flags, size_t, void *, cl_int *);
cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                             cl_int *error)
{
    pthread_mutex_lock(&driver);
    wait_until_idle();
    cl_mem buffer = __real_clCreateBuffer(context, flags, bytes, host, error);
    pthread_mutex_unlock(&driver);
    return buffer;
}

/* All other calls get in one after the other. */
#define WRAP(name, parameters, arguments) \
    cl_int __real_##name parameters;      \
    cl_int __wrap_##name parameters;      \
    cl_int __wrap_##name parameters       \
    {                                     \
        pthread_mutex_lock(&driver);      \
        pthread_mutex_unlock(&driver);    \
        return __real_##name arguments;   \
    }
WRAP(clFlush, (cl_command_queue queue), (queue))
WRAP(clGetEventInfo,
     (cl_event event, cl_event_info name, size_t bytes, void *value, size_t *needed),
     (event, name, bytes, value, needed))
WRAP(clEnqueueReadBuffer,
     (cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, size_t at, size_t bytes, void *to,
      cl_uint n_events, const cl_event *events, cl_event *event),
     (queue, buffer, is_blocking, at, bytes, to, n_events, events, event))
WRAP(clEnqueueWriteBuffer,
     (cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, size_t at, size_t bytes,
      const void *from, cl_uint n_events, const cl_event *events, cl_event *event),
     (queue, buffer, is_blocking, at, bytes, from, n_events, events, event))
WRAP(clEnqueueReadBufferRect,
     (cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, const size_t *from,
      const size_t *to, const size_t *region, size_t row, size_t slice, size_t host_row,
      size_t host_slice, void *host, cl_uint n_events, const cl_event *events, cl_event *event),
     (queue, buffer, is_blocking, from, to, region, row, slice, host_row, host_slice, host,
      n_events, events, event))
