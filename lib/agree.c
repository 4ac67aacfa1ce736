/* SPDX-License-Identifier: MIT */
/*
 * What the nodes of a job must have in common before they open: handlers, settings, success.
 *
 * Path:    gravel_open -> agree.c -> gravel_reduce.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"

/* ---- handlers ----------------------------------------------------------------------------------
 */

static bool is_identifier(const char *name)
{
    if (!name || !(isalpha((unsigned char)name[0]) || name[0] == '_'))
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

static int check_handler(const struct gravel_handler *handlers, uint32_t i)
{
    if (!is_identifier(handlers[i].name))
        return gravel_fail(GRAVEL_EINVAL, "handler %u: name \"%s\" is not a C identifier", i,
                           handlers[i].name ? handlers[i].name : "NULL");
    if (!handlers[i].function || handlers[i].n_args > GRAVEL_AM_MAX_ARGS)
        return gravel_fail(GRAVEL_EINVAL, "handler %s: no function, or more than %u arguments",
                           handlers[i].name, GRAVEL_AM_MAX_ARGS);
    for (uint32_t j = 0; j < i; j++)
        if (!strcmp(handlers[i].name, handlers[j].name))
            return gravel_fail(GRAVEL_EINVAL, "handler %s is registered twice", handlers[i].name);
    return 0;
}

int gravel_agree_on_handlers(struct gravel *gravel, const struct gravel_bindings *bindings)
{
    if (!bindings || bindings->n_handlers == 0)
        return 0;
    if (!bindings->handlers || bindings->n_handlers > GRAVEL_MAX_HANDLERS)
        return gravel_fail(GRAVEL_EINVAL, "bindings: %u handlers at %p", bindings->n_handlers,
                           (const void *)bindings->handlers);
    gravel->handlers = calloc(bindings->n_handlers, sizeof *gravel->handlers);
    if (!gravel->handlers)
        return gravel_fail(GRAVEL_ENOMEM, "%u handlers", bindings->n_handlers);
    for (uint32_t i = 0; i < bindings->n_handlers; i++) {
        int code = check_handler(bindings->handlers, i);
        if (code)
            return code;
        gravel->handlers[i] = bindings->handlers[i];
        gravel->handlers[i].name = strdup(bindings->handlers[i].name);
        gravel->n_handlers = i + 1;
        if (!gravel->handlers[i].name)
            return gravel_fail(GRAVEL_ENOMEM, "handler %s", bindings->handlers[i].name);
    }
    return 0;
}

/* A number that differs when names, order or argument counts do (FNV-1a). */
static uint64_t hash_handlers(const struct gravel *gravel)
{
    uint64_t hash = 14695981039346656037u;
    for (uint32_t i = 0; i < gravel->n_handlers; i++) {
        for (const char *c = gravel->handlers[i].name; *c; c++)
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
        hash = (hash ^ (256 + gravel->handlers[i].n_args)) * 1099511628211u;
    }
    return hash;
}

/* ---- agreement ---------------------------------------------------------------------------------
 */

/* Settings that must be the same everywhere. */
#define AGREED(X)                                                                \
    X("library version",                                                         \
      GRAVEL_API_MAJOR * 1000000u + GRAVEL_API_MINOR * 1000u + GRAVEL_API_PATCH) \
    X("arena version", GRAVEL_ARENA_VERSION)                                     \
    X("wire version", GRAVEL_FRAME_VERSION)                                      \
    X("heap_bytes (GRAVEL_HEAP)", gravel->config.heap_bytes)                     \
    X("buffer_bytes (GRAVEL_BUFFER)", gravel->config.buffer_bytes)               \
    X("timeout_ms (GRAVEL_TIMEOUT)", gravel->config.timeout_ms)                  \
    X("table of handlers (hash of names, order and arguments)", hash_handlers(gravel))

/* Compare with the least and the most of all nodes; min(~x) is ~max(x), so one reduction gives
 * both. */
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
    return code;
}

/* All nodes open or none: tell the others whether this one could. */
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
