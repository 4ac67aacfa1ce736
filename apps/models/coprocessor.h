/* SPDX-License-Identifier: MIT */
/*
 * The coprocessor model, the host's half: launch what fits the queues, wait, exchange them, have
 * them applied, again.
 *
 * Path: node_send -> this -> coprocessor.cl.h fills the outbox -> inboxes of all nodes -> apply.cl
 * Owner: its boxes lie in the symmetric heap.
 * Threads: main's.
 * Source: Orr 2016, sections 3.1 and 5.5.
 *
 * A queue that may not overflow must hold whatever a launch may send to one node, so the
 * application has to know a bound for what a work-item sends. A node's round of launch and exchange
 * is every node's: those that have no more work-items take part with empty queues.
 */
#ifndef APPS_COPROCESSOR_H
#define APPS_COPROCESSOR_H

#include "frame/model.h"

extern const struct model_host coprocessor_host;

#endif
