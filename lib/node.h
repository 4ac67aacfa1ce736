/* SPDX-License-Identifier: MIT */
/*
 * A node: all its parts. Included by the files that make up the public interface, and by tests.
 *
 * Path:    gravel.h -> node.c (open, close), host.c (messages and waits), stats.c.
 */
#ifndef GRAVEL_NODE_H
#define GRAVEL_NODE_H

#include "device/launch.h"
#include "device/memory.h"
#include "error.h"
#include "network/network.h"
#include "queue/pump.h"
#include "trace.h"

struct gravel {
    struct gravel_config config; /* in force: derived settings filled in */
    struct gravel_handler *handlers; /* [n_handlers] copies, names included */
    uint32_t n_handlers;
    gravel_log_function *log;
    void *log_user;

    struct gravel_failure failure;
    _Atomic bool aborted; /* H2: beyond use; every wait ends */

    struct gravel_device device;
    struct gravel_memory memory;
    struct gravel_arena *arena; /* the host's: memory.arena */
    struct gravel_pump *pump;   /* NULL where host and kernels share the arena */
    pthread_mutex_t drain_lock; /* step drain: one launch at a time */
    struct gravel_heap *heap;
    struct gravel_network network;
    struct gravel_aggregator *aggregators; /* [config.n_aggregators] */
    struct gravel_launches launches;
    struct gravel_trace *trace;
    uint64_t opened_ns;

    pthread_mutex_t stats_lock;
    struct gravel_stats stats_base;                    /* subtracted since the last reset */
    struct gravel_destination_stats *destination_base; /* [n_nodes] */
};

/** Give the caller's log a line. */
void gravel_log(struct gravel *gravel, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Note what a thread of the node ran into; `context` is the node. See gravel_report_function. */
void gravel_report(void *context, int code, bool is_fatal, const char *text);

/** Wait until every launched kernel has ended. @return as gravel_launches_wait. */
int gravel_node_wait_for_kernels(struct gravel *gravel);

/** Run a registered handler; `context` is the node. Network thread. See gravel_apply_call. */
int gravel_call_handler(void *context, uint32_t handler, uint32_t source,
                        const uint64_t args[GRAVEL_AM_MAX_ARGS]);

/** Everything counted since the node opened. */
void gravel_stats_gather(struct gravel *gravel, struct gravel_stats *stats);

/** Print statistics for people, as GRAVEL_STATS=1 asks. */
void gravel_stats_print(struct gravel *gravel);

#endif
