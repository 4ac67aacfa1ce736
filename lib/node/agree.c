/* SPDX-License-Identifier: MIT */
/*
 * What the nodes of a job must have in common before they open: handlers, settings, success.
 *
 * Path:    gravel_open -> agree.c -> gravel_reduce.
 */
#include "base/hash.h"
#include "device/beside.h"
#include "node/node.h"
#include "resolve/on_device/call_program.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- handlers -------------------------------------------------------------------------------- */

static bool is_identifier(const char *name)
{
    if (!name || !(isalpha((unsigned char)name[0]) || name[0] == '_'))
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

static int check_keys(const struct gravel_handler *handler)
{
    if (handler->n_keys > GRAVEL_AM_MAX_KEYS)
        return gravel_fail(GRAVEL_EINVAL, "handler %s: n_keys is %u, at most %u", handler->name,
                           handler->n_keys, GRAVEL_AM_MAX_KEYS);
    if (handler->n_keys > handler->n_args)
        return gravel_fail(GRAVEL_EINVAL,
                           "handler %s: the first argument is the key, and n_args is 0",
                           handler->name);
    if (handler->n_keys && handler->function)
        return gravel_fail(
            GRAVEL_EINVAL,
            "handler %s: it has a key and a function of the host; handlers of the host "
            "run one at a time, without keys",
            handler->name);
    return 0;
}

static int check_handler(const struct gravel_bindings *bindings, uint32_t i)
{
    const struct gravel_handler *handlers = bindings->handlers;
    if (!is_identifier(handlers[i].name))
        return gravel_fail(GRAVEL_EINVAL, "handler %u: name \"%s\" is not a C identifier", i,
                           handlers[i].name ? handlers[i].name : "NULL");
    if (handlers[i].n_args > GRAVEL_AM_MAX_ARGS)
        return gravel_fail(GRAVEL_EINVAL, "handler %s: more than %u arguments", handlers[i].name,
                           GRAVEL_AM_MAX_ARGS);
    if (!handlers[i].function && !bindings->device_code.source)
        return gravel_fail(GRAVEL_EINVAL, "handler %s: no function, and no device_code",
                           handlers[i].name);
    if (!handlers[i].function && handlers[i].user)
        return gravel_fail(GRAVEL_EINVAL, "handler %s: the device runs it, and cannot use `user`",
                           handlers[i].name);
    for (uint32_t j = 0; j < i; j++)
        if (!strcmp(handlers[i].name, handlers[j].name))
            return gravel_fail(GRAVEL_EINVAL, "handler %s is registered twice", handlers[i].name);
    return check_keys(&handlers[i]);
}

static int copy_handler(struct gravel *gravel, const struct gravel_handler *handler)
{
    struct gravel_handler *copy = &gravel->handlers[gravel->n_handlers++];
    *copy = *handler;
    copy->name = strdup(handler->name);
    if (!copy->function)
        copy->function = gravel_on_device;
    return copy->name ? 0 : gravel_fail(GRAVEL_ENOMEM, "handler %s", handler->name);
}

/* A source that no handler runs is a forgotten handler. */
static int check_source(const struct gravel_bindings *bindings)
{
    if (!bindings->device_code.source || gravel_beside_is_wanted(bindings))
        return 0;
    return gravel_fail(GRAVEL_EINVAL,
                       "bindings: device_code is given, but every one of %u "
                       "handlers has a function of the host",
                       bindings->n_handlers);
}

/* A number that differs when texts do; their ends count. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    hash = gravel_hash_bytes(hash, text, text ? strlen(text) : 0);
    return gravel_hash_step(hash, 256);
}

int gravel_node_take_handlers(struct gravel *gravel, const struct gravel_bindings *bindings)
{
    int code = check_source(bindings);
    if (code || bindings->n_handlers == 0)
        return code;
    gravel->handlers = calloc(bindings->n_handlers, sizeof *gravel->handlers);
    if (!gravel->handlers)
        return gravel_fail(GRAVEL_ENOMEM, "%u handlers", bindings->n_handlers);
    for (uint32_t i = 0; !code && i < bindings->n_handlers; i++) {
        code = check_handler(bindings, i);
        if (!code)
            code = copy_handler(gravel, &bindings->handlers[i]);
    }
    gravel->device_code_hash = hash_text(hash_text(GRAVEL_HASH_BEGIN, bindings->device_code.source),
                                         bindings->device_code.options);
    return code;
}

/* A number that differs when its name, number of arguments or of keys, or place to run does. Never 0. */
static uint64_t hash_handler(uint64_t hash, const struct gravel_handler *handler)
{
    hash = hash_text(hash, handler->name);
    hash = gravel_hash_step(hash, 2 * handler->n_args + gravel_is_on_device(handler));
    hash = gravel_hash_step(hash, handler->n_keys);
    return hash ? hash : 1;
}

/* A hash of the table, its order, and the source of handlers that the device runs. */
static uint64_t hash_handlers(const struct gravel *gravel)
{
    uint64_t hash = gravel->device_code_hash;
    for (uint32_t i = 0; i < gravel->n_handlers; i++)
        hash = hash_handler(hash, &gravel->handlers[i]);
    return hash;
}

/* ---- agreement ------------------------------------------------------------------------------- */

/* Settings that must be the same everywhere. */
#define AGREED(X)                                                                \
    X("library version",                                                         \
      GRAVEL_API_MAJOR * 1000000u + GRAVEL_API_MINOR * 1000u + GRAVEL_API_PATCH) \
    X("arena version", GRAVELP_ARENA_VERSION)                                    \
    X("wire version", GRAVEL_FRAME_VERSION)                                      \
    X("heap_bytes (GRAVEL_HEAP)", gravel->config.heap_bytes)                     \
    X("buffer_bytes (GRAVEL_BUFFER)", gravel->config.buffer_bytes)               \
    X("timeout_ms (GRAVEL_TIMEOUT)", gravel->config.timeout_ms)

/* The least and the most of a value over all nodes; min(~x) is ~max(x), so one reduction gives both. */
static int range_over_nodes(struct gravel *gravel, uint64_t value, uint64_t range[2])
{
    range[0] = value;
    range[1] = ~value;
    int code = gravel_reduce(gravel, GRAVEL_MIN, GRAVEL_ULONG, range, 2);
    range[1] = ~range[1];
    return code;
}

static int fail_handler(const struct gravel *gravel, uint32_t i, bool is_missing)
{
    const struct gravel_handler *handler = i < gravel->n_handlers ? &gravel->handlers[i] : NULL;
    if (!handler)
        return gravel_fail(GRAVEL_EMISMATCH,
                           "nodes differ in handlers: number %u exists on one side only, not on "
                           "this node, which has %u",
                           i, gravel->n_handlers);
    return gravel_fail(
        GRAVEL_EMISMATCH,
        "nodes differ in handlers: number %u is %s here, with %u arguments, of which "
        "%u are keys, run by the %s; another node has %s",
        i, handler->name, handler->n_args, handler->n_keys,
        gravel_is_on_device(handler) ? "device" : "host",
        is_missing ? "no such number: it exists on one side only" : "another one");
}

/* Tables of handlers are the same, or the first one that differs is named. Collective. */
static int agree_on_table(struct gravel *gravel)
{
    uint64_t hashes[2], counts[2];
    int code = range_over_nodes(gravel, hash_handlers(gravel), hashes);
    if (code || hashes[0] == hashes[1])
        return code;
    code = range_over_nodes(gravel, gravel->n_handlers, counts);
    for (uint32_t i = 0; !code && i < counts[1]; i++) {
        bool is_here = i < gravel->n_handlers;
        code = range_over_nodes(
            gravel, is_here ? hash_handler(GRAVEL_HASH_BEGIN, &gravel->handlers[i]) : 0, hashes);
        if (!code && hashes[0] != hashes[1])
            return fail_handler(gravel, i, hashes[0] == 0);
    }
    return code ? code
                : gravel_fail(
                      GRAVEL_EMISMATCH,
                      "nodes differ in device_code: the source or the options of their handlers");
}

/* Compare with the least and the most of all nodes. */
int gravel_agree_on_settings(struct gravel *gravel)
{
#define AGREED_NAME(name, value) name,
#define AGREED_VALUE(name, value) (uint64_t)(value), ~(uint64_t)(value),
    static const char *const names[] = {AGREED(AGREED_NAME)};
    uint64_t values[] = {AGREED(AGREED_VALUE)};
    int code = gravel_reduce(gravel, GRAVEL_MIN, GRAVEL_ULONG, values,
                             (uint32_t)(sizeof values / sizeof *values));
    for (size_t i = 0; !code && i < sizeof names / sizeof *names; i++)
        if (values[2 * i] != ~values[2 * i + 1])
            code = gravel_fail(GRAVEL_EMISMATCH, "nodes differ in %s: %llu to %llu", names[i],
                               (unsigned long long)values[2 * i],
                               (unsigned long long)~values[2 * i + 1]);
    return code ? code : agree_on_table(gravel);
}

/* Set first: once the reduction has ended, every node has it, and a message that relies on it may come. */
int gravel_constant(struct gravel *gravel, uint32_t i, uint64_t value)
{
    uint64_t range[2];
    if (gravel_node_refuse_wait(gravel, "gravel_constant"))
        return GRAVEL_EINVAL;
    if (i >= GRAVEL_N_CONSTANTS)
        return gravel_fail(GRAVEL_ERANGE, "gravel_constant: number %u of %u", i,
                           GRAVEL_N_CONSTANTS);
    const uint64_t at = offsetof(struct gravelp_arena, constants) + i * sizeof value;
    int code = gravel_memory_write_head(&gravel->memory, at, &value, sizeof value);
    int agreed = range_over_nodes(gravel, value, range);
    if (code || agreed)
        return code ? code : agreed;
    return range[0] == range[1]
               ? 0
               : gravel_fail(GRAVEL_EMISMATCH, "nodes differ in constant %u: %llu to %llu", i,
                             (unsigned long long)range[0], (unsigned long long)range[1]);
}

/* All nodes open or none: tell the other nodes whether this one could. */
int gravel_agree_on_success(struct gravel *gravel, int code)
{
    int64_t worst = code;
    int reduced = gravel_reduce(gravel, GRAVEL_MIN, GRAVEL_LONG, &worst, 1);
    if (code) {
        gravel_failure_report(&gravel->failure);
        return code;
    }
    if (reduced)
        return reduced;
    if (worst)
        return gravel_fail(GRAVEL_EPEER, "another node could not open: %s",
                           gravel_strerror((int)worst));
    return 0;
}
