/* SPDX-License-Identifier: MIT */
/*
 * The boxes of the coprocessor models: what a node has for other nodes, and what they had for it.
 *
 *     box = bytes in each queue [BOX_MOST_NODES] | queue | queue | ...
 *     queue = run | run | ...
 *     run = command, messages, base | indices | row of values | ...
 *
 * An outbox has a queue for each destination, an inbox one for each source. A run is what one call
 * of a work-group had for a node. Operation and base are those of the call, so they stand once a
 * run. Rows begin at multiples of 8 bytes.
 *
 * Path:    coprocessor.cl.h fills an outbox -> coprocessor.c -> apply.cl empties an inbox
 */
#ifndef APPS_BOXES_H
#define APPS_BOXES_H

#ifdef __OPENCL_C_VERSION__
#include "gravel.cl.h"
#else
#include "layout/command.h"
#endif

#define BOX_MOST_NODES 64u
#define BOX_HEAD_BYTES (4u * BOX_MOST_NODES)
/* Where queue i begins; that of the first behind a box is what the box takes [bytes]. */
#define BOX_QUEUE(i, queue_bytes) (BOX_HEAD_BYTES + (gravelp_u64)(i) * (queue_bytes))

struct box_run {
    gravelp_u32 command; /* GRAVELP_COMMAND of every message */
    gravelp_u32 n;       /* messages */
    gravelp_u64 base;    /* heap offset that index 0 stands for [bytes] */
};

/* Offsets of the rows from the start of the run, and of what follows it [bytes]. */
#define BOX_ROW_BYTES(n, bytes) ((gravelp_u32)((n) * (bytes) + 7u) & ~7u)
#define BOX_INDICES ((gravelp_u32)sizeof(struct box_run))
#define BOX_VALUES(command, n, row)                                 \
    (BOX_INDICES + BOX_ROW_BYTES(n, GRAVELP_INDEX_BYTES(command)) + \
     (row)*BOX_ROW_BYTES(n, GRAVELP_VALUE_BYTES(command)))
#define BOX_RUN_BYTES(command, n) BOX_VALUES(command, n, GRAVELP_N_VALUES(command))

/* What a run takes at most besides its messages: its head, and 4 bytes behind each of two rows of
 * an odd number of words. */
#define BOX_RUN_EXTRA_BYTES (BOX_INDICES + 8u)

#endif
