/* SPDX-License-Identifier: MIT */
/*
 * The table of what kernels send to, other than memory: the node's handlers, its streams of records, and lines.
 *
 * A number names a row for all: a stream's own, from 1 on; GRAVEL_STREAM_HANDLERS plus its index for a handler.
 *
 * Path:    node/tables.c fills it -> opencl/program.c (names), resolve/decode.c (the check of messages and records),
 *          serve/calls.c (handlers of the device), spool/spool.c (streams, and handlers that block).
 * Owner:   the node.
 * Threads: any; constant once the node opens.
 */
#ifndef GRAVEL_BASE_ENDPOINTS_H
#define GRAVEL_BASE_ENDPOINTS_H

#include "gravel/gravel.h"
#include "layout/command.h"

#include <stdbool.h>

#define GRAVEL_STREAM_HANDLERS 128u

struct gravel_endpoints {
    struct gravel *node;             /* handed to each function */
    struct gravel_handler *handlers; /* [n_handlers] copies, names included */
    struct gravel_stream *streams;   /* [n_streams] the same */
    uint32_t n_handlers, n_streams;
    /* Runs a handler's function in the network thread. @return what that returns. */
    int (*call)(void *node, uint32_t handler, uint32_t source,
                const uint64_t args[GRAVEL_AM_MAX_ARGS], uint64_t *answer);
    gravel_print_function *print; /* takes lines; NULL: standard output does */
    void *print_user;
    void (*flush)(struct gravel *node); /* sends what functions in the writer's thread have sent */
    uint64_t device_code_hash; /* of the text of handlers that the device runs, and its options */
};

/** Return stream `number`; NULL: there is none of that number. */
static inline const struct gravel_stream *gravel_stream_at(const struct gravel_endpoints *table,
                                                           uint32_t number)
{
    return number > 0 && number <= table->n_streams ? &table->streams[number - 1] : NULL;
}

/** Return the name of a row that has a function of the host; NULL: `number` is of none. @param kind  [out] */
static inline const char *gravel_endpoint_name(const struct gravel_endpoints *endpoints,
                                               uint32_t number, const char **kind)
{
    const struct gravel_stream *stream = gravel_stream_at(endpoints, number);
    *kind = number >= GRAVEL_STREAM_HANDLERS ? "handler" : "stream";
    if (number >= GRAVEL_STREAM_HANDLERS)
        return endpoints->handlers[number - GRAVEL_STREAM_HANDLERS].name;
    return stream ? stream->name : NULL;
}

/** Returns whether a function of the host runs a handler; else the device does. */
static inline bool gravel_handler_is_host(const struct gravel_handler *handler)
{
    return handler->function || handler->answer;
}

/** Returns whether a command asks a function that may block: it goes the way of records. */
static inline bool gravel_handler_is_asked_to_block(const struct gravel_endpoints *endpoints,
                                                    uint32_t command)
{
    const uint32_t number = GRAVELP_COMMAND_HANDLER(command);
    return GRAVELP_COMMAND_OP(command) == GRAVEL_ASK && number < endpoints->n_handlers &&
           endpoints->handlers[number].blocks;
}

/** Returns whether arguments and answer are uint, and not ulong. */
static inline bool gravel_handler_is_narrow(const struct gravel_handler *handler)
{
    return handler->arg_bytes == 4;
}

/** Return what GRAVEL_HANDLER(name) is in kernels. @param number  index in the table. */
static inline uint32_t gravel_handler_number(const struct gravel_handler *handler, uint32_t number)
{
    return number | (gravel_handler_is_narrow(handler) ? GRAVELP_HANDLER_UINT : 0);
}

/** Return the name of the type of its arguments, in OpenCL C. */
static inline const char *gravel_handler_word(const struct gravel_handler *handler)
{
    return gravel_handler_is_narrow(handler) ? "uint" : "ulong";
}

#endif
