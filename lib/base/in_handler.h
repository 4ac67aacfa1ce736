/* SPDX-License-Identifier: MIT */
/*
 * Threads that run a handler of the host's, or a stream's function: a call that waits there would wait for its own
 * thread.
 *
 * Path:    node/messages.c and streams.c, which run them; every call that waits -> this.
 * Threads: any; a word of each.
 */
#ifndef GRAVEL_BASE_IN_HANDLER_H
#define GRAVEL_BASE_IN_HANDLER_H

#include <stdbool.h>

/** The calling thread runs a handler for that node from now on. @param node  NULL: for none. */
void gravel_in_handler_of(const void *node);

/** Enter a handler as gravel_in_handler_of, in a thread other than the network thread: it sends as any other does. */
void gravel_in_handler_beside(const void *node);
/** Whether the calling thread's last such call was gravel_in_handler_beside. */
bool gravel_in_handler_is_beside(void);

/** The node for which the calling thread runs a handler; NULL: it runs none. */
const void *gravel_in_handler(void);

/** @return 0; GRAVEL_EINVAL, which names the call, in a handler of any node. */
int gravel_in_handler_refuse(const char *call);

#endif
