/* SPDX-License-Identifier: MIT */
/*
 * An accumulator: its shadow, the kernels that flush it, and its place among those of its node.
 *
 * Path:    gravel/accumulator.h -> create.c, flush.c -> cl/kernels/accumulate.cl; node/flushes.c asks for flushes.
 * Owner:   the caller of gravel_accumulator_create.
 * Threads: flushes any, one at a time (flushes.c); else one at a time.
 */
#ifndef GRAVEL_ACCUMULATE_ACCUMULATE_H
#define GRAVEL_ACCUMULATE_ACCUMULATE_H

#include "gravel/accumulator.h"
#include "layout/accumulator.h"
#include "node/node.h"

struct gravel_accumulator {
    struct gravel *gravel;
    struct gravel_flush flush; /* of it, among those of the node */
    struct gravel_guard guard; /* of the range, in checked mode */
    struct gravelp_accumulator head;
    uint64_t bytes; /* of the memory */
    cl_mem memory;
    uint32_t n_block_words; /* of the bits of blocks */
    uint32_t n_seen;        /* n_listed, when the host last saw it */
    uint32_t n_collected;   /* blocks of the list, from its beginning, that are not yet sent */
    cl_program program;
    cl_kernel clear, collect, send;
    size_t group; /* [work-items] */
};

/** flush.c: all words as they begin. @return 0; GRAVEL_ECL; as gravel_node_enqueue. */
int gravel_accumulator_clear(struct gravel_accumulator *accumulator);

/**
 * flush.c: list what waits, behind all kernels on the queue; n_collected is not 0 then. The node's flushes are entered.
 *
 * @return  0; as gravel_accumulator_flush.
 */
int gravel_accumulator_collect(struct gravel_accumulator *accumulator);

/** flush.c: `flush` is the accumulator's. See struct gravel_flush. */
int gravel_accumulator_send(struct gravel_flush *flush);

#endif
