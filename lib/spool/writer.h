/* SPDX-License-Identifier: MIT */
/*
 * The writer: a thread that deals with the records of this node, in the order in which they came, so that the network
 * thread never waits for a disk or a reader.
 *
 * Path:    spool.c -> list todo -> writer.c -> format.c, the system; list done -> spool.c.
 * Owner:   a frame is the writer's between the two lists.
 * Threads: all calls by the network thread, but stop by the thread that closes the node.
 * Memory:  M3 hands frames over, both ways.
 */
#ifndef GRAVEL_SPOOL_WRITER_H
#define GRAVEL_SPOOL_WRITER_H

#include "base/error.h"
#include "base/endpoints.h"
#include "base/thread.h"
#include "transport/list.h"

struct gravel_spool_shape {
    uint64_t limit_ns; /* longest time in which nothing is written, while frames wait */
    struct gravel_event *dealt_with; /* wakes the network thread, when a frame goes back */
    const struct gravel_endpoints *endpoints;
    bool are_bare; /* lines begin without node and work-item */
};

struct gravel_writer {
    struct gravel_spool_shape shape;
    struct gravel_thread thread; /* STOPS: once todo is empty; GIVES_UP: at once */
    struct gravel_list todo, done;
    struct gravel_event event; /* wakes the thread */
    struct gravel_event ended;
    _Atomic uint64_t n_bytes,
        n_lines; /* counters, of what has been written; as bytes count records too, and 1 a question */
    _Atomic uint32_t in_function; /* row whose function runs, 0: none; relaxed, for a text alone */
    _Atomic uint64_t n_lost;      /* counter: lines that could not be; M3 of their frame orders */
    _Atomic int error; /* of the system, or GRAVEL_PRINT_FAILED: no line follows; as n_lost */
};

#define GRAVEL_PRINT_FAILED (-1) /* the caller's function for lines has */

/** Start the thread; the shape is set, the rest is 0. @return 0; GRAVEL_ESYSTEM. */
int gravel_writer_start(struct gravel_writer *writer);

/**
 * Write what has come, and end the thread; the rest is given up after limit_ns without progress.
 *
 * @return  false if the thread is in the system and does not come back: it stays, and what it uses must.
 */
bool gravel_writer_stop(struct gravel_writer *writer);

#endif
