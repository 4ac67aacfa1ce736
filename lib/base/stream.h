/* SPDX-License-Identifier: MIT */
/*
 * The node's table of streams, numbered from 1 on; and what becomes of lines, which are stream 0.
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
    void *context; /* of both */
};

/** @return NULL: there is none of that number. @param streams  NULL is allowed. */
static inline const struct gravel_stream *gravel_stream_at(const struct gravel_streams *streams,
                                                           uint32_t number)
{
    return streams && number > 0 && number <= streams->n ? &streams->list[number - 1] : NULL;
}

#endif
