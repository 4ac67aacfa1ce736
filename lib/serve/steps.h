/* SPDX-License-Identifier: MIT */
/*
 * Steps of transactions between nodes, on the device: find the nodes of keys, load a datum, run, store a datum. And
 * runs of handlers with keys that had to wait for such transactions.
 *
 * Path:    transactions.c -> steps.c -> kernels GRAVEL_STEP_KERNEL NAME (serve/call_text.h).
 * Owner:   memory for records is its own; the caller's are copied.
 * Threads: the network thread, while it holds the turn (gravel_device_calls_hold).
 */
#ifndef GRAVEL_SERVE_STEPS_H
#define GRAVEL_SERVE_STEPS_H

#include "layout/transaction.h"
#include "serve/calls.h"

#define GRAVEL_STEP_MOST 4096u /* records of a kernel */

struct gravel_device_steps;

/**
 * Make the kernels.
 *
 * @param calls      of the node, built; outlives the steps. NULL: there are no steps.
 * @param runs_wait  whether runs may have to wait, though the program does not say of which node a key is.
 * @param out        [out] NULL on failure, and if there is nothing to do: no key is of another node, and runs that
 *                   waited are gravel_device_calls_run's.
 * @return           0; GRAVEL_ECL; GRAVEL_ENOMEM.
 */
int gravel_device_steps_create(struct gravel_device_steps **out, struct gravel_device_calls *calls,
                               bool runs_wait);

/** NULL is allowed. */
void gravel_device_steps_destroy(struct gravel_device_steps *steps);

/** Whether a handler's transactions may have keys of two nodes. `steps` may be NULL. */
bool gravel_device_steps_have(const struct gravel_device_steps *steps, uint32_t handler);

/**
 * A step of n transactions of a handler.
 *
 * @param records  [n][GRAVELP_TRANSACTION_BYTES(datum_words)], read and written; no two have a lock in common.
 * @return         0; GRAVEL_ECL; GRAVEL_EKERNEL: the handler does not end.
 */
int gravel_device_steps_run(struct gravel_device_steps *steps, uint32_t handler, uint32_t step,
                            void *records, uint32_t n);

/** Run what waited: a run, behind the header of its frame; it gets its answers. @return as gravel_device_steps_run. */
int gravel_device_steps_call(struct gravel_device_steps *steps, struct gravel_frame *frame,
                             uint32_t heap);

#endif
