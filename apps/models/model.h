/* SPDX-License-Identifier: MIT */
/*
 * The six ways to send small messages from kernels that the dissertation compares.
 *
 * The applications' kernels are the same under all of them. What differs is how the library aggregates, and what the
 * calls for a message do: a prelude of OpenCL C ahead of the application's program says so. docs/models.md compares them.
 *
 *     coprocessor           coprocessor.cl.h, coprocessor.c   a queue a destination in device memory; kernels end, the
 *     coprocessor-1m        the same, with 1 MB a queue       host exchanges the queues, owners apply them, next launch
 *     lane                  (GRAVEL_AGGREGATION=off)          every message of a lane is a network message
 *     coalesced             coalesced.cl.h, =group            a work-group sorts, and calls once a destination: each call
 *     coalesced-aggregated  coalesced.cl.h                    is a network message; or is aggregated like any other
 *     gravel                (nothing)                         a work-group sends together; aggregated over the whole device
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
