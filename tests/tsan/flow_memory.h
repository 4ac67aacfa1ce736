/* SPDX-License-Identifier: MIT */
/*
 * The host's half of a flow for kernels compiled as C11: the library's headers and the kernel's do not go together.
 *
 * Path:    flow.c -> flow_memory.c -> lib/flow/layout.c.
 */
#ifndef GRAVEL_TSAN_FLOW_MEMORY_H
#define GRAVEL_TSAN_FLOW_MEMORY_H

#include "layout/flow.h"

/* FIB: a stack of tasks, and one of sums. GRID: a stream of grids, whose cells are held, and an output. */
enum flow_graph { FLOW_FIB, FLOW_GRID };

#define FLOW_CHANNELS 3u  /* at most */
#define FLOW_GRID_SIDE 3u /* a grid has as many cells as a square of that */
#define FLOW_OUT_WIDTH 64u

struct flow_memory {
    struct gravelp_flow *flow; /* the caller frees it */
    struct gravelp_channel channels[FLOW_CHANNELS];
    uint32_t rows_at, held_at, held_words, held_stride, levels_at, level_words,
        after_words; /* [words] */
};

/** Ends the process if that fails. @param width  of all channels but outputs. */
struct flow_memory flow_memory_make(enum flow_graph which, uint32_t depth, uint32_t width);

#endif
