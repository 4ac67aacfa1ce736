/* SPDX-License-Identifier: MIT */
/*
 * The six ways to send small messages from kernels that the dissertation compares: docs/results/models.md says what each is.
 *
 * The applications' kernels are the same under all of them. What differs is how the library aggregates
 * (GRAVEL_AGGREGATION), and what the calls for a message do: a prelude of OpenCL C ahead of the application's program.
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
