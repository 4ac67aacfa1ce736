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

#include "gravel/gravel.h"
#include "serve/servers.h"

#define GRAVEL_SERVER_KERNEL "gravel_serve"
#define GRAVEL_PAIRS_KERNEL "gravel_serve_pairs"

/** The function, in a node's table, of a handler that the device runs. Never called. */
gravel_handler_function gravel_on_device;

/** Whether the device runs it. @param handler  of a node's own table. */
static inline bool gravel_is_on_device(const struct gravel_handler *handler)
{
    return handler->function == gravel_on_device;
}

/** Behind the text of a node's handlers: a kernel gravel_call_NAME for each that the device runs. @return NULL if
 * memory is out. */
char *gravel_handlers_trailer(const struct gravel_handler *handlers, uint32_t n_handlers);

/** Ahead of the user's text: which handlers have keys, other nodes, servers. @return NULL if memory is out. */
char *gravel_server_prelude(const struct gravel_handler *handlers, uint32_t n_handlers,
                            uint32_t n_nodes, const struct gravel_servers_shape *servers);

/**
 * Behind it: the kernels GRAVEL_SERVER_KERNEL and, if there are transactions, GRAVEL_PAIRS_KERNEL, which call the
 * handlers. @return NULL if memory is out.
 */
char *gravel_server_trailer(const struct gravel_handler *handlers, uint32_t n_handlers);

#endif
