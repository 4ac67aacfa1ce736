/* SPDX-License-Identifier: MIT */
/*
 * The memory of an accumulator: a shadow of a range of words of every node, and which of them have changed.
 *
 *     struct gravelp_accumulator | words [n_parts][part_words] | bits | blocks | list
 *
 * A *part* is one node's range, rounded up to whole *blocks* of GRAVELP_ACCUMULATOR_BLOCK words; words are numbered
 * through all parts. A bit of `bits` says that a word waits, a bit of `blocks` that a block has such words. `list` has
 * the numbers of blocks that are to be sent.
 *
 * Path:    lib/accumulate lays it out -> the kernel's GRAVEL_ACCUMULATOR argument -> cl/accumulator.cl.h ->
 *          cl/kernels/accumulate.cl.
 */
#ifndef GRAVELP_LAYOUT_ACCUMULATOR_H
#define GRAVELP_LAYOUT_ACCUMULATOR_H

#include "base.h"

#define GRAVELP_ACCUMULATOR_BLOCK 1024u /* words */

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
    gravelp_u64 host_padding[6];
    /* Written by kernels. */
    gravelp_u32 n_listed;  /* blocks ever; free-running */
    gravelp_u32 n_refused; /* calls with what is not there, since the host has reported one */
    gravelp_u32 refused_type;
    gravelp_u32 device_padding;
    gravelp_u64 refused_index, refused_node; /* of the first of them, as refused_type */
    gravelp_u64 more_padding[4];
};

GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_accumulator) == 3 * GRAVELP_CACHELINE,
                      "one side a line");

#endif
