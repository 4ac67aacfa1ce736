/* SPDX-License-Identifier: MIT */
/*
 * Who may make a public call. A forked child has a node's memory and none of its threads, so a call there would hang. A
 * thread that runs a handler of the host's, or a stream's function, would wait for itself in a call that waits.
 *
 * Path:    node/messages.c and spool/spool.c, which run functions of the caller's; every public call -> this.
 * Threads: any; a word of each.
 */
#ifndef GRAVEL_BASE_CALLER_H
#define GRAVEL_BASE_CALLER_H

#include <stdbool.h>
#include <stdint.h>

enum gravel_caller {
    GRAVEL_ANYWHERE, /* in handlers, too */
    GRAVEL_WAITS     /* in no handler: the call waits */
};

/** @param forks_then  when the node was opened. @return 0; GRAVEL_EINVAL, which names the call. */
int gravel_caller_refuse(uint32_t forks_then, const char *call, enum gravel_caller caller);

/** Returns how many forks lie between this process and its first call of this. */
uint32_t gravel_fork_count(void);

/** The node for which the calling thread runs a handler, which sets it and resets it; NULL: it runs none. */
extern _Thread_local const void *gravel_in_handler_of;
/** Whether that thread is not the network thread: it sends as any other does. */
extern _Thread_local bool gravel_in_handler_is_concurrent;

#endif
