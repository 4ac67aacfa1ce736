/* SPDX-License-Identifier: MIT */
/*
 * Why a package is not sent on: of one of its messages the node does not exist, or a number has more bits than its row;
 * in checked mode also that an element is outside of its allocation, for the heap is symmetric.
 *
 * Path:    aggregator.c -> refuse.c -> node/report.c.
 * Threads: the aggregator's.
 */
#ifndef GRAVEL_AGGREGATE_REFUSE_H
#define GRAVEL_AGGREGATE_REFUSE_H

#include "aggregate/sender.h"
#include "layout/package.h"

#include <stdbool.h>
#include <stddef.h>

struct gravel_heap;

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
