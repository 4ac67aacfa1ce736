/* SPDX-License-Identifier: MIT */
/*
 * OpenCL and memory allocation that fail when they are told to: the n-th call of some kinds, all calls from that
 * one on, as when the device is lost, copies that never end, and a call that does not return. And programs that are built
 * once, for tests that make the same ones very often.
 *
 * The linker sends the library's calls here (--wrap); see meson.build. The driver's own are not touched.
 *
 * Path:    lib -> failing_opencl.h -> OpenCL, the C library.
 * Threads: any.
 */
#ifndef GRAVEL_TESTS_FAILING_OPENCL_H
#define GRAVEL_TESTS_FAILING_OPENCL_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wrapped_opencl.h"

/* Kinds of calls, as bits. */
#define READS 1u     /* clEnqueueReadBuffer and its Rect: the pump's, and of the heap */
#define WRITES 2u    /* clEnqueueWriteBuffer: uploads, credits, and of the heap */
#define KERNELS 4u   /* clEnqueueNDRangeKernel and what a resolver's kernel needs */
#define CREATES 8u   /* objects */
#define WAITS 16u    /* markers, flushes, finishes */
#define MALLOCS 32u  /* the C library's */
#define THREADS 64u  /* pthread_create, as where a user's processes are limited (ulimit -u) */
#define QUERIES 128u /* clGet...Info, but of events */

static struct {
    _Atomic unsigned kinds; /* that count; 0: nothing fails */
    _Atomic int left;       /* calls until one fails */
    _Atomic bool stays;     /* all calls to OpenCL fail from then on */
    _Atomic bool of_one;    /* calls of the thread alone that told them to fail */
    _Atomic bool has_failed;
    _Atomic bool is_mute;              /* no event's state is told */
    _Atomic unsigned stalls;           /* of the kinds above: commands that never run */
    _Atomic unsigned holds;            /* of the kinds of OpenCL: calls that do not return, */
    _Atomic(const char *) held_thread; /* of the thread of that name; NULL: of any */
    _Atomic unsigned n_held;
    _Atomic bool keeps_pump;     /* from its turn, between two calls */
    _Atomic uint64_t most_bytes; /* the device has no more in one buffer; 0: as it is */
    _Atomic uint64_t all_bytes;  /* it says that it has these; 0: as it is */
    _Atomic uint64_t made_bytes; /* of buffers that were made */
    _Atomic int builds_left;     /* programs to build until copies stall, once, */
    _Atomic unsigned stall_ms;   /* for so long */
    _Atomic unsigned build_ms;   /* a build takes so much longer */
} failing;

static _Thread_local bool has_told; /* this thread has, with of_one */

/* Let the n-th call of these kinds fail. */
static inline void fail_nth(unsigned kinds, unsigned n, bool stays)
{
    atomic_store(&failing.kinds, 0);
    atomic_store(&failing.has_failed, false);
    atomic_store(&failing.left, (int)n);
    atomic_store(&failing.stays, stays);
    atomic_store(&failing.kinds, kinds);
}

/* Let the n-th call of these kinds that this thread makes fail: which one it is depends on no other thread. */
static inline void fail_nth_own(unsigned kinds, unsigned n)
{
    has_told = true;
    atomic_store(&failing.of_one, true);
    fail_nth(kinds, n, false);
}

/* @return whether one has failed. */
static inline bool fail_no_more(void)
{
    atomic_store(&failing.kinds, 0);
    atomic_store(&failing.of_one, false);
    atomic_store(&failing.stays, false);
    atomic_store(&failing.stalls, 0);
    return atomic_load(&failing.has_failed);
}

static bool fails(unsigned kind)
{
    unsigned kinds = atomic_load(&failing.kinds);
    if (!kinds || (atomic_load(&failing.of_one) && !has_told))
        return false;
    if (kind != MALLOCS && atomic_load(&failing.stays) && atomic_load(&failing.has_failed))
        return true;
    if (!(kinds & kind) || atomic_fetch_sub(&failing.left, 1) != 1)
        return false;
    atomic_store(&failing.has_failed, true);
    return true;
}

static bool is_thread(const char *name)
{
    char own[16] = "";
    pthread_getname_np(pthread_self(), own, sizeof own);
    return !strcmp(name, own);
}

static bool is_held_thread(void)
{
    const char *name = atomic_load(&failing.held_thread);
    return !name || is_thread(name);
}

static void hold(unsigned kind)
{
    if (!(atomic_load(&failing.holds) & kind) || !is_held_thread())
        return;
    atomic_fetch_add(&failing.n_held, 1);
    while (atomic_load(&failing.holds))
        usleep(1000);
}

#define FAILS(kind, name)                                         \
    WRAP(name)                                                    \
    {                                                             \
        hold(kind);                                               \
        return fails(kind) ? CL_OUT_OF_RESOURCES : PASS_ON(name); \
    }
#define FAILS_TO_MAKE(name)                              \
    WRAP(name)                                           \
    {                                                    \
        if (!fails(CREATES))                             \
            return PASS_ON(name);                        \
        *errcode_ret = CL_MEM_OBJECT_ALLOCATION_FAILURE; \
        return NULL;                                     \
    }

FAILS(READS, clEnqueueReadBuffer)
FAILS(READS, clEnqueueReadBufferRect)
FAILS(WRITES, clEnqueueWriteBuffer)
FAILS(WRITES, clEnqueueFillBuffer)
FAILS(WRITES, clEnqueueCopyBuffer)
FAILS(KERNELS, clEnqueueNDRangeKernel)
FAILS(KERNELS, clSetKernelArg)
FAILS(KERNELS, clSetKernelArgSVMPointer)
FAILS(WAITS, clEnqueueMarkerWithWaitList)
FAILS(WAITS, clFlush)
FAILS(WAITS, clFinish)
FAILS(WAITS, clWaitForEvents)
FAILS(QUERIES, clGetPlatformInfo)
FAILS(QUERIES, clGetKernelInfo)
FAILS(QUERIES, clGetKernelWorkGroupInfo)
FAILS(QUERIES, clGetProgramInfo)
FAILS(CREATES, clCreateSubDevices)
FAILS_TO_MAKE(clEnqueueMapBuffer)
FAILS_TO_MAKE(clCreateCommandQueueWithProperties)
FAILS_TO_MAKE(clCreateProgramWithSource)
FAILS_TO_MAKE(clCreateContext)

WRAP(clGetDeviceInfo)
{
    const cl_ulong all_bytes = atomic_load(&failing.all_bytes);
    hold(QUERIES);
    if (fails(QUERIES))
        return CL_OUT_OF_RESOURCES;
    const cl_int error = PASS_ON(clGetDeviceInfo);
    if (all_bytes && !error && param_name == CL_DEVICE_GLOBAL_MEM_SIZE && param_value)
        *(cl_ulong *)param_value = all_bytes;
    return error;
}

/* Looks at copies are not counted, for how many there are is chance; but all fail once the device is lost. */
WRAP(clGetEventInfo)
{
    cl_command_type type = 0;
    unsigned stalls = atomic_load(&failing.stalls);
    if (fails(0) || atomic_load(&failing.is_mute))
        return CL_OUT_OF_RESOURCES;
    cl_int error = PASS_ON(clGetEventInfo);
    if (!stalls || param_name != CL_EVENT_COMMAND_EXECUTION_STATUS)
        return error;
    __real_clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL);
    if ((type == CL_COMMAND_MARKER && stalls & WAITS) ||
        (type == CL_COMMAND_WRITE_BUFFER && stalls & WRITES) ||
        (type == CL_COMMAND_NDRANGE_KERNEL && stalls & KERNELS) ||
        ((type == CL_COMMAND_READ_BUFFER || type == CL_COMMAND_READ_BUFFER_RECT) && stalls & READS))
        *(cl_int *)param_value = CL_SUBMITTED;
    return error;
}

static void *end_stall(void *unused)
{
    (void)unused;
    usleep(atomic_load(&failing.stall_ms) * 1000);
    atomic_store(&failing.stalls, 0);
    return NULL;
}

WRAP(clCreateKernel)
{
    if (!fails(CREATES))
        return PASS_ON(clCreateKernel);
    *errcode_ret = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

WRAP(clBuildProgram)
{
    pthread_t thread;
    usleep(atomic_load(&failing.build_ms) * 1000);
    if (fails(CREATES))
        return CL_OUT_OF_HOST_MEMORY;
    cl_int error = PASS_ON(clBuildProgram);
    if (atomic_fetch_sub(&failing.builds_left, 1) != 1)
        return error;
    atomic_store(&failing.stalls, READS | WAITS);
    if (pthread_create(&thread, NULL, end_stall, NULL))
        abort();
    pthread_detach(thread);
    return error;
}

WRAP(clCreateBuffer)
{
    uint64_t most_bytes = atomic_load(&failing.most_bytes);
    if (!fails(CREATES) && (most_bytes == 0 || size <= most_bytes)) {
        atomic_fetch_add(&failing.made_bytes, size);
        return PASS_ON(clCreateBuffer);
    }
    *errcode_ret = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}
/* In which the pump rests, and waits for copies. */
int __real_usleep(useconds_t us);
int __wrap_usleep(useconds_t us);
int __wrap_usleep(useconds_t us)
{
    int code = __real_usleep(us);
    while (atomic_load(&failing.keeps_pump) && is_thread("gravel-pump"))
        __real_usleep(1000);
    return code;
}

WRAP(clSVMAlloc)
{
    return fails(CREATES) ? NULL : PASS_ON(clSVMAlloc);
}

typedef void *thread_function(void *);
int __real_pthread_create(pthread_t *, const pthread_attr_t *, thread_function *, void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, thread_function *, void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          thread_function *function, void *argument)
{
    return fails(THREADS) ? EAGAIN : __real_pthread_create(thread, attributes, function, argument);
}

#define WRAP_MALLOC(name, parameters, arguments)                \
    void *__real_##name parameters;                             \
    void *__wrap_##name parameters;                             \
    void *__wrap_##name parameters                              \
    {                                                           \
        return fails(MALLOCS) ? NULL : __real_##name arguments; \
    }
WRAP_MALLOC(malloc, (size_t bytes), (bytes))
WRAP_MALLOC(calloc, (size_t n, size_t bytes), (n, bytes))
WRAP_MALLOC(realloc, (void *old, size_t bytes), (old, bytes))
WRAP_MALLOC(aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes))

#endif
