/* SPDX-License-Identifier: MIT */
/*
 * The caller's bindings, by the sizes of its header; their handlers and streams: checked, copied, and hashed for
 * comparison with other nodes.
 *
 * Path:    gravel_open -> tables.c -> agree.c (hashes), base/endpoints.h (the copy).
 * Owner:   the node has the copy; close.c frees it.
 */
#include "base/growing.h"
#include "base/hash.h"
#include "base/number.h"
#include "device/device.h"
#include "layout/command.h"
#include "node/node.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GRAVELP_STATIC_ASSERT(GRAVEL_RECORD_MAX_BYTES == 4 * GRAVELP_RECORD_MAX_WORDS, "one size");

static const struct gravel_growing of_bindings =
    GRAVEL_GROWING("bindings.bytes", gravel_bindings, "GRAVEL_BINDINGS()", mpi_comm);
static const struct gravel_growing of_handler =
    GRAVEL_GROWING("bindings.handler_bytes", gravel_handler, "GRAVEL_BINDINGS()", serve);

int gravel_bindings_read(struct gravel_bindings *out, const struct gravel_bindings *bindings)
{
    memset(out, 0, sizeof *out);
    return bindings ? gravel_growing_read(&of_bindings, out, bindings, bindings->bytes, 1) : 0;
}

/* Checks that row i has a name, and none before it the same. @param rows  whose names are their first members */
static int check_name(const char *kind, const void *rows, size_t row_bytes, uint32_t i)
{
#define NAME(i) (*(const char *const *)(const void *)((const char *)rows + (i)*row_bytes))
    if (!gravel_is_identifier(NAME(i)))
        return gravel_fail(GRAVEL_EINVAL, "%s %u: name \"%s\" is not a C identifier", kind, i,
                           NAME(i) ? NAME(i) : "NULL");
    for (uint32_t j = 0; j < i; j++)
        if (!strcmp(NAME(i), NAME(j)))
            return gravel_fail(GRAVEL_EINVAL, "%s %s is registered twice", kind, NAME(i));
    return 0;
#undef NAME
}

/* ---- handlers -------------------------------------------------------------------------------- */

/* Fails with the handler's name and why. */
static int refuse(const struct gravel_handler *handler, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int refuse(const struct gravel_handler *handler, const char *format, ...)
{
    char why[GRAVEL_ERROR_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return gravel_fail(GRAVEL_EINVAL, "handler %s: %s", handler->name, why);
}

/* Checks what a transaction moves. */
static int check_datum(const struct gravel_handler *handler)
{
    const struct gravel_serve *serve = &handler->serve;
    if (serve->n_keys < 2)
        return serve->datum || serve->datum_words
                   ? refuse(handler, "it has a datum, which is for 2 keys, and n_keys is %u",
                            serve->n_keys)
                   : 0;
    if (!gravel_is_identifier(serve->datum))
        return refuse(handler, "it has 2 keys, and datum \"%s\" is not a C identifier",
                      serve->datum ? serve->datum : "NULL");
    if (serve->datum_words == 0 || serve->datum_words > GRAVEL_DATUM_MAX_WORDS)
        return refuse(handler, "datum_words is %u, not in 1..%u", serve->datum_words,
                      GRAVEL_DATUM_MAX_WORDS);
    return 0;
}

/* Checks what a handler answers. */
static int check_answers(const struct gravel_handler *handler)
{
    if (handler->blocks > 1 || (handler->blocks && !handler->answer))
        return refuse(handler,
                      "blocks is %u; it is 1 of a function of the host that answers (member "
                      "`answer`), and 0 of all others",
                      handler->blocks);
    if (!handler->n_answers && !handler->answer)
        return 0;
    if (handler->n_answers > 1)
        return refuse(handler, "n_answers is %u, at most 1", handler->n_answers);
    if (handler->function)
        return refuse(handler, "it answers, and has a function of the host that does not; member "
                               "`answer` is for one that does");
    if (handler->n_args > GRAVEL_ASK_MAX_ARGS)
        return refuse(handler,
                      "it answers, and n_args is %u; a message that is answered has %u arguments "
                      "at most",
                      handler->n_args, GRAVEL_ASK_MAX_ARGS);
    if (handler->serve.n_keys == 2 || handler->serve.max_pending)
        return refuse(handler, "it answers, and %s; such handlers do not answer",
                      handler->serve.max_pending ? "may send" : "has 2 keys");
    return 0;
}

static int check_handler(const struct gravel_bindings *bindings, uint32_t i)
{
    const struct gravel_handler *handler = &bindings->handlers[i];
    const bool is_host = gravel_handler_is_host(handler);
    const uint32_t n_keys = handler->serve.n_keys, bytes = handler->arg_bytes;
    GRAVEL_TRY(check_name("handler", bindings->handlers, sizeof *handler, i));
    if (handler->n_args > GRAVEL_AM_MAX_ARGS)
        return refuse(handler, "more than %u arguments", GRAVEL_AM_MAX_ARGS);
    if (!is_host && !bindings->device_code.source)
        return refuse(handler, "no function, and no device_code");
    if (!is_host && handler->user)
        return refuse(handler, "the device runs it, and cannot use `user`");
    if (n_keys > GRAVEL_AM_MAX_KEYS)
        return refuse(handler, "n_keys is %u, at most %u", n_keys, GRAVEL_AM_MAX_KEYS);
    if (n_keys > handler->n_args)
        return refuse(handler, "the first %u arguments are keys, and n_args is %u", n_keys,
                      handler->n_args);
    if (n_keys && is_host)
        return refuse(handler, "it has a key and a function of the host; handlers of the host run "
                               "one at a time, without keys");
    GRAVEL_TRY(check_answers(handler));
    if (bytes != 0 && bytes != 4 && bytes != 8)
        return refuse(handler, "arg_bytes is %u (4 or 8 allowed)", bytes);
    if (bytes == 4 && n_keys == 2)
        return refuse(handler,
                      "arg_bytes is 4, and arguments of handlers with 2 keys have 8 bytes");
    if (handler->serve.max_pending && n_keys != 1)
        return refuse(handler,
                      "max_pending is %" PRIu64
                      ", for handlers that send have 1 key, and n_keys is %u",
                      handler->serve.max_pending, n_keys);
    return check_datum(handler);
}

/* Takes the handlers. A source that no handler runs is a forgotten handler; all that send share a ring. */
static int take_handlers(struct gravel_endpoints *endpoints, struct gravel_bindings *bindings)
{
    const void *table = bindings->handlers;
    const uint32_t n = bindings->n_handlers;
    if (n && (!table || n > GRAVEL_MAX_HANDLERS))
        return gravel_fail(GRAVEL_EINVAL,
                           "bindings: %u handlers at %p (a table of 1 to %u allowed)", n, table,
                           GRAVEL_MAX_HANDLERS);
    bindings->handlers = endpoints->handlers = n ? calloc(n, sizeof *endpoints->handlers) : NULL;
    if (n && !endpoints->handlers)
        return gravel_fail_memory("bindings: handlers", n * sizeof *endpoints->handlers);
    if (n)
        GRAVEL_TRY(gravel_growing_read(&of_handler, endpoints->handlers, table,
                                       bindings->handler_bytes, n));
    if (bindings->device_code.source && !gravel_device_has_handlers(bindings))
        return gravel_fail(GRAVEL_EINVAL,
                           "bindings: device_code is given, but every one of %u handlers has a "
                           "function of the host",
                           n);
    for (uint32_t i = 0; i < n; i++) {
        struct gravel_handler *handler = &endpoints->handlers[i];
        GRAVEL_TRY(check_handler(bindings, i));
        if (handler->answer)
            handler->n_answers = 1;
        endpoints->n_handlers++;
        const char *name = handler->name, *datum = handler->serve.datum;
        handler->name = strdup(name); /* names are the table's own */
        handler->serve.datum = datum ? strdup(datum) : NULL;
        if (!handler->name || (datum && !handler->serve.datum))
            return gravel_fail_memory("bindings: names of a handler",
                                      strlen(name) + strlen(datum ? datum : ""));
    }
    const uint64_t room = gravel_sender_room(endpoints);
    if (room <= GRAVEL_SENDER_MOST_ROOM)
        return 0;
    return gravel_fail(GRAVEL_EINVAL,
                       "bindings: max_pending of the handlers is %" PRIu64 " together, at most %u",
                       room, GRAVEL_SENDER_MOST_ROOM);
}

/* ---- streams --------------------------------------------------------------------------------- */

static int take_streams(struct gravel_endpoints *endpoints, const struct gravel_bindings *bindings)
{
    const uint32_t n = bindings->n_streams;
    if (n == 0)
        return 0;
    if (!bindings->streams || n > GRAVEL_MAX_STREAMS)
        return gravel_fail(GRAVEL_EINVAL, "bindings: %u streams at %p, at most %u", n,
                           (const void *)bindings->streams, GRAVEL_MAX_STREAMS);
    endpoints->streams = calloc(n, sizeof *endpoints->streams);
    if (!endpoints->streams)
        return gravel_fail_memory("bindings: streams", n * sizeof *endpoints->streams);
    for (uint32_t i = 0; i < n; i++) {
        const struct gravel_stream *stream = &bindings->streams[i];
        GRAVEL_TRY(check_name("stream", bindings->streams, sizeof *stream, i));
        if (stream->record_bytes == 0 || stream->record_bytes % 4 ||
            stream->record_bytes > GRAVEL_RECORD_MAX_BYTES)
            return gravel_fail(GRAVEL_EINVAL,
                               "stream %s: record_bytes is %u, not a multiple of 4 from 4 to %u",
                               stream->name, stream->record_bytes, GRAVEL_RECORD_MAX_BYTES);
        if (!stream->function)
            return gravel_fail(GRAVEL_EINVAL, "stream %s: function is NULL", stream->name);
        struct gravel_stream *copy = &endpoints->streams[endpoints->n_streams++];
        *copy = *stream;
        if (!(copy->name = strdup(stream->name)))
            return gravel_fail_memory("bindings: a name of streams", strlen(stream->name) + 1);
    }
    return 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Hashes a text, its end included. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    hash = gravel_hash_bytes(hash, text, text ? strlen(text) : 0);
    return gravel_hash_step(hash, 256);
}

/* Runs a handler's function, in the network thread. */
static int call_handler(void *context, uint32_t handler, uint32_t source,
                        const uint64_t args[GRAVEL_AM_MAX_ARGS], uint64_t *answer)
{
    struct gravel *gravel = context;
    const struct gravel_handler *entry = &gravel->endpoints.handlers[handler];
    gravel_in_handler_of = gravel;
    atomic_store_explicit(&gravel->in_handler, handler + 1, memory_order_relaxed); /* H13 */
    gravel_counter_add(&gravel->handler_steps, 1);                                 /* H13 */
    int result = entry->answer ? entry->answer(gravel, entry->user, source, args, answer)
                               : entry->function(gravel, entry->user, source, args);
    atomic_store_explicit(&gravel->in_handler, 0, memory_order_relaxed); /* H13 */
    gravel_counter_add(&gravel->handler_steps, 1);                       /* H13 */
    gravel_in_handler_of = NULL;
    return result;
}

static void flush(struct gravel *gravel)
{
    if (!gravel_node_has_failed(gravel))
        gravel_node_flush_host(gravel); /* or the node has failed */
}

int gravel_endpoints_take(struct gravel_endpoints *endpoints, struct gravel_bindings *bindings)
{
    endpoints->print = bindings->print;
    endpoints->print_user = bindings->print_user;
    endpoints->call = call_handler;
    endpoints->flush = flush;
    GRAVEL_TRY(take_handlers(endpoints, bindings));
    if (endpoints->n_handlers)
        endpoints->device_code_hash =
            hash_text(hash_text(GRAVEL_HASH_BEGIN, bindings->device_code.source),
                      bindings->device_code.options);
    return take_streams(endpoints, bindings);
}

void gravel_endpoints_free(struct gravel_endpoints *endpoints)
{
    for (uint32_t i = 0; i < endpoints->n_handlers; i++) {
        free((char *)endpoints->handlers[i].name);
        free((char *)endpoints->handlers[i].serve.datum);
    }
    for (uint32_t i = 0; i < endpoints->n_streams; i++)
        free((char *)endpoints->streams[i].name);
    free(endpoints->handlers);
    free(endpoints->streams);
}

uint64_t gravel_endpoints_hash_handler(uint64_t hash, const struct gravel_handler *handler)
{
    const struct gravel_serve *serve = &handler->serve;
    const uint64_t facts[] = {handler->n_args,    !gravel_handler_is_host(handler),
                              handler->n_answers, gravel_handler_is_narrow(handler),
                              handler->blocks,    serve->n_keys,
                              serve->datum_words, serve->max_pending};
    hash = hash_text(hash_text(hash, handler->name), serve->datum);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        hash = gravel_hash_step(hash, facts[i]);
    return hash ? hash : 1;
}

uint64_t gravel_endpoints_hash_streams(const struct gravel_endpoints *endpoints, uint64_t hash)
{
    for (uint32_t i = 0; i < endpoints->n_streams; i++)
        hash = gravel_hash_step(hash_text(hash, endpoints->streams[i].name),
                                endpoints->streams[i].record_bytes);
    return hash;
}

uint64_t gravel_endpoints_hash(const struct gravel_endpoints *endpoints)
{
    uint64_t hash = gravel_endpoints_hash_streams(endpoints, endpoints->device_code_hash);
    for (uint32_t i = 0; i < endpoints->n_handlers; i++)
        hash = gravel_endpoints_hash_handler(hash, &endpoints->handlers[i]);
    return hash;
}
