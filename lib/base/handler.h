/* SPDX-License-Identifier: MIT */
/*
 * How kernels name a handler of the node's table, and which command calls it.
 *
 * Path:    node/handlers.c, node/messages.c, device/device.c, opencl/program.c, serve/sender.c, resolve/decode.c ->
 *          this.
 * Threads: any; no state.
 */
#ifndef GRAVEL_BASE_HANDLER_H
#define GRAVEL_BASE_HANDLER_H

#include "gravel/gravel.h"
#include "layout/command.h"

#include <stdbool.h>

/** Whether a function of the host runs it, as the caller's table says. */
static inline bool gravel_handler_is_host(const struct gravel_handler *handler)
{
    return handler->function || handler->answer;
}

/** Whether a command asks a function that may block: it goes the way of records. @param handlers  [n] */
static inline bool gravel_handler_is_asked_to_block(const struct gravel_handler *handlers,
                                                    uint32_t n, uint32_t command)
{
    const uint32_t number = GRAVELP_COMMAND_HANDLER(command);
    return GRAVELP_COMMAND_OP(command) == GRAVEL_ASK && number < n && handlers[number].blocks;
}

/** Whether arguments and answer are uint, and not ulong. */
static inline bool gravel_handler_is_narrow(const struct gravel_handler *handler)
{
    return handler->arg_bytes == 4;
}

/** Return what GRAVEL_HANDLER(name) is in kernels. @param number  index in the table. */
static inline uint32_t gravel_handler_number(const struct gravel_handler *handler, uint32_t number)
{
    return number | (gravel_handler_is_narrow(handler) ? GRAVELP_HANDLER_UINT : 0);
}

/** The name of the type of its arguments, in OpenCL C. */
static inline const char *gravel_handler_word(const struct gravel_handler *handler)
{
    return gravel_handler_is_narrow(handler) ? "uint" : "ulong";
}

#endif
