/* SPDX-License-Identifier: MIT */
/*
 * Why a package is not sent on: of one of its messages the node does not exist, or a number has more bits than its row.
 *
 * Path:    aggregator.c -> refuse.c -> node/report.c.
 * Threads: the aggregator's.
 */
#ifndef GRAVEL_AGGREGATE_REFUSE_H
#define GRAVEL_AGGREGATE_REFUSE_H

#include "aggregate/sender.h"
#include "layout/package.h"

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

#endif
