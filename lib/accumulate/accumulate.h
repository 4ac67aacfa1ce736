/* SPDX-License-Identifier: MIT */
/*
 * An accumulator: its shadow, the kernels that flush it, and where they pack what is sent.
 *
 * Path:    gravel/accumulator.h -> create.c, flush.c -> cl/kernels/accumulate.cl; node/waits.c asks for flushes.
 * Owner:   the caller of gravel_accumulator_create.
 * Threads: flushes any, one at a time (gravel_objects_enter); else one at a time.
 */
#ifndef GRAVEL_ACCUMULATE_ACCUMULATE_H
#define GRAVEL_ACCUMULATE_ACCUMULATE_H

#include "gravel/accumulator.h"
#include "layout/accumulator.h"
#include "node/object.h"
#include "opencl/region.h"
#include "transport/pool.h"

/* How far a flush has come: what is enqueued, and not yet sent. flush.c has one function that changes it. */
enum gravel_accumulator_state {
    GRAVEL_ACCUMULATOR_IDLE,    /* nothing is */
    GRAVEL_ACCUMULATOR_LISTED,  /* lists, whose blocks from position `first` on wait to be packed */
    GRAVEL_ACCUMULATOR_PACKED,  /* these blocks' words, which are in `packed` and nowhere else */
    GRAVEL_ACCUMULATOR_READING, /* a read behind that pack: `copied` */
};

struct gravel_accumulator {
    struct gravel_object object;
    struct gravelp_accumulator head;
    uint64_t bytes; /* of the memory */
    cl_mem memory, packed;
    uint64_t packed_bytes;
    struct gravel_pinned staging; /* what a flush reads: head, tallies and the few */
    uint64_t seen_bytes;          /* of them */
    cl_event copied;              /* the last read to there; NULL: none has begun */
    uint32_t n_block_words;       /* of the bits of blocks */
    uint32_t pack_blocks;         /* packed at once, at most */
    enum gravel_accumulator_state state;
    uint32_t list_tally,
        pack_tally; /* 0 or 1: which of the two the last list and pack counted in */
    uint64_t first; /* see LISTED and PACKED */
    /* Parts for nodes of this process are applied from where they are packed. */
    struct gravel_pool headers; /* in flight; no buffer: parts are copied */
};

/* Its kernels. */
enum { GRAVEL_ACCUMULATOR_CLEAR, GRAVEL_ACCUMULATOR_COLLECT, GRAVEL_ACCUMULATOR_PACK };

/** flush.c: set words to what changes none: all, or those that do not wait. @return 0; GRAVEL_ECL. */
int gravel_accumulator_clear(struct gravel_accumulator *accumulator, bool keeps_waiting);

/** flush.c: refuses the end of struct gravel_object_kind while words wait. */
int gravel_accumulator_check_end(struct gravel_object *object);

/** flush.c: flushes, for struct gravel_object_kind. */
int gravel_accumulator_send(struct gravel_object *object);

/** flush.c: waits until every packed word is applied. @return 0; the node's failure. */
int gravel_accumulator_wait_applied(struct gravel_accumulator *accumulator);

#endif
