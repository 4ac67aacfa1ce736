/* SPDX-License-Identifier: MIT */
/*
 * Where a history lies in the heap, and a launch of it as the scripts that interpret.cl runs.
 *
 * Each word has a page of its own, for what is applied page by page. A group has a flag, which its put_signals raise at
 * their nodes, and a count of its answers; each of its calls has a place for the answer of each work-item.
 *
 * Path: history.h -> table.c -> run.c, interpret.cl
 */
#ifndef TESTS_HISTORY_TABLE_H
#define TESTS_HISTORY_TABLE_H

#include "history.h"

#define CELL_BYTES 4160u /* from word to word */
#define CELL_AT(cell) \
    ((uint64_t)(cell)*CELL_BYTES + 64u) /* room before and behind, for puts of bytes */
#define WORDS_BYTES (CELL_BYTES * HISTORY_CELLS)
#define GROUPS_OF_ALL (HISTORY_NODES * HISTORY_LAUNCHES * HISTORY_GROUPS)
#define FLAGS_BYTES 4096u
#define PLACES_OF_GROUP (HISTORY_STEPS * HISTORY_ITEMS)
#define N_PLACES (HISTORY_LAUNCHES * HISTORY_GROUPS * PLACES_OF_GROUP)

/* Heap offsets, the same at every node. */
struct layout {
    uint64_t words;    /* a word every CELL_BYTES */
    uint64_t flags;    /* uint [GROUPS_OF_ALL], behind the words: index and base address them too */
    uint64_t answered; /* uint [HISTORY_LAUNCHES][HISTORY_GROUPS]: answers that have come */
    uint64_t answers;  /* ulong [N_PLACES] */
};

struct table {
    struct history_call calls[HISTORY_GROUPS][HISTORY_STEPS];
    struct history_item items[HISTORY_GROUPS][HISTORY_STEPS][HISTORY_ITEMS];
};

uint64_t cell_offset(const struct layout *layout, uint32_t cell);

/** What a look waits for: a uint in the heap. */
uint64_t flag_of(const struct layout *layout, const struct event *look);

/** Of the answer to an event, or to a request that an event collects, among N_PLACES. */
uint32_t place_of(const struct event *event, uint32_t step);

/** A rank's launch. */
void table_fill(struct table *table, const struct layout *layout, const struct history *history,
                uint32_t origin, uint32_t launch);

#endif
