/* SPDX-License-Identifier: MIT */
/*
 * Nodes that histories run on, with what a run needs of OpenCL and of the heap.
 *
 * Path:    nodes.c opens them -> run.c, observe.c -> history.c
 * Owner:   nodes.c. Where the host addresses the heap, words and flags stay mapped, for handlers and polls.
 * Threads: the main thread, and one more of the host's while a history runs; note() in the network thread.
 */
#ifndef TESTS_HISTORY_NODES_H
#define TESTS_HISTORY_NODES_H

#include "history.h"
#include "support.h"

#include <gravel/accumulator.h>
#include <gravel/mirror.h>
#include <gravel/rounds.h>
#include <inttypes.h>
#include <string.h>

/* ---- table.c: where a history lies in the heap, and a launch of it as scripts ------------------- */

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

/* ---- nodes.c ----------------------------------------------------------------------------------- */

enum handler { NOTE, OR_WORD, SWAP_WORD, N_HANDLERS };

struct nodes {
    struct gravel *gravel;
    struct layout layout;
    uint32_t node, n_nodes;
    bool is_one_process, asks;
    cl_program program;
    cl_kernel kernels[HISTORY_LAUNCHES]; /* each with the buffers of its launch */
    cl_mem calls[HISTORY_LAUNCHES], items[HISTORY_LAUNCHES], seen[HISTORY_LAUNCHES];
    struct gravel_accumulator *total, *most; /* NULL beside rounds, whose launches they end */
    struct gravel_rounds *rounds;            /* NULL: launches are of kernels */
    struct gravel_mirror *copies,
        *slots; /* of the words HISTORY_MIRRORED and _SLOTTED of all nodes */
    struct history *running;
    uint64_t n_noted[HISTORY_NODES], n_recorded[HISTORY_NODES];
    uint32_t n_sessions;               /* begun and not ended */
    const char *mapped[HISTORY_NODES]; /* NULL where the host does not address the heap */
    const char *flags;                 /* of this node; too */
};

/** A call that must succeed, or the test ends and names the history. */
#define WORKS(nodes, call)                                                                        \
    do {                                                                                          \
        if (call)                                                                                 \
            die(__FILE__, __LINE__, "history %" PRIu64 ": %s: %s", (nodes)->running->seed, #call, \
                gravel_last_error());                                                             \
    } while (0)

/** Open by the launcher and the environment, with handlers of the device or without, and compile. Collective. */
struct nodes *nodes_open(bool asks, bool has_rounds);
void nodes_close(struct nodes *nodes);

/** What a history's seed does not say. */
void nodes_describe(const struct nodes *nodes, struct history *history);

/** The sum of the ranks' numbers. Collective. */
uint64_t nodes_sum(struct nodes *nodes, uint64_t number);

/* ---- run.c ------------------------------------------------------------------------------------- */

/** Let it happen, and let every rank know what was seen. Collective. A history_run; user is a struct nodes. */
void nodes_run(struct history *history, void *user);

/** A launch of this rank: its scripts, before any launch; and itself. */
void prepare_launch(struct nodes *nodes, const struct history *history, uint32_t launch);
void run_launch(struct nodes *nodes, uint32_t launch);

/* ---- observe.c --------------------------------------------------------------------------------- */

/** The handler of active messages: notes their order, and looks at words. */
gravel_handler_function note;

/** The function of the stream of records: notes their order. */
gravel_stream_function take_records;

/** A word that may change meanwhile. */
uint64_t load_word(const char *word, uint32_t type);

/** Behind a run's last barrier: what was seen, and the words then. Collective. */
void observe(struct nodes *nodes, struct history *history);

#endif
