/* SPDX-License-Identifier: MIT */
/*
 * When the node buffers of kernels' messages leave: what GRAVEL_AGGREGATION says.
 *
 * Gravel fills a buffer for each destination from the packages of all work-groups. The other two ways are there to
 * be compared with: a buffer for each destination of one package, and one for each message.
 *
 * Path:    aggregator.c -> this -> sender.c
 * Owner:   nothing.
 * Threads: the sender's.
 * Source:  Orr 2016, sections 3.2, 3.3 and 5.5.
 */
#ifndef GRAVEL_AGGREGATE_AGGREGATION_H
#define GRAVEL_AGGREGATE_AGGREGATION_H

#include "aggregate/sender.h"

/* As the choices of GRAVEL_AGGREGATION stand in config.h. */
enum gravel_aggregation {
    GRAVEL_AGGREGATE_DESTINATION, /* a buffer leaves when it is full, old, or asked for */
    GRAVEL_AGGREGATE_GROUP,       /* when a package has been binned */
    GRAVEL_AGGREGATE_OFF          /* with every message */
};

/** gravel_sender_append, and the buffers that are to leave with it. A package that is refused is so as a whole. */
int gravel_aggregation_append(enum gravel_aggregation aggregation, struct gravel_sender *sender,
                              const struct gravel_columns *columns, uint64_t now_ns,
                              uint32_t *refused);

#endif
