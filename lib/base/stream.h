/* SPDX-License-Identifier: MIT */
/*
 * What the writer of records calls: the node's table of streams, numbered from 1 on; what becomes of lines, which are
 * stream 0; and handlers that block, whose numbers begin at GRAVEL_STREAM_HANDLERS.
 *
 * Path:    node/streams.c fills it -> opencl/program.c, resolve/decode.c, lib/spool.
 * Owner:   the node.
 * Threads: any; constant once the node opens.
 */
#ifndef GRAVEL_BASE_STREAM_H
#define GRAVEL_BASE_STREAM_H

#include "gravel/gravel.h"

struct gravel_streams {
    struct gravel_stream *list; /* [n] copies, names included */
    uint32_t n;
    int (*call)(void *context, const struct gravel_stream *stream, uint32_t source,
                const void *records, uint32_t n); /* runs a function. @return what it returns */
    int (*print)(void *context, const char *text, size_t bytes);
    /* takes lines. @return 0; or they are lost. NULL: standard output */
    int (*ask)(void *context, void *frame, uint64_t from, uint64_t to, _Atomic uint64_t *n_done);
    /* answers the run at a byte of the frame, in it; n_done: a counter, one more with each function that has returned.
     * @return 0, or what one returned */
    const struct gravel_handler *handlers; /* [n_handlers] the node's */
    uint32_t n_handlers;
    void *context; /* of all three */
};

#define GRAVEL_STREAM_HANDLERS 128u

/** @return NULL: there is none of that number. @param streams  NULL is allowed. */
static inline const struct gravel_stream *gravel_stream_at(const struct gravel_streams *streams,
                                                           uint32_t number)
{
    return streams && number > 0 && number <= streams->n ? &streams->list[number - 1] : NULL;
}

#endif
