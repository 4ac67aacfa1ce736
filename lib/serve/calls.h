/* SPDX-License-Identifier: MIT */
/*
 * Handlers written in OpenCL C: runs of active messages that become kernels, a work-item a message.
 *
 * On steps pump and drain the frame is on the device already, and a run is one more kernel on the
 * resolver's queue. On svm and usm the network thread has the run copied to memory that it shares
 * with the device, enqueues the kernel on a queue of the calls' own, next to the caller's kernels
 * (device/device.h), and waits for it.
 *
 * Path:    node/open.c creates -> resolver.c or (pump, drain) on_device/copied.c -> cl/gravel.cl.h.
 * Owner:   program, kernels, queue and staging; device, memory and handlers are the node's.
 * Threads: create and destroy by the thread that opens the node; the rest by the network thread.
 * Source:  Orr 2016, section 5.2.3 (active messages).
 */
#ifndef GRAVEL_SERVE_CALLS_H
#define GRAVEL_SERVE_CALLS_H

#include "base/endpoints.h"
#include "memory/memory.h"
#include "serve/servers.h"
#include "transport/wire.h"

struct gravel_device_calls;

struct gravel_device_calls_shape {
    const struct gravel_device *device;
    const struct gravel_memory *memory;
    const struct gravel_endpoints *endpoints;
    const struct gravel_bindings *bindings; /* device_code; used by create only */
    const struct gravel_config *config;
    struct gravel_key_lock *keys; /* of handlers with keys */
    /* Whether a kernel of the caller's may keep the device to itself. */
    bool (*is_kept)(void *context);
    void *context;
};

/**
 * Build the handlers and their kernels.
 *
 * @param out  [out] NULL on failure, and if no handler is the device's.
 * @return     0; GRAVEL_EBUILD with the compiler's log; GRAVEL_ECL; GRAVEL_ENOMEM.
 */
int gravel_device_calls_create(struct gravel_device_calls **out,
                               const struct gravel_device_calls_shape *shape);

/** Frees it; NULL is allowed; not while gravel_device_calls_are_stuck. */
void gravel_device_calls_destroy(struct gravel_device_calls *calls);

/** Returns whether a run is of calls that the device makes. `calls` may be NULL: then none is. */
bool gravel_device_calls_can_take(const struct gravel_device_calls *calls,
                                  const struct gravel_run *run);

/**
 * Steps svm and usm: run them and wait.
 *
 * @param run  gets its answers, if it is of requests.
 * @return     0; GRAVEL_ECL; GRAVEL_EKERNEL: they do not end.
 */
int gravel_device_calls_run(struct gravel_device_calls *calls, const struct gravel_frame *frame,
                            struct gravel_run *run, uint32_t heap);

/**
 * Steps pump and drain: enqueue them behind what the queue has.
 *
 * @param uploaded     the frame on the device, which gets the run's answers.
 * @param heap_offset  of the node's heap in the arena [bytes].
 * @return             0; GRAVEL_ECL; GRAVEL_EKERNEL: earlier ones do not end.
 */
int gravel_device_calls_enqueue(struct gravel_device_calls *calls, cl_command_queue queue,
                                cl_mem uploaded, const struct gravel_frame *frame,
                                const struct gravel_run *run, uint64_t heap_offset);

/**
 * Wait until all that are under way have ended. NULL is allowed.
 *
 * @return  0; GRAVEL_ECL; GRAVEL_EKERNEL: one has not ended in time, is named, and stays where it
 * is.
 */
int gravel_device_calls_wait(struct gravel_device_calls *calls);

/**
 * Poll the calls under way, so that one that does not end is found even if no thread waits. NULL is allowed.
 *
 * @return  0, also once it has been reported; GRAVEL_ECL; GRAVEL_EKERNEL.
 */
int gravel_device_calls_poll(struct gravel_device_calls *calls);

/** Returns whether one has not ended in time: whatever it may use must stay. NULL is allowed. */
bool gravel_device_calls_are_stuck(const struct gravel_device_calls *calls);

/** Enqueue each for no message, for the reason of gravel_runs_warm_up. NULL is allowed.
 * @return 0; GRAVEL_ECL. */
int gravel_device_calls_warm_up(const struct gravel_device_calls *calls, cl_command_queue queue,
                                cl_mem uploaded);

#endif
