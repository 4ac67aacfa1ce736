/* SPDX-License-Identifier: MIT */
/**
 * @file server.h
 * Clients and servers on one device: kernels whose work-groups send critical sections, as active messages with a key,
 * to the work-groups that own the keys. What such a kernel looks like is in cl/server.cl.h.
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
 * Build an OpenCL program whose kernels have GRAVEL_SERVER_OPEN.
 *
 * Its text has every handler with a key, as the text of struct gravel_bindings' device_code does: usually they are one
 * text.
 *
 * @param name     file name for the compiler's messages.
 * @param source   text of the program, which includes "gravel.cl.h".
 * @param options  compiler options, or NULL.
 * @param program  [out] to be released by the caller.
 * @return         0; GRAVEL_EINVAL (no handler has a key); GRAVEL_EBUILD, with the compiler's log: a handler that is
 *                 missing or has other parameters is named; GRAVEL_ENOMEM; GRAVEL_ECL.
 */
int gravel_server_build(struct gravel *gravel, const char *name, const char *source,
                        const char *options, cl_program *program);

/**
 * Run a kernel with a GRAVEL_SERVE loop over n_items work-items, and the messages with keys that it sends to this node.
 *
 * In phases clients and servers take turns: a kernel of clients ends when an inbox is nearly full or no work is left,
 * one of servers empties the inboxes. Resident servers run concurrently with their clients, in one kernel
 * (GRAVEL_SERVER_MODE). The call returns when all work-items have been taken and every handler that was sent to this
 * node has run. Messages to other nodes, and those without a key, are applied as after any launch: see gravel_quiet.
 * Other messages with keys, from any node, wait until it lets them run.
 *
 * In checked mode (GRAVEL_CHECK) the handlers run as those of any launch, and this call waits for them as gravel_quiet
 * does, and returns what it returns.
 *
 * One host thread at a time, and no other kernel that sends runs during the call.
 *
 * @param kernel   of a program of gravel_server_build; its argument 0 is set by gravel_kernel_set_arena.
 * @param n_items  work-items; 0 is allowed.
 * @param wait     [n_wait] events before the kernel, or NULL. The call waits for them, as gravel_launch on drain:
 *                 another thread has to set a user event that holds them up, within GRAVEL_TIMEOUT.
 * @param event    [out] of the last kernel, to be released by the caller, or NULL if there was none, or on failure; or
 *                 NULL.
 * @return         0; GRAVEL_EINVAL (a kernel of another program, or without GRAVEL_SERVE; too many items; a
 *                 launch of another thread is under way); GRAVEL_EKERNEL (a fault, which is named); GRAVEL_ECL; what
 *                 made the node fail.
 *
 * After an error, handlers of messages that the launch has sent to this node run in the next one at the latest.
 *
 * Memory:  kernels launched and maps made after the call see what the handlers stored.
 * Source:  Wang, Fussell, Lin 2019, section 3.1, where clients and servers run side by side, and are two kernels.
 */
int gravel_server_launch(struct gravel *gravel, cl_kernel kernel, uint64_t n_items, cl_uint n_wait,
                         const cl_event *wait, cl_event *event);

#ifdef __cplusplus
}
#endif

#endif
