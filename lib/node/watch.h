/* SPDX-License-Identifier: MIT */
/*
 * The watch over calls of the driver, which have no limit: a thread of the node, which calls no driver itself, fails
 * the node if a thread of the process has stood in one for GRAVEL_TIMEOUT. Then the waits of all other threads end, and
 * the other nodes hear of it.
 *
 * A network thread that stands there is given up: the calls that wait for it return, and others hear its silence.
 *
 * Path:    gravel_open, gravel_close -> watch.c -> base/mark.h, log.c.
 * Owner:   the node.
 * Threads: start, end_opening and stop by the one that opens or closes the node.
 */
#ifndef GRAVEL_NODE_WATCH_H
#define GRAVEL_NODE_WATCH_H

#include "base/mark.h"
#include "base/thread.h"

struct gravel_watched;

struct gravel_watch {
    struct gravel_event event; /* wakes the thread to stop */
    struct gravel_thread thread;
    bool is_opening;
    struct gravel_watched *watched; /* [n_watched] by a mark's number; the thread's */
    uint32_t n_watched;
};

/** Start the thread. The node is opening then. @return 0; GRAVEL_ESYSTEM. */
int gravel_watch_start(struct gravel *gravel);
/** The node is open: calls have GRAVEL_TIMEOUT from now on. */
void gravel_watch_end_opening(struct gravel *gravel);
/** Stop and join the thread; allowed if it has not started. */
void gravel_watch_stop(struct gravel *gravel);

#endif
