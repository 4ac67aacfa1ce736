/* SPDX-License-Identifier: MIT */
/*
 * Threads that run a handler of the host's: a call that waits there would wait for its own thread.
 *
 * Path:    node/messages.c, which runs handlers; every call that waits -> this.
 * Threads: any; a word of each.
 */
#ifndef GRAVEL_BASE_IN_HANDLER_H
#define GRAVEL_BASE_IN_HANDLER_H

/** The calling thread runs a handler for that node from now on. @param node  NULL: for none. */
void gravel_in_handler_of(const void *node);

/** The node for which the calling thread runs a handler; NULL: it runs none. */
const void *gravel_in_handler(void);

/** @return 0; GRAVEL_EINVAL, which names the call, in a handler of any node. */
int gravel_in_handler_refuse(const char *call);

#endif
