/* SPDX-License-Identifier: MIT */
/*
 * How long the network thread may sleep while frames travel.
 *
 * MPI moves a long frame piece by piece, and only while both ends look: through shared memory a few pieces of 32 kB a
 * look. Sleeps that grow with the time without work would make a frame of 4 MB take 10 ms. So where node buffers are
 * long, the thread sleeps little, or not at all, as long as frames came or went a short time ago.
 *
 * Path:    network.c -> this -> lib/wait/idle.c.
 * Threads: the network thread.
 */
#ifndef GRAVEL_NETWORK_REST_H
#define GRAVEL_NETWORK_REST_H

#include <stdint.h>

#include "transport/transport.h"
#include "wait/idle.h"

struct gravel_rest {
    uint64_t moved_ns; /* when a frame came or went, or a job ended */
    uint64_t most_ns;  /* longest sleep soon after; UINT64_MAX: no limit */
};

/** @return  most_ns for node buffers of buffer_bytes. */
uint64_t gravel_rest_derive(const struct gravel_transport *transport, uint64_t buffer_bytes);

/** Longest sleep now [ns]. @param due_ns  until something is due. */
uint64_t gravel_rest_limit(const struct gravel_rest *rest, uint64_t now_ns, uint64_t due_ns);

#endif
