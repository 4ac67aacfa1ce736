/* SPDX-License-Identifier: MIT */
/*
 * A flow of an application's node: made, built, and reported; every failure ends the process.
 *
 * Path:    an application -> this -> gravel/flow.h
 * Owner:   the application destroys the flow before node_close.
 * Threads: main's.
 */
#ifndef APPS_FLOW_H
#define APPS_FLOW_H

#include "frame/node.h"
#include "frame/trials.h"

#include <gravel/flow.h>

/** Make a flow whose groups are the node's (--group). */
struct gravel_flow *flow_open(struct node *node, const struct gravel_graph *graph);

/** Build its program: gravel.cl.h and the header of records go before the source. @return its kernel. */
cl_kernel flow_build(struct gravel_flow *flow, const char *name, const char *source,
                     const char *options, const char *function);

/** Add what the flow's memory is to the parameters. */
void flow_describe(struct gravel_flow *flow, struct trials *trials);

/** Say and add what all its runs so far counted. */
void flow_tell(struct gravel_flow *flow, struct trials *trials);

/** Say and add how long the serial check took, which did so much work. */
void flow_tell_serial(struct trials *trials, double seconds, double work);

#endif
