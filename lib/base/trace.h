/* SPDX-License-Identifier: MIT */
/*
 * A timeline in Chrome's trace format (chrome://tracing, Perfetto): kernels, waits, flushes, handlers, node buffers.
 *
 * Path:    launch, quiet, barrier, aggregators, network thread -> trace.c -> the file GRAVEL_TRACE names.
 * Threads: any. Every call allows a NULL trace, and then costs a test.
 */
#ifndef GRAVEL_BASE_TRACE_H
#define GRAVEL_BASE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

struct gravel_trace;

/**
 * Open the node's trace file: `path` with the node number before its suffix ("t.json" -> "t.3.json").
 *
 * @return  0; GRAVEL_ESYSTEM naming the file.
 */
int gravel_trace_open(struct gravel_trace **out, const char *path, uint32_t node);
/**
 * Complete and close the file.
 *
 * @param wait  up to a second for threads that hold it: a driver may report a kernel's end after others know of it.
 * @return      0; GRAVEL_ESYSTEM if events are missing: the disk is full, or the file as large as it may be.
 */
int gravel_trace_close(struct gravel_trace *trace, bool wait);

/** Keep it from being freed until gravel_trace_let_go; what comes after gravel_trace_close is not written. Not NULL. */
void gravel_trace_hold(struct gravel_trace *trace);
void gravel_trace_let_go(struct gravel_trace *trace);

/** Writes a time span of the calling thread. Times by gravel_clock_ns. */
void gravel_trace_span(struct gravel_trace *trace, const char *name, uint64_t begin_ns,
                       uint64_t end_ns);
/** Writes a span that others may overlap: a kernel. Also of a closed trace that is held. */
void gravel_trace_async(struct gravel_trace *trace, const char *name, uint64_t id,
                        uint64_t begin_ns, uint64_t end_ns);
/** Writes that a node buffer was sent to, or resolved from, a peer. */
void gravel_trace_buffer(struct gravel_trace *trace, const char *name, uint32_t peer,
                         uint32_t bytes);

#endif
