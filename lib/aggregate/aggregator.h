/* SPDX-License-Identifier: MIT */
/*
 * The aggregator: a thread that takes packages off one producer/consumer queue and bins their messages.
 *
 * Path:    lib/memory/package.h -> aggregator.c -> sender.c.
 * Owner:   its senders; the queue lies in the arena.
 * Threads: start and stop by one thread; gravel_aggregator_flush by any.
 * Source:  Orr 2016, section 5.2.2.
 */
#ifndef GRAVEL_AGGREGATE_AGGREGATOR_H
#define GRAVEL_AGGREGATE_AGGREGATOR_H

#include "aggregate/check.h"
#include "aggregate/guard.h"
#include "base/error.h"
#include "base/thread.h"

/* What the aggregator waits for, GRAVEL_TIMEOUT at most. */
enum gravel_awaited {
    GRAVEL_AWAITS_NOTHING,
    GRAVEL_AWAITS_ROOM,      /* leaders do, and the next package has not come */
    GRAVEL_AWAITS_FLUSH,     /* packages before flush_ticket */
    GRAVEL_AWAITS_LAST_FLUSH /* in checked mode, too: before flush_ticket all kernels had ended */
};

struct gravel_aggregator {
    struct gravel_package_queue queue;
    struct gravel_sender *sender, *records; /* of messages; of records, and what takes their way */
    const struct gravel_endpoints *endpoints;
    struct gravelp_arena *arena;
    struct gravel_heap *heap;     /* the node's allocation table */
    struct gravel_guards *guards; /* in checked mode; else NULL */
    struct gravel_block *blocks;  /* by room, where the device bins; else NULL */
    const struct gravel_failure *failure;
    gravel_report_function *report;
    void *report_context;
    uint64_t timeout_ns;        /* longest wait for a package that is reserved but not published */
    struct gravel_check check;  /* calls that are being made, in checked mode */
    struct gravel_trace *trace; /* or NULL */
    uint32_t number;            /* of the aggregator and its queue */

    struct gravel_thread thread;
    struct gravel_event event; /* wakes the thread: a launch, a flush request, stop */
    struct gravel_idle idle;
    uint64_t started_ns;

    _Atomic uint32_t flush_wanted; /* A1: flushes asked for */
    _Atomic uint32_t flush_done;   /* A2: flushes completed */
    struct gravel_event flushed;

    /* Counters; one writer, relaxed. */
    _Atomic uint64_t n_packages, n_messages, n_binned, n_in_place, n_refused;

    enum gravel_awaited awaited; /* changed by wait_for() */
    struct gravel_lived waited;  /* for the next package, since the last one */
    uint32_t polls;              /* of the pump, as of the last tick of `waited` */
    uint32_t flush_ticket;       /* packages before it are to be consumed */
    uint32_t flush_serving;      /* flush_wanted it answers */
    uint64_t flush_begin_ns;
    uint32_t n_sessions; /* in checked mode: gravel_package_sessions as of the last flush of all */
};

/**
 * Start the thread.
 *
 * @param aggregator  the members up to `number` filled in, the rest zero.
 * @return            0; GRAVEL_ESYSTEM.
 */
int gravel_aggregator_start(struct gravel_aggregator *aggregator);

/** Stop and join the thread; its senders stay. Allowed if it never started. */
void gravel_aggregator_stop(struct gravel_aggregator *aggregator);

/** Wake the thread: packages are about to come. */
static inline void gravel_aggregator_wake(struct gravel_aggregator *aggregator)
{
    gravel_event_signal(&aggregator->event);
}

/** Ask that every package reserved so far is binned and every buffer shipped. @return a number to wait for. */
uint32_t gravel_aggregator_flush(struct gravel_aggregator *aggregator);

/** Wait for a flush. @return false if the node has aborted. */
bool gravel_aggregator_flush_wait(struct gravel_aggregator *aggregator, uint32_t flush);

/* ---- fault.c: texts ---------------------------------------------------------------------------- */

/** Says a kernel's fault report in words. @param fault  of the arena, not GRAVELP_FAULT_NONE; loaded so that what is
 * next to it is visible (F2). */
void gravel_fault_describe(const struct gravelp_arena *arena, uint32_t fault, char *text,
                           size_t bytes);

/**
 * Says why a package is not sent on: of one of its messages the node does not exist, or a number has more bits than its
 * row.
 *
 * @param heap     the node's allocation table; NULL if unknown.
 * @param header   of the package; a copy.
 * @param node     the destination that does not exist, or GRAVELP_NODE_FAR.
 * @param n_nodes  that there are.
 * @param text     [out] [bytes]
 */
void gravel_refuse_describe(struct gravel_heap *heap, const struct gravelp_package *header,
                            const struct gravel_columns *columns, uint32_t node, uint32_t n_nodes,
                            char *text, size_t bytes);

/**
 * Checked mode, for the heap is symmetric: whether an index, or an answer's position, is not in the allocation of its
 * base: `text` [bytes] says so. A base that is not a multiple of its type's size is left to the node that has the
 * element.
 *
 * @param heap  as above; NULL: nothing is outside.
 */
bool gravel_refuse_outside(struct gravel_heap *heap, const struct gravel_columns *columns,
                           char *text, size_t bytes);

#endif
