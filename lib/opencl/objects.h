/* SPDX-License-Identifier: MIT */
/*
 * OpenCL objects: made with an error that names what failed, and released whether there are any or not.
 *
 * Path:    device.c, program.c -> objects.h -> every user of a queue, a buffer or kernels.
 * Owner:   the caller.
 * Threads: any; a kernel is one thread's at a time.
 */
#ifndef GRAVEL_OPENCL_OBJECTS_H
#define GRAVEL_OPENCL_OBJECTS_H

#include "device/device.h"

#include <pthread.h>
#include <stdatomic.h>

/**
 * Make an in-order command queue.
 *
 * @param user  whose it is, for the error: "the pump".
 * @param out   [out] NULL on failure.
 * @return      0; GRAVEL_ECL; GRAVEL_ENOMEM.
 */
int gravel_cl_queue_create(const struct gravel_device *device, const char *user,
                           cl_command_queue *out);

/**
 * Make a buffer in device memory, which the device has when the call returns. As gravel_cl_queue_create.
 *
 * @return 0; GRAVEL_ENOMEM with the size.
 */
int gravel_cl_buffer_create(const struct gravel_device *device, const char *user, uint64_t bytes,
                            cl_mem *out);

/** Enqueue zeros for a part of a buffer, in words of 4 bytes. @param what  of the error. @return 0; GRAVEL_ECL. */
int gravel_cl_buffer_zero(cl_command_queue queue, cl_mem buffer, uint64_t at, uint64_t bytes,
                          const char *what);

/** Returns whether a process has addresses for a CPU device's memory, without which PoCL ends it. True elsewhere. */
bool gravel_cl_has_addresses(const struct gravel_device *device, uint64_t bytes);

/** Describes why there is no buffer. @return GRAVEL_ENOMEM. */
int gravel_cl_buffer_fail(const char *user, uint64_t bytes, cl_int error);

/**
 * Build a program; once more if its compiler has found nothing wrong: of processes that build one text at once, one may
 * take a file of the driver's cache away from another (PoCL).
 *
 * @param options  or NULL.
 * @return         CL_SUCCESS, or what clBuildProgram returned last.
 */
cl_int gravel_cl_program_build(const struct gravel_device *device, cl_program program,
                               const char *options);

/** Returns a text of a program's build, its log or its options; NULL if memory is out. The caller frees it. */
char *gravel_cl_program_text(const struct gravel_device *device, cl_program program,
                             cl_program_build_info what);

/**
 * Make a kernel. As gravel_cl_queue_create; the error has the kernel's name.
 *
 * @param group  [in, out] [work-items] lowered to what the kernel supports; NULL: the caller knows.
 */
int gravel_cl_kernel_create(const struct gravel_device *device, cl_program program,
                            const char *name, size_t *group, cl_kernel *out);
/** Lower a group's size [work-items] to what a kernel supports. @return CL_SUCCESS, or as clGetKernelWorkGroupInfo. */
cl_int gravel_cl_kernel_group(const struct gravel_device *device, cl_kernel kernel, size_t *group);
/** Create n kernels as gravel_cl_kernel_create does. @param out  [out] [n], NULL as it begins. */
int gravel_cl_kernels_create(const struct gravel_device *device, cl_program program,
                             const char *const *names, size_t n, size_t *group, cl_kernel *out);

/* What a caller hands to a call: a driver that is handed a kernel of another context may do anything. */

/** @return 0; GRAVEL_EINVAL, which names the call, if a kernel is NULL or of another context. */
int gravel_given_kernel(const struct gravel_device *device, const char *call, cl_kernel kernel);

/** @return 0; GRAVEL_EINVAL, which names the call, if there is no list or one of its events is NULL or of another
 * context. */
int gravel_given_events(const struct gravel_device *device, const char *call, cl_uint n,
                        const cl_event *events);

/**
 * parameter.c: read the parameters of a kernel.
 *
 * @param parameters  [out] [n] from the first one on.
 * @return            0; GRAVEL_ENOMEM.
 */
int gravel_parameters_read(const struct gravel_device *device, cl_kernel kernel,
                           struct gravel_parameter *parameters, cl_uint n);

/**
 * parameter.c: check that an argument is of a kind.
 *
 * @param kind  GRAVEL_PARAMETER_ARENA or _ACCUMULATOR.
 * @return      0; GRAVEL_EINVAL, which says what the argument is and which one is of the kind.
 */
int gravel_parameter_check(const char *call, cl_kernel kernel, cl_uint index, uint32_t kind);

/** Writes the name of a kernel's function. @return false: it is longer, or none, and "(long name)" is written */
#define GRAVEL_KERNEL_NAME_BYTES 128u
bool gravel_cl_kernel_name(cl_kernel kernel, char name[GRAVEL_KERNEL_NAME_BYTES]);

/* ---- private memory -------------------------------------------------------------------------------- */

/*
 * Private memory of work-items, where the driver keeps it in one pool that grows with the kernel that needs most.
 *
 * A driver may wait for an idle device before its pool grows, and keep all other threads out while it waits (NVIDIA's
 * does): behind a kernel that waits for the host that wait has no end. So a kernel that may make the pool grow is
 * enqueued when no other runs; and as the pool never shrinks, a kernel of ours makes it large enough for a program as
 * soon as that is built.
 *
 * One thread at a time uses the pool, through `lock`; `wanted` alone is read and written without.
 */
struct gravel_private {
    pthread_mutex_t lock;    /* from the question whether a kernel fits until it is enqueued */
    bool is_pooled;          /* there may be a pool, and kernels wait for the host */
    uint64_t bytes;          /* of a work-item, that the pool has */
    _Atomic uint64_t wanted; /* of programs built so far; relaxed: a hint */
};

/** Return what the driver says that a kernel needs [bytes of a work-item]; 0 if it does not say. */
uint64_t gravel_private_bytes(const struct gravel_device *device, cl_kernel kernel);

/* ---- arguments, commands, events --------------------------------------------------------------------- */

/* A kernel's argument. */
struct gravel_argument {
    size_t bytes;      /* 0: memory that the device shares with the host (device/device.h) */
    const void *value; /* NULL: local memory */
};
#define GRAVEL_ARGUMENT(variable) ((struct gravel_argument){sizeof(variable), &(variable)})
#define GRAVEL_ARGUMENT_LOCAL(n_words) \
    ((struct gravel_argument){(n_words) * sizeof(uint32_t), NULL})
#define GRAVEL_ARGUMENT_SHARED(memory) ((struct gravel_argument){0, memory})

/** Set n of a kernel's arguments, from `first` on. @return CL_SUCCESS, or what the first that fails returned. */
cl_int gravel_cl_kernel_set(const struct gravel_device *device, cl_kernel kernel, cl_uint first,
                            const struct gravel_argument *arguments, size_t n);

/** Set the arguments of an array. */
#define GRAVEL_CL_KERNEL_SET(device, kernel, first, arguments) \
    gravel_cl_kernel_set(device, kernel, first, arguments, sizeof(arguments) / sizeof *(arguments))

/**
 * Enqueue a kernel in one dimension.
 *
 * @param n_items  work-items, rounded up to whole groups; 1 is a group of its own.
 * @param event    [out] or NULL.
 */
cl_int gravel_cl_kernel_enqueue(cl_command_queue queue, cl_kernel kernel, size_t n_items,
                                size_t group, cl_event *event);

/** Enqueue one of several reads of a buffer. @param last  [in, out] the event of the last one that was enqueued; NULL:
 * there is none. */
cl_int gravel_cl_read(cl_command_queue queue, cl_mem buffer, uint64_t at, uint64_t bytes, void *to,
                      cl_event *last);

/**
 * Have a queue begin what was enqueued on it, also before a call that failed.
 *
 * @param error  of these calls so far.
 * @return       that error; CL_SUCCESS; what clFlush returned.
 */
cl_int gravel_cl_flush(cl_command_queue queue, cl_int error);

/** CL_COMPLETE, or more while a command has not ended, or less if it failed or cannot be asked. Orders nothing. */
cl_int gravel_cl_event_status(cl_event event);

/** Ask the same of a command. @return CL_SUCCESS; the driver's error if it does not say: the command may run on. */
cl_int gravel_cl_event_ask(cl_event event, cl_int *status);

/** Returns whether the driver says that a command has ended or failed. Until then, what the command uses stays. */
bool gravel_cl_event_has_ended(cl_event event);

/** Release an object. NULL is allowed. */
void gravel_cl_queue_release(cl_command_queue queue);
void gravel_cl_program_release(cl_program program);
void gravel_cl_kernel_release(cl_kernel kernel);
void gravel_cl_buffer_release(cl_mem buffer);
void gravel_cl_event_release(cl_event event);
void gravel_cl_kernels_release(const cl_kernel *kernels, size_t n);

#endif
