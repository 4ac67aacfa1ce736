/* SPDX-License-Identifier: MIT */
/*
 * Where a process is, in words: its host and the addresses by which others may reach it.
 *
 * Path:    network/start.c -> place.h.
 * Threads: any.
 */
#ifndef GRAVEL_TRANSPORT_PLACE_H
#define GRAVEL_TRANSPORT_PLACE_H

#include <stddef.h>

/** "host a (eth0 10.0.0.1, ib0 10.1.0.1)": loop-back left out, cut where `bytes` end. Never fails. */
void gravel_place_describe(char *text, size_t bytes);

#endif
