/* SPDX-License-Identifier: MIT */
/*
 * The six ways to send small messages from kernels that the dissertation compares.
 *
 * The applications' kernels are the same under all of them. What differs is how the library
 * aggregates, and what the calls for a message do: a prelude of OpenCL C ahead of the application's
 * program says so. docs/results/models.md compares what they cost.
 *
 *     coprocessor           messages stay in a queue for each destination until their kernel has
 *                           ended; the host exchanges the queues, and the owners apply them
 *                           (coprocessor.cl.h, coprocessor.c, apply.cl)
 *     coprocessor-1m        the same with 1 MB a queue instead of 64 kB
 *     lane                  a lane's message is a network message (GRAVEL_AGGREGATION=off)
 *     coalesced             a work-group sorts its messages, and calls once for each destination;
 *                           a call is a network message (coalesced.cl.h, GRAVEL_AGGREGATION=group)
 *     coalesced-aggregated  the same, but calls are aggregated like any others
 *     gravel                a work-group sends together; aggregated over the whole device
 *
 * Path:    --model -> this -> node.c
 * Owner:   nothing; all is constant.
 * Threads: any.
 * Source:  Orr 2016, sections 3.1 to 3.3 and 5.5 (figure 5-11).
 */
#ifndef APPS_MODEL_H
#define APPS_MODEL_H

#include <stdint.h>

struct model {
    const char *name;
    const char *aggregation; /* GRAVEL_AGGREGATION */
    const char *prelude;     /* OpenCL C */
    uint32_t queue_bytes;    /* of one destination's queue; 0: this is no coprocessor */
};

/** All, and one of name NULL behind the last. */
extern const struct model models[];

/** The one that is Gravel. */
extern const struct model *const model_gravel;

/** @return  NULL if there is none of this name. */
const struct model *model_named(const char *name);

#endif
