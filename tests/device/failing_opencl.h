/* SPDX-License-Identifier: MIT */
/*
 * OpenCL and memory allocation that fail when they are told to: the n-th call of some kinds, all calls from that
 * one on, as when the device is lost, copies that never end, a call that does not return, and callbacks that are late.
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

#include <CL/cl.h>

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
    _Atomic unsigned late_ms;    /* callbacks come so much later */
    _Atomic unsigned n_late;     /* those still to come */
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

#define WRAP(kind, name, parameters, arguments)                             \
    cl_int __real_##name parameters;                                        \
    cl_int __wrap_##name parameters;                                        \
    cl_int __wrap_##name parameters                                         \
    {                                                                       \
        hold(kind);                                                         \
        return fails(kind) ? CL_OUT_OF_RESOURCES : __real_##name arguments; \
    }
#define WRAP_CREATE(type, name, parameters, arguments) \
    type __real_##name parameters;                     \
    type __wrap_##name parameters;                     \
    type __wrap_##name parameters                      \
    {                                                  \
        if (!fails(CREATES))                           \
            return __real_##name arguments;            \
        *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;     \
        return NULL;                                   \
    }

WRAP(READS, clEnqueueReadBuffer,
     (cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t at, size_t bytes, void *to,
      cl_uint n, const cl_event *wait, cl_event *event),
     (queue, buffer, blocks, at, bytes, to, n, wait, event))
WRAP(READS, clEnqueueReadBufferRect,
     (cl_command_queue queue, cl_mem buffer, cl_bool blocks, const size_t *from, const size_t *to,
      const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice,
      void *host, cl_uint n, const cl_event *wait, cl_event *event),
     (queue, buffer, blocks, from, to, region, row, slice, host_row, host_slice, host, n, wait,
      event))
WRAP(WRITES, clEnqueueWriteBuffer,
     (cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t at, size_t bytes,
      const void *from, cl_uint n, const cl_event *wait, cl_event *event),
     (queue, buffer, blocks, at, bytes, from, n, wait, event))
WRAP(WRITES, clEnqueueFillBuffer,
     (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_bytes, size_t at,
      size_t bytes, cl_uint n, const cl_event *wait, cl_event *event),
     (queue, buffer, pattern, pattern_bytes, at, bytes, n, wait, event))
WRAP(KERNELS, clEnqueueNDRangeKernel,
     (cl_command_queue queue, cl_kernel kernel, cl_uint n, const size_t *offset,
      const size_t *global, const size_t *local, cl_uint n_wait, const cl_event *wait,
      cl_event *event),
     (queue, kernel, n, offset, global, local, n_wait, wait, event))
WRAP(KERNELS, clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t bytes, const void *value),
     (kernel, index, bytes, value))
WRAP(WAITS, clEnqueueMarkerWithWaitList,
     (cl_command_queue queue, cl_uint n, const cl_event *wait, cl_event *event),
     (queue, n, wait, event))
WRAP(WAITS, clFlush, (cl_command_queue queue), (queue))
WRAP(WAITS, clFinish, (cl_command_queue queue), (queue))
WRAP(WAITS, clWaitForEvents, (cl_uint n, const cl_event *events), (n, events))

WRAP(WRITES, clEnqueueCopyBuffer,
     (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_at, size_t to_at, size_t bytes,
      cl_uint n, const cl_event *wait, cl_event *event),
     (queue, from, to, from_at, to_at, bytes, n, wait, event))
WRAP(KERNELS, clSetKernelArgSVMPointer, (cl_kernel kernel, cl_uint index, const void *value),
     (kernel, index, value))
WRAP(QUERIES, clGetDeviceInfo,
     (cl_device_id device, cl_device_info name, size_t bytes, void *value, size_t *needed),
     (device, name, bytes, value, needed))
WRAP(QUERIES, clGetPlatformInfo,
     (cl_platform_id platform, cl_platform_info name, size_t bytes, void *value, size_t *needed),
     (platform, name, bytes, value, needed))
WRAP(QUERIES, clGetKernelInfo,
     (cl_kernel kernel, cl_kernel_info name, size_t bytes, void *value, size_t *needed),
     (kernel, name, bytes, value, needed))
WRAP(QUERIES, clGetKernelWorkGroupInfo,
     (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, size_t bytes,
      void *value, size_t *needed),
     (kernel, device, name, bytes, value, needed))
WRAP(QUERIES, clGetProgramInfo,
     (cl_program program, cl_program_info name, size_t bytes, void *value, size_t *needed),
     (program, name, bytes, value, needed))

/* Looks at copies are not counted, for how many there are is chance; but all fail once the device is lost. */
cl_int __real_clGetEventInfo(cl_event, cl_event_info, size_t, void *, size_t *);
cl_int __wrap_clGetEventInfo(cl_event, cl_event_info, size_t, void *, size_t *);
cl_int __wrap_clGetEventInfo(cl_event event, cl_event_info name, size_t bytes, void *value,
                             size_t *needed)
{
    cl_command_type type = 0;
    unsigned stalls = atomic_load(&failing.stalls);
    if (fails(0) || atomic_load(&failing.is_mute))
        return CL_OUT_OF_RESOURCES;
    cl_int error = __real_clGetEventInfo(event, name, bytes, value, needed);
    if (!stalls || name != CL_EVENT_COMMAND_EXECUTION_STATUS)
        return error;
    __real_clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL);
    if ((type == CL_COMMAND_MARKER && stalls & WAITS) ||
        (type == CL_COMMAND_WRITE_BUFFER && stalls & WRITES) ||
        (type == CL_COMMAND_NDRANGE_KERNEL && stalls & KERNELS) ||
        ((type == CL_COMMAND_READ_BUFFER || type == CL_COMMAND_READ_BUFFER_RECT) && stalls & READS))
        *(cl_int *)value = CL_SUBMITTED;
    return error;
}

static void *end_stall(void *unused)
{
    (void)unused;
    usleep(atomic_load(&failing.stall_ms) * 1000);
    atomic_store(&failing.stalls, 0);
    return NULL;
}

cl_int __real_clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *,
                             void(CL_CALLBACK *)(cl_program, void *), void *);
cl_int __wrap_clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *,
                             void(CL_CALLBACK *)(cl_program, void *), void *);
cl_int __wrap_clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                             const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                             void *user)
{
    pthread_t thread;
    usleep(atomic_load(&failing.build_ms) * 1000);
    if (fails(CREATES))
        return CL_OUT_OF_HOST_MEMORY;
    cl_int error = __real_clBuildProgram(program, n, devices, options, notify, user);
    if (atomic_fetch_sub(&failing.builds_left, 1) != 1)
        return error;
    atomic_store(&failing.stalls, READS | WAITS);
    if (pthread_create(&thread, NULL, end_stall, NULL))
        abort();
    pthread_detach(thread);
    return error;
}

typedef void(CL_CALLBACK callback_function)(cl_event, cl_int, void *);
struct late {
    callback_function *callback;
    void *user;
};

static void *call_late(void *argument)
{
    struct late late = *(struct late *)argument;
    free(argument);
    usleep(atomic_load(&failing.late_ms) * 1000);
    late.callback(NULL, CL_COMPLETE, late.user);
    atomic_fetch_sub(&failing.n_late, 1);
    return NULL;
}

static void CL_CALLBACK start_late(cl_event event, cl_int status, void *user)
{
    pthread_t thread;
    (void)event, (void)status;
    /* Pairs with the add of __wrap_clSetEventCallback: ThreadSanitizer does not see how the driver hands `user` on. */
    if (atomic_load(&failing.n_late) == 0 || pthread_create(&thread, NULL, call_late, user))
        abort();
    pthread_detach(thread);
}

cl_int __real_clSetEventCallback(cl_event, cl_int, callback_function *, void *);
cl_int __wrap_clSetEventCallback(cl_event, cl_int, callback_function *, void *);
cl_int __wrap_clSetEventCallback(cl_event event, cl_int type, callback_function *callback,
                                 void *user)
{
    if (!atomic_load(&failing.late_ms))
        return __real_clSetEventCallback(event, type, callback, user);
    struct late *late = malloc(sizeof *late);
    *late = (struct late){callback, user};
    atomic_fetch_add(&failing.n_late, 1);
    return __real_clSetEventCallback(event, type, start_late, late);
}

cl_mem __real_clCreateBuffer(cl_context, cl_mem_flags, size_t, void *, cl_int *);
cl_mem __wrap_clCreateBuffer(cl_context, cl_mem_flags, size_t, void *, cl_int *);
cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                             cl_int *error)
{
    uint64_t most_bytes = atomic_load(&failing.most_bytes);
    if (!fails(CREATES) && (most_bytes == 0 || bytes <= most_bytes))
        return __real_clCreateBuffer(context, flags, bytes, host, error);
    *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}
WRAP_CREATE(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *error),
            (program, name, error))
WRAP_CREATE(void *, clEnqueueMapBuffer,
            (cl_command_queue queue, cl_mem buffer, cl_bool blocks, cl_map_flags flags, size_t at,
             size_t bytes, cl_uint n, const cl_event *wait, cl_event *event, cl_int *error),
            (queue, buffer, blocks, flags, at, bytes, n, wait, event, error))
WRAP_CREATE(cl_command_queue, clCreateCommandQueueWithProperties,
            (cl_context context, cl_device_id device, const cl_queue_properties *properties,
             cl_int *error),
            (context, device, properties, error))

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

WRAP_CREATE(cl_program, clCreateProgramWithSource,
            (cl_context context, cl_uint n, const char **texts, const size_t *lengths,
             cl_int *error),
            (context, n, texts, lengths, error))
WRAP_CREATE(cl_context, clCreateContext,
            (const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
             void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
             cl_int *error),
            (properties, n, devices, notify, user, error))
WRAP(CREATES, clCreateSubDevices,
     (cl_device_id device, const cl_device_partition_property *properties, cl_uint n,
      cl_device_id *parts, cl_uint *n_parts),
     (device, properties, n, parts, n_parts))

void *__real_clSVMAlloc(cl_context, cl_svm_mem_flags, size_t, cl_uint);
void *__wrap_clSVMAlloc(cl_context, cl_svm_mem_flags, size_t, cl_uint);
void *__wrap_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment)
{
    return fails(CREATES) ? NULL : __real_clSVMAlloc(context, flags, bytes, alignment);
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
