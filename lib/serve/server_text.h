/* SPDX-License-Identifier: MIT */
/*
 * The text around a program of clients and servers: which handlers have keys, and the kernel that empties inboxes.
 *
 * Path:    launch.c -> server_text.c -> opencl/program.h.
 * Owner:   texts are the caller's to free.
 * Threads: any.
 */
#ifndef GRAVEL_SERVE_SERVER_TEXT_H
#define GRAVEL_SERVE_SERVER_TEXT_H

#include "gravel/gravel.h"
#include "serve/servers.h"

#define GRAVEL_SERVER_KERNEL "gravel_serve"
#define GRAVEL_PAIRS_KERNEL "gravel_serve_pairs"

/** Ahead of the user's text: which handlers have keys, other nodes, servers. @return NULL if memory is out. */
char *gravel_server_prelude(const struct gravel_handler *handlers, uint32_t n_handlers,
                            uint32_t n_nodes, const struct gravel_servers_shape *servers);

/**
 * Behind it: the kernels GRAVEL_SERVER_KERNEL and, if there are transactions, GRAVEL_PAIRS_KERNEL, which call the
 * handlers. @return NULL if memory is out.
 */
char *gravel_server_trailer(const struct gravel_handler *handlers, uint32_t n_handlers);

#endif
