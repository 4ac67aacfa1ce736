/* SPDX-License-Identifier: MIT */
/*
 * The host's half of a flow for kernels compiled as C11: the library's headers and the kernel's do not go together.
 *
 * Path:    flow.c -> flow_memory.c -> lib/flow/layout.c.
 */
#ifndef GRAVEL_TSAN_FLOW_MEMORY_H
#define GRAVEL_TSAN_FLOW_MEMORY_H

#include "layout/flow.h"

struct flow_memory {
    struct gravelp_flow *flow; /* the caller frees it */
    struct gravelp_channel channels[2];
    uint32_t rows_at, levels_at, level_words, after_words; /* [words] */
};

/** Of fib(n): a stack of tasks, and one of sums. Ends the process if that fails. */
struct flow_memory flow_memory_make(uint32_t n, uint32_t width);

#endif
