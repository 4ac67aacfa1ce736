/* SPDX-License-Identifier: MIT */
/*
 * Checked mode's table of allocations in the arena (layout/bounds.h), for handlers on the device.
 *
 * Path:    node/heap.c -> bounds.c -> memory.c; serve/call_bounds.c reads the fault.
 * Threads: publish by one that allocates or frees; read_fault by the network thread.
 */
#ifndef GRAVEL_MEMORY_BOUNDS_H
#define GRAVEL_MEMORY_BOUNDS_H

#include "layout/bounds.h"
#include "memory/heap_books.h"
#include "memory/memory.h"

/** Show the allocations to handlers; nothing without checked mode. @return as gravel_memory_write. */
int gravel_bounds_publish(const struct gravel_memory *memory, struct gravel_heap *heap);

/** Read the first index outside; claim 0: there is none. Handlers have ended. @return as gravel_memory_read. */
int gravel_bounds_read_fault(const struct gravel_memory *memory,
                             struct gravelp_bounds_fault *fault);

#endif
