/* SPDX-License-Identifier: MIT */
/*
 * An accumulator: its shadow, the kernels that flush it, where they pack what is sent, and its place among those of its
 * node.
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
#include "opencl/pinned.h"
#include "transport/pool.h"

/* What a flush reads, in pinned memory. */
struct gravel_accumulator_seen {
    const uint32_t *n_few, *n_refused, *refused_type;
    const uint64_t *refused_index, *refused_node;
    const struct gravelp_accumulator_tally *tallies; /* [n_parts] */
    const unsigned char *nodes, *indices, *values;   /* of the few */
};

struct gravel_accumulator {
    struct gravel *gravel;
    struct gravel_flush flush; /* of it, among those of the node */
    struct gravel_guard guard; /* of the range, in checked mode */
    struct gravelp_accumulator head;
    uint64_t bytes; /* of the memory */
    cl_mem memory, packed;
    uint64_t packed_bytes;
    struct gravel_pinned staging; /* [seen_bytes] from offset seen_at of the memory */
    uint64_t seen_at, seen_bytes;
    struct gravel_accumulator_seen seen;
    cl_event copied;        /* the last copy to there; NULL: none has begun */
    bool is_copying;        /* that copy is still to be seen */
    uint32_t n_block_words; /* of the bits of blocks */
    uint32_t pack_blocks;   /* packed at once, at most */
    uint32_t turn;          /* of the next collect */
    uint32_t pack_turn;     /* of the next pack */
    bool is_listed;         /* the last collect's lists are not yet sent */
    bool is_packed;         /* the last pack's words are not */
    uint64_t first; /* place of the lists from which on words are packed next, or are packed */
    cl_program program;
    cl_kernel clear, collect, pack;
    size_t group; /* [work-items] */
    /* Parts for nodes of this process are applied from where they are packed. */
    struct gravel_pool staying;  /* of their headers; no buffer: parts are copied */
    struct gravel_buffer *spare; /* at home, a list */
    uint32_t n_away;
};

/** flush.c: all words as they begin. @return 0; GRAVEL_ECL; as gravel_node_enqueue. */
int gravel_accumulator_clear(struct gravel_accumulator *accumulator);

/**
 * flush.c: list what waits, behind all kernels on the queue; is_listed then. The node's flushes are entered.
 *
 * @param n_blocks  [out] of the lists.
 * @return          0; as gravel_accumulator_flush.
 */
int gravel_accumulator_collect(struct gravel_accumulator *accumulator, uint64_t *n_blocks);

/** flush.c: of kernels' calls with what is not there, as last seen: GRAVEL_EINVAL or GRAVEL_ERANGE, once; else 0, or
 * GRAVEL_ECL. The next call that is refused is reported too. */
int gravel_accumulator_report_refused(struct gravel_accumulator *accumulator);

/** flush.c: `flush` is the accumulator's. See struct gravel_flush. */
int gravel_accumulator_send(struct gravel_flush *flush);

/** flush.c: wait until no packed word is still to be applied. @return 0; the node's failure. */
int gravel_accumulator_come_home(struct gravel_accumulator *accumulator);

#endif
