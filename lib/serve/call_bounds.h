/* SPDX-License-Identifier: MIT */
/*
 * In checked mode: what a handler on the device has asked for outside of its allocation (gravel_call_at).
 *
 * Path:    calls.c, when a run has ended -> call_bounds.c -> lib/memory/memory.c.
 * Note:    servers run no handlers in checked mode.
 * Threads: the network thread.
 */
#ifndef GRAVEL_SERVE_CALL_BOUNDS_H
#define GRAVEL_SERVE_CALL_BOUNDS_H

#include "gravel/gravel.h"
#include "memory/memory.h"

/** @return 0, also without checked mode; GRAVEL_EKERNEL with handler, line, base, index and bound; GRAVEL_ECL. */
int gravel_call_bounds_report(const struct gravel_memory *memory,
                              const struct gravel_handler *handlers, uint32_t n_handlers);

#endif
