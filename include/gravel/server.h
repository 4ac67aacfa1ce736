/* SPDX-License-Identifier: MIT */
/**
 * @file server.h
 * Clients and servers on one device: kernels whose work-groups send critical sections, as active messages with a key,
 * to the work-groups that own the keys (cl/server.cl.h).
 *
 * Source:  Wang, Fussell, Lin, Fast Fine-Grained Global Synchronization on GPUs, ASPLOS 2019.
 */
#ifndef GRAVEL_SERVER_H
#define GRAVEL_SERVER_H

#include "gravel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- programs and launches ------------------------------------------------------------------- */

/**
 * Builds an OpenCL program whose kernels have GRAVEL_SERVER_OPEN, as gravel_program_build. Its text has every handler
 * with a key: usually it is the bindings' device_code.
 *
 * @return  as gravel_program_build; GRAVEL_EINVAL (no handler has a key); GRAVEL_EBUILD also names a handler that is
 *          missing or has other parameters.
 */
int gravel_server_build(struct gravel *gravel, const char *name, const char *source,
                        const char *options, cl_program *program);

/**
 * Runs a kernel with a GRAVEL_SERVE loop over n_items work-items, and every handler with a key that it sends to this
 * node. Messages to other nodes, and those without a key, are applied as after any launch. Other messages with keys,
 * from any node, wait until this call lets them run.
 *
 * Clients and servers alternate, or run concurrently (GRAVEL_SERVER_MODE). In checked mode handlers run as those of
 * any launch, and the call waits and returns as gravel_quiet.
 *
 * One host thread at a time; no other kernel that sends runs during the call. After an error, handlers of messages
 * that were sent to this node run in the next launch at the latest.
 *
 * @param kernel   of gravel_server_build, with its arena set as argument 0.
 * @param n_items  0 is allowed.
 * @param wait     [n_wait] events before the kernel, which the call waits for as gravel_launch on drain; or NULL.
 * @param event    [out] of the last kernel, released by the caller, NULL if there was none; or NULL.
 * @return         0; GRAVEL_EINVAL (a kernel of another program, or without GRAVEL_SERVE; too many items; another
 *                 launch is in progress); GRAVEL_EKERNEL (a fault).
 *
 * Memory:  kernels launched and maps made after the call see what the handlers stored.
 * Source:  Wang, Fussell, Lin 2019, section 3.1, with clients and servers as two kernels.
 */
int gravel_server_launch(struct gravel *gravel, cl_kernel kernel, uint64_t n_items, cl_uint n_wait,
                         const cl_event *wait, cl_event *event);

#ifdef __cplusplus
}
#endif

#endif
