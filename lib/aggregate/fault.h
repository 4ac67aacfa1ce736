/* SPDX-License-Identifier: MIT */
/*
 * What a kernel's fault report says, in words.
 *
 * Path:    cl/device/workgroup.cl.h (gravelp_fault) -> the arena -> aggregator.c -> fault.h.
 */
#ifndef GRAVEL_AGGREGATE_FAULT_H
#define GRAVEL_AGGREGATE_FAULT_H

#include "layout/arena.h"

#include <stddef.h>

/** @param fault  of the arena, not GRAVELP_FAULT_NONE; loaded so that what stands beside it is visible (F2). */
void gravel_fault_tell(const struct gravelp_arena *arena, uint32_t fault, char *text, size_t bytes);

#endif
