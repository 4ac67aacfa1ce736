/* SPDX-License-Identifier: MIT */
/*
 * The thread that watches over calls of the driver, and logs the progress of launches.
 *
 * Path:    open.c, close.c -> watch.c.
 * Threads: as watch.c says.
 */
#ifndef GRAVEL_NODE_WATCH_H
#define GRAVEL_NODE_WATCH_H

#include "base/thread.h"

struct gravel;

struct gravel_watch {
    struct gravel_event event; /* wakes the thread to stop */
    struct gravel_thread thread;
    bool is_opening;
    struct gravel_watched *watched; /* [n_watched] by a mark's number; the thread's */
    uint32_t n_watched;
    uint64_t line_ns; /* when progress was read last; 0: never; guarded by outbound_lock */
    uint64_t n_begun, n_messages; /* launches and messages then */
};

/** Start the thread. The node is opening then. @return 0; GRAVEL_ESYSTEM. */
int gravel_watch_start(struct gravel *gravel);
/** Gives calls GRAVEL_TIMEOUT from now on: the node is open. */
void gravel_watch_end_opening(struct gravel *gravel);
/** Let the thread log progress: of an open node, whose counters may be read. */
void gravel_watch_progress(struct gravel *gravel, bool is_open);
/** Stop and join the thread; allowed if it has not started. */
void gravel_watch_stop(struct gravel *gravel);

#endif
