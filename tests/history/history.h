/* SPDX-License-Identifier: MIT */
/*
 * A history: what ranks, their launches, work-groups and work-items do to a few words of each node, and what they saw.
 *
 * It is a list of events. An event taken out leaves a history, which is how a failing one is shrunk. Words are of kinds
 * (cells.c) whose values tell most of the order in which they were changed.
 *
 * Path:    generate.c draws it -> table.c, run.c, observe.c let it happen -> order.c, check.c judge it -> shrink.c, print.c
 * Owner:   the caller; no pointers, so a history is copied by assignment.
 * Threads: one; handlers of a run note what they see in the network thread, before the run's last barrier.
 */
#ifndef TESTS_HISTORY_H
#define TESTS_HISTORY_H

#include "script.h"

#include <gravel/gravel.h>
#include <stdbool.h>

#define HISTORY_NODES 4u
#define HISTORY_LAUNCHES 2u
#define HISTORY_HOST HISTORY_GROUPS         /* the group of what the host itself does */
#define HISTORY_THREAD (HISTORY_GROUPS + 1) /* and another thread of it, beside all launches */
#define HISTORY_JOINT (HISTORY_GROUPS + 2)  /* and what the hosts of all ranks do together */
#define HISTORY_JOINT_STEPS 2u              /* first of all that a host does ahead of a launch */
#define HISTORY_EVENTS 512u
#define HISTORY_CELLS 19u
#define HISTORY_LOG (HISTORY_CELLS - 1)      /* no word: the order of a node's active messages */
#define HISTORY_RECORDS (HISTORY_CELLS - 2)  /* no word: the order of a node's records */
#define HISTORY_COUNTER (HISTORY_CELLS - 3)  /* summed and zeroed by a barrier */
#define HISTORY_MIRRORED (HISTORY_CELLS - 4) /* of which all ranks have copies */
#define HISTORY_SLOTTED (HISTORY_CELLS - 5)  /* for which all ranks have slots */
#define HISTORY_MOST (HISTORY_CELLS - 6)     /* has an accumulator; as the next */
#define HISTORY_TOTAL (HISTORY_CELLS - 7)
#define HISTORY_FLAG HISTORY_CELLS /* the group's flag at the node, which put_signals raise too */
#define HISTORY_OF_A_CELL 20u      /* events at most, so that a search ends */

/* What one work-item, or the host, does in one step. */
struct event {
    uint8_t origin;     /* the rank that does it */
    uint8_t launch;     /* of the rank; the host's are done before that launch */
    uint8_t group;      /* of the launch, or HISTORY_HOST */
    uint8_t step;       /* of the group, or of the host ahead of the launch */
    uint8_t item;       /* of the group */
    uint8_t op;         /* of gravel/operation.h, or HISTORY_ADDED to HISTORY_SHARE */
    uint8_t type, form; /* one for a step */
    uint8_t node, cell; /* the word */
    uint8_t of_origin, of_launch, of_group; /* a look's: whose flag it waits for */
    uint8_t of_step; /* as raised by its steps up to this one; a collect's: the step that asked */
    uint64_t value, expected;
    uint64_t seen;   /* what was there before: the word; active messages in the log */
    uint32_t n_seen; /* times that it was: 1 of a request, look or active message */
};

struct history {
    uint64_t seed;
    uint32_t n_nodes, n_origins; /* one process is all loop-back nodes, and sends as node 0 */
    uint32_t n_launches;
    bool kernels_wait;  /* not on drain */
    bool asks;          /* handlers of the device */
    bool handlers_look; /* at words: where the host addresses the heap */
    bool has_rounds;    /* a launch is a run of all ranks */
    uint32_t n_events;
    struct event events[HISTORY_EVENTS];
    uint64_t last[HISTORY_NODES][HISTORY_CELLS]; /* words at the end */
};

/* ---- event.c ----------------------------------------------------------------------------------- */

/** Whether it is of a launch, and no call of the host's threads. */
bool is_of_kernel(const struct event *event);
/** Whether it is of a launch that is a run of rounds. */
bool is_of_phase(const struct event *event);
/** Whether it is the call of all ranks' hosts at once. */
bool is_joint(const struct event *event);
/** Whether it changes or sees a word, or a log. */
bool is_of_word(const struct event *event);
/** Whether it sends a message, whether that asks for an answer, and whether the event sees something. */
bool is_message(const struct event *event);
bool is_request(const struct event *event);
bool is_seeing(const struct event *event);
/** What a host's program has in this place: its own calls and launches, and those of all ranks. */
uint32_t host_place(const struct event *event);
/** Whether it leaves the word as it was: what it does besides is to see. */
bool is_reading(const struct event *event);

/** Whether two events are of one group, whose calls have an order, or of the host's other thread. */
bool are_of_one_group(const struct event *a, const struct event *b);

/** Whether an event raises its group's flag at the node. */
bool raises_flag(const struct event *event);
/** Whether an event is of the group for whose flag a look waits; whether it raises it as the look waits for; how many do. */
bool is_of_flag(const struct event *event, const struct event *look);
bool is_raising(const struct event *event, const struct event *look);
uint32_t n_raising(const struct history *history, const struct event *look);

/** Whether a collect waits for an event's answer; the request whose answer it reads, NULL if that is not there. */
bool is_counted(const struct event *event, const struct event *collect);
const struct event *request_of(const struct history *history, const struct event *collect);

/* ---- cells.c: the words ----------------------------------------------------------------------- */

/* What a word is for: the operations on it, and what their values tell. */
enum cell_kind {
    REGISTER, /* each stored value once */
    SUM,      /* each operation has a bit of its own, in this and the next three */
    ORS,
    XORS,
    ANDS,
    MAXS, /* each value once */
    MINS,
    MIXED,  /* nothing: only a search says whether some order is possible */
    COUNTS, /* of a barrier */
    LOG,
};

#define MAX_CELL_OPS 8u
struct cell {
    enum cell_kind kind;
    uint32_t type;
    uint8_t ops[MAX_CELL_OPS]; /* ends with 0 */
};
extern const struct cell history_cells[HISTORY_CELLS];

uint64_t cell_first(uint32_t cell);

/** The word after an event. */
uint64_t word_after(const struct event *event, uint64_t word);

enum told { TOLD_NOTHING, TOLD_BEFORE, TOLD_AFTER };
/** What `event` saw tells of another of the same word: that it was applied before, after, or nothing. */
enum told what_is_told(const struct event *event, const struct event *other);

/* ---- order.c: what came before what ----------------------------------------------------------- */

#define ORDER_WORDS (HISTORY_EVENTS / 64)
struct order {
    uint8_t why[HISTORY_EVENTS][HISTORY_EVENTS];  /* enum reason: a before b, of itself */
    uint64_t before[HISTORY_EVENTS][ORDER_WORDS]; /* a before b, by any way */
};

/** Find it. @return an event that came before itself, or -1. */
int order_find(struct order *order, const struct history *history);

/** In words: why a came before b of itself; NULL if it did not. */
const char *order_reason(const struct order *order, uint32_t a, uint32_t b);

/** The shortest way round from an event to itself. @return how many events it has. */
uint32_t order_cycle(const struct order *order, const struct history *history, uint32_t from,
                     uint32_t cycle[HISTORY_EVENTS]);

/* ---- check.c: whether it is possible ---------------------------------------------------------- */

#define MAX_CYCLE 16u
struct verdict {
    bool is_wrong;
    bool is_open; /* nothing wrong was found, but a search was given up */
    const char *what;
    uint32_t node, cell;
    uint32_t n_cycle, cycle[MAX_CYCLE];
    const char *reasons[MAX_CYCLE]; /* why each came before the next */
};
struct verdict check_history(const struct history *history);

/* ---- generate.c, shrink.c, print.c ------------------------------------------------------------ */

/** Draw the events; the rest of the history is set. */
void generate_history(struct history *history);

/** A run of a history that fills in what is seen. */
typedef void history_run(struct history *history, void *user);

/** Take out what is not needed to fail; the history fails, and so does the smaller one. */
struct verdict shrink_history(struct history *history, struct verdict verdict, history_run *run,
                              void *user);

void print_history(const struct history *history, const struct verdict *verdict);

#endif
