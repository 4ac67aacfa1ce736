/* SPDX-License-Identifier: MIT */
/*
 * The OpenCL objects of a node: device, context, command queue; and what is known of the device.
 *
 * On steps svm and usm leaders that wait for room keep their compute units, and a handler written in OpenCL C may have
 * to make the room. So such handlers need units that leaders cannot take: on a CPU device the units that
 * GRAVEL_HOST_CORES leaves to the host threads, as a sub-device that nothing else is launched on. Where there are none,
 * launches are cut into slices that leave one unit free, as on step pump.
 *
 * Path:    select.c -> device.c -> arena.c, program.c, node/launches.c; node/launch.c (slices), lib/serve/calls.c.
 * Owner:   releases what it made, except sub-devices, which the process keeps; the caller's own objects
 *          are retained and released.
 */
#ifndef GRAVEL_DEVICE_DEVICE_H
#define GRAVEL_DEVICE_DEVICE_H

#include "base/await.h"
#include "device/capability.h"

struct gravel_private;

struct gravel_device {
    cl_device_id id; /* the caller's, a root device, or a sub-device that outlives the node */
    cl_context context;
    cl_command_queue queue; /* in order */
    enum gravel_step step;  /* of the capability ladder */
    bool can_yield;         /* kernels may give their core away (self_test.c finds out) */
    cl_uint units;          /* compute units that kernels get */
    cl_mem probe_word;      /* read to learn how far a queue has got: opencl/wait.c; or NULL */
    cl_mem probe_copy;      /* what pins `probed` */
    uint32_t *probed;       /* where that read goes; of all threads, and never read */
    uint32_t poll_ns;
    /* least time that a waiting leader's poll takes; measured where there are but copies */
    cl_device_id for_handlers;
    /* other units of a CPU device, for handlers written in OpenCL C; NULL if none */
    bool is_sliced;
    /* launches are cut into slices: on pump and drain, or for handlers */
    char cores[160];  /* how a core is left to the host threads, in words */
    char chosen[160]; /* which device it is, and of how many, in words */
    struct gravel_capability capability;
    struct gravel_limit limit; /* for Gravel's commands; set where the device is opened */
    struct gravel_private *private_memory; /* what programs need is noted there; NULL: nowhere */
};

/** Returns whether launches are cut into slices that leave a compute unit to the host's own kernels. */
static inline bool gravel_device_leaves_unit(const struct gravel_device *device)
{
    return device->is_sliced && gravel_step_may_wait(device->step);
}

/* Nodes of one job on one machine. */
struct gravel_neighbours {
    uint32_t n_sharing; /* that share this one's cores of a CPU device, this one included */
    uint32_t local; /* this one's number among all of the host; equal devices are taken in turn */
};

/**
 * Open the device that the configuration names, or the caller's.
 *
 * @param neighbours  or NULL if there are no others.
 * @return            0; GRAVEL_EDEVICE; GRAVEL_ECAPABILITY; GRAVEL_ECL; GRAVEL_EINVAL (a context
 *                    without its device, a queue without both).
 */
int gravel_device_open(struct gravel_device *device, const struct gravel_config *config,
                       const struct gravel_bindings *bindings,
                       const struct gravel_neighbours *neighbours);

/** Returns whether a handler is the device's to run: it has no function of the host. */
bool gravel_device_has_handlers(const struct gravel_bindings *bindings);

/** Returns the device as handlers see it: `id` is the sub-device `for_handlers`, if there is one. */
struct gravel_device gravel_device_of_handlers(const struct gravel_device *device);

/** Release everything; a zero-filled or half-open device is allowed. */
void gravel_device_close(struct gravel_device *device);

/* shared.c: memory that host and running kernels address alike: fine-grain SVM on step svm, host allocations of unified
 * shared memory on step usm. Nothing else knows the difference. */

/** @return memory of the device's step, at least 64-byte aligned, not cleared; NULL if there is none. */
void *gravel_shared_alloc(const struct gravel_device *device, size_t bytes);
/** Free it. NULL is allowed. */
void gravel_shared_free(const struct gravel_device *device, void *memory);
/** Set a kernel's pointer argument. */
cl_int gravel_shared_set_argument(const struct gravel_device *device, cl_kernel kernel,
                                  cl_uint index, const void *memory);

#endif
