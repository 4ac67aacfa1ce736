/* SPDX-License-Identifier: MIT */
/*
 * The coprocessor model, the host's half: launch what fits the queues, wait, exchange them, have
 * them applied, again.
 *
 * Path: node_send -> this -> coprocessor.cl.h fills the outbox -> inboxes of all nodes -> apply.cl
 * Owner: coprocessor_open makes what coprocessor_close frees; its boxes lie in the symmetric heap.
 * Threads: main's. All calls but the first are collective.
 * Source: Orr 2016, sections 3.1 and 5.5.
 *
 * A queue that may not overflow must hold whatever a launch may send to one node, so the
 * application has to know a bound for what a work-item sends. A node's round of launch and exchange
 * is every node's: those that have no more work-items take part with empty queues.
 */
#ifndef APPS_COPROCESSOR_H
#define APPS_COPROCESSOR_H

#include "node.h"

struct coprocessor {
    struct node *node;
    uint64_t outbox;     /* heap offsets */
    uint64_t inboxes[2]; /* in turn: one is filled while a slow node applies the other */
    uint32_t queue_bytes, n_rounds;
    cl_program program;
    cl_kernel apply;
};

/**
 * Heap that the boxes take [bytes].
 *
 * @param n_local  loop-back nodes of this process; 1 if it may be one of several.
 */
uint64_t coprocessor_heap_bytes(const struct model *model, uint32_t n_local);

/** Allocate the boxes and build apply.cl. @return  to be closed. */
struct coprocessor *coprocessor_open(struct node *node);
/** NULL is allowed. */
void coprocessor_close(struct coprocessor *coprocessor);

/** Write the compiler's options for the prelude. */
void coprocessor_options(const struct coprocessor *coprocessor, char *options, size_t bytes);

/**
 * Launch n_items work-items, piece by piece, and apply what they send.
 *
 * @param is_full  launch full groups only, as node_send_full.
 */
void coprocessor_send(struct coprocessor *coprocessor, cl_kernel kernel, uint64_t n_items,
                      struct node_bound bound, bool is_full);

#endif
