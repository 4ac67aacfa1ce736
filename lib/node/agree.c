/* SPDX-License-Identifier: MIT */
/*
 * What the nodes of a job must have in common before they open: handlers, settings, success.
 *
 * Path:    gravel_open -> agree.c (handlers.c: hashes) -> gravel_reduce.
 */
#include "base/hash.h"
#include "node/node.h"
#include "serve/call_program.h"

#include <inttypes.h>
#include <stdio.h>

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
    int code = gravel_node_reduce(gravel, &gravel_call_open, GRAVEL_MIN, GRAVEL_ULONG, range, 2);
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
    char datum[96] = "";
    if (handler->serve.n_keys == 2)
        snprintf(datum, sizeof datum, " of data %s, %u words each", handler->serve.datum,
                 handler->serve.datum_words);
    return gravel_fail(
        GRAVEL_EMISMATCH,
        "nodes differ in handlers: number %u is %s here, with %u arguments, of which "
        "%u are keys%s, max_pending %" PRIu64 ", run by the %s; another node has %s",
        i, handler->name, handler->n_args, handler->serve.n_keys, datum, handler->serve.max_pending,
        gravel_is_on_device(handler) ? "device" : "host",
        is_missing ? "no such number: it exists on one side only" : "another one");
}

/* Tables of handlers are the same, or the first one that differs is named. Collective. */
static int agree_on_table(struct gravel *gravel)
{
    uint64_t hashes[2], counts[2];
    int code = range_over_nodes(gravel, gravel_node_hash_handlers(gravel), hashes);
    if (code || hashes[0] == hashes[1])
        return code;
    code = range_over_nodes(gravel, gravel->n_handlers, counts);
    for (uint32_t i = 0; !code && i < counts[1]; i++) {
        bool is_here = i < gravel->n_handlers;
        code = range_over_nodes(
            gravel, is_here ? gravel_node_hash_handler(GRAVEL_HASH_BEGIN, &gravel->handlers[i]) : 0,
            hashes);
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
    int code = gravel_node_reduce(gravel, &gravel_call_open, GRAVEL_MIN, GRAVEL_ULONG, values,
                                  (uint32_t)(sizeof values / sizeof *values));
    for (size_t i = 0; !code && i < sizeof names / sizeof *names; i++)
        if (values[2 * i] != ~values[2 * i + 1])
            code = gravel_fail(GRAVEL_EMISMATCH, "nodes differ in %s: %llu to %llu", names[i],
                               (unsigned long long)values[2 * i],
                               (unsigned long long)~values[2 * i + 1]);
    return code ? code : agree_on_table(gravel);
}

/* Set first: once the reduction has ended, every node has it, and a message that relies on it may come. */
int gravel_set_constant(struct gravel *gravel, uint32_t i, uint64_t value)
{
    if (gravel_node_refuse_wait(gravel, "gravel_set_constant"))
        return GRAVEL_EINVAL;
    if (i >= GRAVEL_N_CONSTANTS)
        return gravel_fail(GRAVEL_ERANGE, "gravel_set_constant: number %u of %u", i,
                           GRAVEL_N_CONSTANTS);
    const uint64_t at = offsetof(struct gravelp_arena, constants) + i * sizeof value;
    const struct gravel_collective_call call = {.kind = GRAVEL_CALL_CONSTANT,
                                                .arguments = {i, value}};
    int code = gravel_memory_write_head(&gravel->memory, at, &value, sizeof value);
    int agreed = gravel_node_agree(gravel, &call);
    return code ? code : agreed;
}

/* All nodes open or none: tell the other nodes whether this one could. */
int gravel_agree_on_success(struct gravel *gravel, int code)
{
    int64_t worst = code;
    int reduced = gravel_node_reduce(gravel, &gravel_call_open, GRAVEL_MIN, GRAVEL_LONG, &worst, 1);
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

int gravel_node_agree_on_code(struct gravel *gravel, uint32_t kind, const char *call, int code)
{
    const struct gravel_collective_call collective = {.kind = kind};
    char text[GRAVEL_ERROR_BYTES];
    snprintf(text, sizeof text, "%s", code ? gravel_last_error() : "");
    int64_t least[2] = {code, code ? (int64_t)gravel->network.transport->node : INT64_MAX};
    int reduced = gravel_node_reduce(gravel, &collective, GRAVEL_MIN, GRAVEL_LONG, least, 2);
    if (code)
        return gravel_fail(code, "%s", text);
    if (reduced || !least[0])
        return reduced;
    return gravel_fail((int)least[0], "%s: node %" PRId64 " cannot: %s", call, least[1],
                       gravel_strerror((int)least[0]));
}
