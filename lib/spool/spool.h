/* SPDX-License-Identifier: MIT */
/*
 * The spool: records that have arrived and wait for the writer. The network thread puts a copy of each frame here, and
 * waits for nothing.
 *
 * Path:    control.c (a frame of records) -> spool.c -> writer.c.
 * Owner:   the spool has its frames.
 * Threads: push, look, marks and is_empty: the network thread; create and destroy: one that opens and closes the node.
 * Memory:  M3, by writer.h.
 */
#ifndef GRAVEL_SPOOL_SPOOL_H
#define GRAVEL_SPOOL_SPOOL_H

#include "base/error.h"
#include "base/event.h"
#include "transport/wire.h"

struct gravel_spool;

struct gravel_spool_shape {
    uint64_t most_bytes; /* of frames that wait */
    uint64_t limit_ns;   /* longest time in which nothing is written, while frames wait */
    struct gravel_event *dealt_with; /* wakes the network thread */
    gravel_report_function *report;
    void *report_context;
};

/** @return 0; GRAVEL_ENOMEM. */
int gravel_spool_create(struct gravel_spool **out, const struct gravel_spool_shape *shape);

/**
 * Write what has come, end the writer, and free the spool. NULL is allowed.
 *
 * @return false if the writer does not come back: the spool stays, and so must what its shape names.
 */
bool gravel_spool_destroy(struct gravel_spool *spool);

/**
 * Spool a frame of records, which has been checked. The first one starts the writer.
 *
 * @return 0; GRAVEL_ENOMEM: the spool is full, or memory is out; GRAVEL_ESYSTEM: no thread.
 */
int gravel_spool_push(struct gravel_spool *spool, const struct gravel_frame *frame);

/**
 * Take back what has been written.
 *
 * @param lived_ns  the network thread's clock.
 * @param moved     [out] whether there was any.
 * @return          0; GRAVEL_ETIMEOUT: nothing has been written for limit_ns.
 */
int gravel_spool_look(struct gravel_spool *spool, uint64_t lived_ns, bool *moved);

/** What has been spooled so far; and whether so much has been written, and taken back. NULL: nothing, and yes. */
uint64_t gravel_spool_mark(const struct gravel_spool *spool);
bool gravel_spool_has_passed(const struct gravel_spool *spool, uint64_t mark);

/** Whether all that was spooled has been written, and taken back. NULL: yes. */
bool gravel_spool_is_empty(const struct gravel_spool *spool);

#endif
