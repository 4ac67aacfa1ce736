/* SPDX-License-Identifier: MIT */
/*
 * What a kernel's fault report says, in words, and why a package is not sent on: of one of its messages the node does
 * not exist, or a number has more bits than its row; in checked mode also that an element is outside of its allocation,
 * for the heap is symmetric.
 *
 * Path:    cl/device/workgroup.cl.h (gravelp_fault) -> the arena -> aggregator.c -> fault.h -> node/log.c.
 * Threads: the aggregator's.
 */
#ifndef GRAVEL_AGGREGATE_FAULT_H
#define GRAVEL_AGGREGATE_FAULT_H

#include "aggregate/sender.h"
#include "layout/arena.h"

struct gravel_heap;

/** @param fault  of the arena, not GRAVELP_FAULT_NONE; loaded so that what stands beside it is visible (F2). */
void gravel_fault_tell(const struct gravelp_arena *arena, uint32_t fault, char *text, size_t bytes);

/**
 * @param heap     the node's books; NULL if unknown.
 * @param header   of the package; a copy.
 * @param node     the destination that does not exist, or GRAVELP_NODE_FAR.
 * @param n_nodes  that there are.
 * @param text     [out] [bytes]
 */
void gravel_refuse_tell(struct gravel_heap *heap, const struct gravelp_package *header,
                        const struct gravel_columns *columns, uint32_t node, uint32_t n_nodes,
                        char *text, size_t bytes);

/**
 * Whether an index, or the place of an answer, is not in the allocation of its base: `text` [bytes] says so. A base
 * that is no multiple of its type's size is left to the node that has the element.
 *
 * @param heap  as above; NULL: nothing is outside.
 */
bool gravel_refuse_outside(struct gravel_heap *heap, const struct gravel_columns *columns,
                           char *text, size_t bytes);

#endif
