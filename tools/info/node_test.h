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
