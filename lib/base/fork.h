/* SPDX-License-Identifier: MIT */
/*
 * Forked children: they have a node's memory and none of its threads, so a call there would hang.
 *
 * Path:    every call of gravel.h -> messages.c -> fork.h.
 * Threads: any.
 */
#ifndef GRAVEL_BASE_FORK_H
#define GRAVEL_BASE_FORK_H

#include <stdint.h>

/** Notice forks from now on: before the first node opens. */
void gravel_fork_watch(void);

/** Forks between this process and the first that opened a node, its own ancestors included; 0 there. */
uint32_t gravel_fork_count(void);

/** @param forks_then  when the node was opened. @return 0; GRAVEL_EINVAL, which names the call, in a forked child. */
int gravel_fork_refuse(uint32_t forks_then, const char *call);

#endif
