/* SPDX-License-Identifier: MIT */
/*
 * The text of OpenCL C around the user's: of a node's handlers, a kernel for each; of a program of clients and servers,
 * which handlers have keys, and the kernels that empty inboxes.
 *
 * Path:    calls.c, server/launch.c -> text.c -> opencl/program.h.
 * Owner:   texts are the caller's to free.
 * Threads: any.
 */
#ifndef GRAVEL_SERVE_TEXT_H
#define GRAVEL_SERVE_TEXT_H

#include "base/endpoints.h"
#include "serve/servers.h"

#define GRAVEL_SERVER_KERNEL "gravel_serve"
#define GRAVEL_PAIRS_KERNEL "gravel_serve_pairs"

/** Behind the text of a node's handlers: a kernel gravel_call_NAME for each that the device runs. @return NULL if
 * memory is out. */
char *gravel_handlers_trailer(const struct gravel_endpoints *endpoints);

/** Ahead of the user's text: which handlers have keys, other nodes, servers. @return NULL if memory is out. */
char *gravel_server_prelude(const struct gravel_endpoints *endpoints, uint32_t n_nodes,
                            const struct gravel_servers_shape *servers);

/**
 * Behind it: the kernels GRAVEL_SERVER_KERNEL and, if there are transactions, GRAVEL_PAIRS_KERNEL, which call the
 * handlers. @return NULL if memory is out.
 */
char *gravel_server_trailer(const struct gravel_endpoints *endpoints);

#endif
