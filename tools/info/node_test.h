/* SPDX-License-Identifier: MIT */
/*
 * A short end-to-end test: a process that stands for two nodes sends messages from a kernel and
 * from the host, and checks what arrived.
 *
 * Path:    probe.c -> node_test.c -> gravel.h and node_test.cl.
 * Threads: any one; not under an MPI communicator (transport self).
 */
#ifndef TOOLS_INFO_NODE_TEST_H
#define TOOLS_INFO_NODE_TEST_H

#include "gravel/gravel.h"

#include <stdint.h>
#include <string.h>

/** Returns the settings for so many nodes that are this process alone, and leave no trace. */
static inline struct gravel_config info_config_alone(const struct gravel_config *given,
                                                     uint32_t n_nodes, uint64_t heap_bytes)
{
    struct gravel_config config = *given;
    strcpy(config.transport, "self");
    config.loopback_nodes = n_nodes;
    config.heap_bytes = heap_bytes;
    config.trace[0] = '\0';
    config.stats = false;
    return config;
}

/**
 * Run the test.
 *
 * @param config      the device is taken from it, and whatever does not concern the transport.
 * @param n_messages  [out] messages applied [count].
 * @return            0; GRAVEL_ECORRUPT if memory does not hold what was sent; or what a call of
 * gravel.h returned. gravel_last_error() tells more.
 */
int info_node_test(const struct gravel_config *config, uint64_t *n_messages);

#endif
