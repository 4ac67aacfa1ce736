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
 * Path:    --model -> frame/node.c -> this -> coprocessor.c
 * Owner:   nothing; all is constant.
 * Threads: any.
 * Source:  Orr 2016, sections 3.1 to 3.3 and 5.5 (figure 5-11).
 */
#include "frame/node.h"

extern const char coalesced_cl[], coprocessor_cl[];

const struct model models[] = {{"coprocessor", "destination", coprocessor_cl, 64 << 10},
                               {"coprocessor-1m", "destination", coprocessor_cl, 1 << 20},
                               {"lane", "off", "", 0},
                               {"coalesced", "group", coalesced_cl, 0},
                               {"coalesced-aggregated", "destination", coalesced_cl, 0},
                               {"gravel", "destination", "", 0}};

const struct model *const model_gravel = &models[5];
