/* SPDX-License-Identifier: MIT */
/*
 * The memory of an accumulator: a shadow of a range of words of every node, and which of them have changed.
 *
 *     struct gravelp_accumulator | tallies [n_parts] | few | words [n_parts][part_words] | bits | blocks | list
 *
 * A *part* is one node's range, rounded up to whole *blocks* of GRAVELP_ACCUMULATOR_BLOCK words; words are numbered
 * through all parts. A bit of `bits` says that a word waits, a bit of `blocks` that a block has such words. `list` has,
 * for each part, the numbers in it of blocks that are to be sent. Blocks of the lists have *positions*: first those of
 * part 0, then those of part 1, and so on.
 *
 * A flush packs the words of a stretch of positions: indices and values, part behind part, in memory of their own, so
 * that a part is copied from there to where its messages travel from; and the first GRAVELP_ACCUMULATOR_FEW of all in
 * `few`, which the host reads with the tallies:
 *
 *     few = nodes [GRAVELP_ACCUMULATOR_FEW] | indices | values
 *
 * Path:    lib/accumulate lays it out -> the kernel's GRAVEL_ACCUMULATOR argument -> cl/accumulator.cl.h ->
 *          cl/kernels/accumulate.cl -> lib/accumulate/flush.c.
 */
#ifndef GRAVELP_LAYOUT_ACCUMULATOR_H
#define GRAVELP_LAYOUT_ACCUMULATOR_H

#include "base.h"

#define GRAVELP_ACCUMULATOR_BLOCK 1024u /* words */
#define GRAVELP_ACCUMULATOR_FEW 1024u   /* messages */
#define GRAVELP_REFUSED_VALUE 8u        /* instead of a type: a fixed-point value out of range */

/* Of a part. A flush counts in one of the two, and clears the other one for the next. */
struct gravelp_accumulator_tally {
    gravelp_u32 n_listed[2]; /* blocks */
    gravelp_u32 n_packed[2]; /* words */
};

struct gravelp_accumulator {
    /* Written by the host while no kernel runs. */
    gravelp_u32 op, word_type; /* of operation.h */
    gravelp_u32 n_nodes;
    gravelp_u32 n_parts; /* all nodes', or 0: a node that is alone changes its words themselves */
    gravelp_u64 offset;  /* [bytes] heap offset of element 0 */
    gravelp_u64 n;       /* elements of a node's range */
    gravelp_u64 part_words;                            /* of the shadow */
    gravelp_u64 words_at, bits_at, blocks_at, list_at; /* [bytes] from here */
    gravelp_u64 neutral;                               /* bits of what changes no word */
    gravelp_u64 few_at;                                /* [bytes] from here */
    gravelp_u64 packed_values_at; /* [bytes] from the packed words, whose indices come first */
    gravelp_u32 index_bytes;      /* of messages: 4, or 8 of a range that needs them */
    gravelp_u32 host_padding[7];
    /* Written by kernels. */
    gravelp_u32 n_few[2];     /* words packed of all parts, as tallies have them */
    gravelp_u32 n_refused;    /* calls with what is not there, since the host has reported one */
    gravelp_u32 refused_type; /* of operation.h, or GRAVELP_REFUSED_VALUE */
    gravelp_u64 refused_index, refused_node; /* of the first of them, as refused_type */
    gravelp_u64 device_padding[4];
};

GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_accumulator) == 3 * GRAVELP_CACHELINE,
                      "one side a line");

#endif
