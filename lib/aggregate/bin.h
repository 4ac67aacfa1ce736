/* SPDX-License-Identifier: MIT */
/*
 * Where the next message to a destination goes, and the loops that put messages there.
 *
 * A bin, one cache line, holds what the loops need, so that a message costs a load of its bin and a store a row. They
 * stop at a bin that has no room or belongs to another run, which is rare; the sender renews it.
 *
 * Path:    sender.c -> bin.c -> rows of node buffers.
 * Threads: the sender's.
 * Source:  Orr 2016, section 5.2.2 (indirect aggregation).
 */
#ifndef GRAVEL_AGGREGATE_BIN_H
#define GRAVEL_AGGREGATE_BIN_H

#include "transport/buffer.h"

#include <stddef.h>

/* The open run of a destination's open buffer. */
struct gravel_bin {
    _Alignas(GRAVELP_CACHELINE) unsigned char *index; /* first index of the run */
    unsigned char *values[GRAVEL_AM_MAX_ARGS];        /* first value of each row */
    uint32_t n;                                       /* messages in the run */
    uint32_t end;                                     /* messages it has room for */
    uint32_t run; /* the sender's run number it was opened for; another number: look again */
};

/* Messages of one run, in rows, as in a package. */
struct gravel_columns {
    struct gravel_run_key key;
    uint32_t n;
    const uint32_t *nodes;                           /* [n] */
    const unsigned char *index;                      /* [n] of GRAVELP_INDEX_BYTES; NULL if 0 */
    const unsigned char *values[GRAVEL_AM_MAX_ARGS]; /* rows of [n] */
};

struct gravel_bins {
    struct gravel_bin *bins; /* [nodes] */
    uint32_t run;            /* number of the current run; never 0 */
};

/**
 * Bin n messages, from column `first` on.
 *
 * @param nodes  [n] their destinations, checked, in memory that no other thread writes.
 * @return       messages binned: n, or fewer if the next one's bin must be renewed.
 */
uint32_t gravel_bin_messages(const struct gravel_bins *bins, const struct gravel_columns *columns,
                             const uint32_t *nodes, size_t first, uint32_t n);

/** Bin messages that all go to one node, as gravel_bin_messages does. */
uint32_t gravel_bin_rows(const struct gravel_bins *bins, const struct gravel_columns *columns,
                         uint32_t node, size_t first, uint32_t n);

#endif
