/* SPDX-License-Identifier: MIT */
/*
 * The spool: records that have arrived and wait for the writer, a thread that deals with them in the order in which
 * they came. The network thread puts each frame here, or a copy, and never waits for a disk or a reader.
 *
 * Path:    records.c of lib/network -> list todo -> the writer's thread (format.c, the system, the caller's functions)
 *          -> list done -> records.c.
 * Owner:   the spool has its frames.
 * Threads: create and destroy: one that opens and closes the node; all other calls: the network thread.
 * Memory:  M3 hands frames over, both ways.
 */
#ifndef GRAVEL_SPOOL_SPOOL_H
#define GRAVEL_SPOOL_SPOOL_H

#include "base/endpoints.h"
#include "base/error.h"
#include "base/event.h"
#include "transport/buffer.h"

struct gravel_spool;

struct gravel_spool_shape {
    uint64_t limit_ns; /* longest time in which nothing is written, while frames wait */
    struct gravel_event *dealt_with; /* wakes the network thread, when a frame goes back */
    const struct gravel_endpoints *endpoints;
    bool are_bare; /* lines begin without node and work-item */
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
 * Spool a frame of records, which has been checked. The first one starts the writer. Who sends frames has credit for
 * them, so that they are bounded.
 *
 * @param holder  a buffer of this node that has the frame, and another frame afterwards if that costs less than a
 *                copy; or NULL.
 * @return 0; GRAVEL_ENOMEM; GRAVEL_ESYSTEM: no thread.
 */
int gravel_spool_push(struct gravel_spool *spool, const struct gravel_frame *frame,
                      struct gravel_buffer *holder);

/**
 * Take back a frame that has been dealt with, in their order: the caller destroys it. Its `room` is the number of the
 * first function that has failed (base/endpoints.h), or 0; what it asked has its answers. NULL: none.
 */
struct gravel_buffer *gravel_spool_take(struct gravel_spool *spool);

/**
 * Returns whether the writer gets on: a reader may have stopped, or a disk.
 *
 * @param lived_ns  the network thread's clock.
 * @return          0; GRAVEL_ETIMEOUT: nothing has been written for limit_ns, while frames wait.
 */
int gravel_spool_check(struct gravel_spool *spool, uint64_t lived_ns);

/**
 * Report what could not be written, of frames taken back.
 *
 * @return 0; GRAVEL_ESYSTEM, GRAVEL_EHANDLER (the caller's function): lines have been lost since the last call that
 *         returned it; how many in all, and why.
 */
int gravel_spool_lost(struct gravel_spool *spool);

/** Returns how many lines are written so far. NULL: 0. Any thread. */
uint64_t gravel_spool_lines(const struct gravel_spool *spool);

/** Marks what is spooled so far; returns whether all of it is written, and taken back. NULL: nothing, and yes. */
uint64_t gravel_spool_mark(const struct gravel_spool *spool);
bool gravel_spool_has_passed(const struct gravel_spool *spool, uint64_t mark);

/** Returns whether all that was spooled has been written, and taken back. NULL: yes. */
bool gravel_spool_is_empty(const struct gravel_spool *spool);

#endif
