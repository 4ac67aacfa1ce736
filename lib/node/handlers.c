/* SPDX-License-Identifier: MIT */
/*
 * The caller's table of handlers: checked, copied, and hashed for comparison with other nodes.
 *
 * Path:    gravel_open -> handlers.c -> agree.c (hashes), lib/resolve (the copy).
 * Owner:   the node has the copy; close.c frees it.
 */
#include "base/handler.h"
#include "base/hash.h"
#include "base/identifier.h"
#include "device/device.h"
#include "node/bindings.h"
#include "node/node.h"
#include "serve/text.h"
#include "serve/sender.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int check_keys(const struct gravel_handler *handler)
{
    const uint32_t n_keys = handler->serve.n_keys, bytes = handler->arg_bytes;
    if (n_keys > GRAVEL_AM_MAX_KEYS)
        return refuse(handler, "n_keys is %u, at most %u", n_keys, GRAVEL_AM_MAX_KEYS);
    if (n_keys > handler->n_args)
        return refuse(handler, "the first %u arguments are keys, and n_args is %u", n_keys,
                      handler->n_args);
    if (n_keys && gravel_handler_is_host(handler))
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

static int check_handler(const struct gravel_bindings *bindings, uint32_t i)
{
    const struct gravel_handler *handler = &bindings->handlers[i];
    const bool is_host = gravel_handler_is_host(handler);
    if (!gravel_is_identifier(handler->name))
        return gravel_fail(GRAVEL_EINVAL, "handler %u: name \"%s\" is not a C identifier", i,
                           handler->name ? handler->name : "NULL");
    if (handler->n_args > GRAVEL_AM_MAX_ARGS)
        return refuse(handler, "more than %u arguments", GRAVEL_AM_MAX_ARGS);
    if (!is_host && !bindings->device_code.source)
        return refuse(handler, "no function, and no device_code");
    if (!is_host && handler->user)
        return refuse(handler, "the device runs it, and cannot use `user`");
    for (uint32_t j = 0; j < i; j++)
        if (!strcmp(handler->name, bindings->handlers[j].name))
            return gravel_fail(GRAVEL_EINVAL, "handler %s is registered twice", handler->name);
    return check_keys(handler);
}

/* Checks the table as a whole. A source that no handler runs is a forgotten handler; all that send share a ring. */
static int check_table(const struct gravel_bindings *bindings)
{
    if (bindings->device_code.source && !gravel_device_has_handlers(bindings))
        return gravel_fail(GRAVEL_EINVAL,
                           "bindings: device_code is given, but every one of %u handlers has a "
                           "function of the host",
                           bindings->n_handlers);
    for (uint32_t i = 0; i < bindings->n_handlers; i++)
        GRAVEL_TRY(check_handler(bindings, i));
    const uint64_t room = gravel_sender_room(bindings->handlers, bindings->n_handlers);
    if (room <= GRAVEL_SENDER_MOST_ROOM)
        return 0;
    return gravel_fail(GRAVEL_EINVAL,
                       "bindings: max_pending of the handlers is %" PRIu64 " together, at most %u",
                       room, GRAVEL_SENDER_MOST_ROOM);
}

static int copy_handler(struct gravel *gravel, const struct gravel_handler *handler)
{
    struct gravel_handler *copy = &gravel->handlers[gravel->n_handlers++];
    *copy = *handler;
    copy->name = strdup(handler->name);
    copy->serve.datum = handler->serve.datum ? strdup(handler->serve.datum) : NULL;
    if (copy->answer)
        copy->n_answers = 1;
    else if (!copy->function)
        copy->function = gravel_on_device;
    if (copy->name && (copy->serve.datum || !handler->serve.datum))
        return 0;
    const char *datum = handler->serve.datum ? handler->serve.datum : "";
    return gravel_fail_memory("bindings: names of a handler",
                              strlen(handler->name) + strlen(datum));
}

/* A number that differs when texts do; their ends count. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    hash = gravel_hash_bytes(hash, text, text ? strlen(text) : 0);
    return gravel_hash_step(hash, 256);
}

int gravel_node_take_handlers(struct gravel *gravel, const struct gravel_bindings *bindings)
{
    GRAVEL_TRY(check_table(bindings));
    if (bindings->n_handlers == 0)
        return 0;
    gravel->handlers = calloc(bindings->n_handlers, sizeof *gravel->handlers);
    if (!gravel->handlers)
        return gravel_fail_memory("bindings: handlers",
                                  bindings->n_handlers * sizeof *gravel->handlers);
    for (uint32_t i = 0; i < bindings->n_handlers; i++)
        GRAVEL_TRY(copy_handler(gravel, &bindings->handlers[i]));
    gravel->device_code_hash = hash_text(hash_text(GRAVEL_HASH_BEGIN, bindings->device_code.source),
                                         bindings->device_code.options);
    return 0;
}

uint64_t gravel_node_hash_handler(uint64_t hash, const struct gravel_handler *handler)
{
    hash = hash_text(hash, handler->name);
    hash = gravel_hash_step(hash, 2 * handler->n_args + gravel_is_on_device(handler));
    hash = gravel_hash_step(hash, handler->serve.n_keys);
    if (handler->serve.n_keys == 2)
        hash = hash_text(gravel_hash_step(hash, handler->serve.datum_words), handler->serve.datum);
    if (handler->serve.max_pending)
        hash = gravel_hash_step(hash, handler->serve.max_pending);
    if (handler->n_answers)
        hash = gravel_hash_step(hash, UINT64_MAX);
    if (gravel_handler_is_narrow(handler))
        hash = gravel_hash_step(hash, UINT64_MAX - 1);
    if (handler->blocks)
        hash = gravel_hash_step(hash, UINT64_MAX - 2);
    return hash ? hash : 1;
}

uint64_t gravel_node_hash_handlers(const struct gravel *gravel)
{
    uint64_t hash = gravel_node_hash_streams(gravel, gravel->device_code_hash);
    for (uint32_t i = 0; i < gravel->n_handlers; i++)
        hash = gravel_node_hash_handler(hash, &gravel->handlers[i]);
    return hash;
}
