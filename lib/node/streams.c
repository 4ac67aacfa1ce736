/* SPDX-License-Identifier: MIT */
/*
 * The caller's table of streams: checked, copied, hashed for comparison with other nodes; and how functions that take
 * records or lines are run.
 *
 * Path:    gravel_open -> streams.c -> agree.c (hashes), lib/spool (the copy); writer.c -> gravel_call_stream.
 * Owner:   the node has the copy; close.c frees it.
 */
#include "base/counter.h"
#include "base/hash.h"
#include "base/identifier.h"
#include "layout/record.h"
#include "node/bindings.h"
#include "node/node.h"
#include "resolve/apply.h"

#include <stdlib.h>
#include <string.h>

/* Functions of the writer's have returned, beside the network thread: what they sent leaves before their records count
 * as dealt with. */
static void end_functions(struct gravel *gravel)
{
    gravel_in_handler_of(NULL);
    if (!gravel_node_has_failed(gravel))
        gravel_node_flush_host(gravel); /* or the node has failed */
}

static int call_stream(void *context, const struct gravel_stream *stream, uint32_t source,
                       const void *records, uint32_t n)
{
    struct gravel *gravel = context;
    gravel_in_handler_beside(gravel);
    int result = stream->function(gravel, stream->user, source, records, n);
    end_functions(gravel);
    return result;
}

struct asked {
    struct gravel *gravel;
    _Atomic uint64_t *n_done;
};

static int call_answer(void *context, uint32_t handler, uint32_t source,
                       const uint64_t args[GRAVEL_AM_MAX_ARGS], uint64_t *answer)
{
    const struct asked *asked = context;
    const struct gravel_handler *entry = &asked->gravel->handlers[handler];
    const int result = entry->answer(asked->gravel, entry->user, source, args, answer);
    gravel_counter_add(asked->n_done, 1);
    return result;
}

static int call_asked(void *context, void *frame, uint64_t from, uint64_t to,
                      _Atomic uint64_t *n_done)
{
    struct asked asked = {context, n_done};
    const struct gravel_apply apply = {.call = call_answer, .context = &asked};
    struct gravel_applied applied = {.n_messages = 0};
    gravel_in_handler_beside(context);
    gravel_apply_runs(&apply, frame, from, to, &applied);
    end_functions(context);
    return applied.result;
}

static int call_print(void *context, const char *text, size_t bytes)
{
    struct gravel *gravel = context;
    gravel_in_handler_beside(gravel);
    int result = gravel->print(gravel->print_user, text, bytes);
    end_functions(gravel);
    return result;
}

GRAVELP_STATIC_ASSERT(GRAVEL_RECORD_MAX_BYTES == 4 * GRAVELP_RECORD_MAX_WORDS, "one size");

static int check_stream(const struct gravel_stream *streams, uint32_t i)
{
    const struct gravel_stream *stream = &streams[i];
    if (!gravel_is_identifier(stream->name))
        return gravel_fail(GRAVEL_EINVAL, "stream %u: name \"%s\" is not a C identifier", i,
                           stream->name ? stream->name : "NULL");
    if (stream->record_bytes == 0 || stream->record_bytes % 4 ||
        stream->record_bytes > GRAVEL_RECORD_MAX_BYTES)
        return gravel_fail(GRAVEL_EINVAL,
                           "stream %s: record_bytes is %u, not a multiple of 4 from 4 to %u",
                           stream->name, stream->record_bytes, GRAVEL_RECORD_MAX_BYTES);
    if (!stream->function)
        return gravel_fail(GRAVEL_EINVAL, "stream %s: function is NULL", stream->name);
    for (uint32_t j = 0; j < i; j++)
        if (!strcmp(stream->name, streams[j].name))
            return gravel_fail(GRAVEL_EINVAL, "stream %s is registered twice", stream->name);
    return 0;
}

int gravel_node_take_streams(struct gravel *gravel, const struct gravel_bindings *bindings)
{
    const uint32_t n = bindings->n_streams;
    gravel->print = bindings->print;
    gravel->print_user = bindings->print_user;
    gravel->streams.call = call_stream;
    gravel->streams.print = bindings->print ? call_print : NULL;
    gravel->streams.ask = call_asked;
    gravel->streams.handlers = gravel->handlers;
    gravel->streams.n_handlers = gravel->n_handlers;
    gravel->streams.context = gravel;
    if (n == 0)
        return 0;
    if (!bindings->streams || n > GRAVEL_MAX_STREAMS)
        return gravel_fail(GRAVEL_EINVAL, "bindings: %u streams at %p, at most %u", n,
                           (const void *)bindings->streams, GRAVEL_MAX_STREAMS);
    gravel->streams.list = calloc(n, sizeof *gravel->streams.list);
    if (!gravel->streams.list)
        return gravel_fail_memory("bindings: streams", n * sizeof *gravel->streams.list);
    for (uint32_t i = 0; i < n; i++) {
        GRAVEL_TRY(check_stream(bindings->streams, i));
        struct gravel_stream *copy = &gravel->streams.list[gravel->streams.n++];
        *copy = bindings->streams[i];
        copy->name = strdup(copy->name);
        if (!copy->name)
            return gravel_fail_memory("bindings: a name of streams",
                                      strlen(bindings->streams[i].name) + 1);
    }
    return 0;
}

void gravel_node_free_streams(struct gravel *gravel)
{
    for (uint32_t i = 0; i < gravel->streams.n; i++)
        free((char *)gravel->streams.list[i].name);
    free(gravel->streams.list);
}

uint64_t gravel_node_hash_streams(const struct gravel *gravel, uint64_t hash)
{
    for (uint32_t i = 0; i < gravel->streams.n; i++) {
        const struct gravel_stream *stream = &gravel->streams.list[i];
        hash = gravel_hash_bytes(hash, stream->name, strlen(stream->name));
        hash = gravel_hash_step(hash, 256 + stream->record_bytes);
    }
    return hash;
}
