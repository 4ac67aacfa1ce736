/* SPDX-License-Identifier: MIT */
/*
 * What the nodes of a job must have in common before they open: handlers, streams, settings, success.
 *
 * Path:    gravel_open -> agree.c (tables.c: hashes) -> gravel_reduce.
 */
#include "base/hash.h"
#include "node/node.h"
#include "serve/servers.h"
#include "settings/settings.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_AGREED 16u /* more than there are */

/* Something that must be the same everywhere. */
struct agreed {
    const char *name, *variable; /* variable NULL: it is not a setting */
    uint64_t value;
};

/* Finds the least and the most of a value over all nodes; min(~x) is ~max(x), so one reduction gives both. */
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
    const struct gravel_handler *handler =
        i < gravel->endpoints.n_handlers ? &gravel->endpoints.handlers[i] : NULL;
    if (!handler)
        return gravel_fail(GRAVEL_EMISMATCH,
                           "nodes differ in handlers: number %u exists on one side only, not on "
                           "this node, which has %u",
                           i, gravel->endpoints.n_handlers);
    char datum[96] = "";
    if (handler->serve.n_keys == 2)
        snprintf(datum, sizeof datum, " of data %s, %u words each", handler->serve.datum,
                 handler->serve.datum_words);
    return gravel_fail(
        GRAVEL_EMISMATCH,
        "nodes differ in handlers: number %u is %s here, with %u arguments, of which "
        "%u are keys%s, max_pending %" PRIu64 ", run by the %s; another node has %s",
        i, handler->name, handler->n_args, handler->serve.n_keys, datum, handler->serve.max_pending,
        !gravel_handler_is_host(handler) ? "device"
        : handler->blocks                ? "host, and blocks"
                                         : "host",
        is_missing ? "no such number: it exists on one side only" : "another one");
}

/* Names the first handler that differs, or what else of the tables does. Collective. */
static int fail_tables(struct gravel *gravel)
{
    uint64_t hashes[2], counts[2];
    GRAVEL_TRY(range_over_nodes(gravel, gravel->endpoints.n_handlers, counts));
    for (uint32_t i = 0; i < counts[1]; i++) {
        bool is_here = i < gravel->endpoints.n_handlers;
        GRAVEL_TRY(range_over_nodes(gravel,
                                    is_here ? gravel_endpoints_hash_handler(
                                                  GRAVEL_HASH_BEGIN, &gravel->endpoints.handlers[i])
                                            : 0,
                                    hashes));
        if (hashes[0] != hashes[1])
            return fail_handler(gravel, i, hashes[0] == 0);
    }
    GRAVEL_TRY(range_over_nodes(
        gravel, gravel_endpoints_hash_streams(&gravel->endpoints, GRAVEL_HASH_BEGIN), hashes));
    if (hashes[0] == hashes[1])
        return gravel_fail(
            GRAVEL_EMISMATCH,
            "nodes differ in device_code: the source or the options of their handlers");
    char list[256] = "";
    for (uint32_t i = 0; i < gravel->endpoints.n_streams; i++)
        gravel_append(list, sizeof list, "%s%s of %u bytes", i ? ", " : "",
                      gravel->endpoints.streams[i].name, gravel->endpoints.streams[i].record_bytes);
    return gravel_fail(GRAVEL_EMISMATCH,
                       "nodes differ in streams, which are here, in their order: %s",
                       gravel->endpoints.n_streams ? list : "none");
}

/* Returns a number as GRAVEL_API's: 4001004 for "Open MPI v4.1.4", 0 for "none". */
static uint64_t version_of_mpi(void)
{
    char name[GRAVEL_MPI_NAME_BYTES];
    unsigned numbers[3] = {0, 0, 0};
    gravel_transport_mpi_name(name);
    const char *digits = name + strcspn(name, "0123456789");
    sscanf(digits, "%9u.%3u.%3u", &numbers[0], &numbers[1], &numbers[2]);
    return numbers[0] * UINT64_C(1000000) + numbers[1] * 1000u + numbers[2];
}

/* Lists what all nodes have in common, the hash of the tables last. @return how many there are */
static uint32_t list_agreed(const struct gravel *gravel, struct agreed list[MAX_AGREED])
{
    uint32_t n = 0;
    list[n++] =
        (struct agreed){"library version", NULL,
                        GRAVEL_API_MAJOR * 1000000u + GRAVEL_API_MINOR * 1000u + GRAVEL_API_PATCH};
    list[n++] = (struct agreed){"MPI's version", NULL, version_of_mpi()};
    list[n++] = (struct agreed){"arena version", NULL, GRAVELP_ARENA_VERSION};
    list[n++] = (struct agreed){"wire version", NULL, GRAVEL_FRAME_VERSION};
    const struct gravel_setting *setting;
    for (uint32_t i = 0; (setting = gravel_setting_at(i)) && n < MAX_AGREED; i++)
        if (gravel_setting_reach(setting) == GRAVEL_SETTING_AGREED)
            list[n++] = (struct agreed){setting->field, setting->variable,
                                        gravel_setting_number(&gravel->config, setting)};
    assert(!setting && n < MAX_AGREED); /* none is left out */
    list[n++] =
        (struct agreed){"handlers and streams", NULL, gravel_endpoints_hash(&gravel->endpoints)};
    return n;
}

/* Names the first of the nodes that have the least, and of those that have the most. Collective. */
static int fail_agreed(struct gravel *gravel, const struct agreed *agreed, const uint64_t range[2])
{
    const uint64_t node = gravel->network.transport->node;
    uint64_t who[2];
    for (int i = 0; i < 2; i++)
        who[i] = agreed->value == range[i] ? node : UINT64_MAX;
    GRAVEL_TRY(gravel_node_reduce(gravel, &gravel_call_open, GRAVEL_MIN, GRAVEL_ULONG, who, 2));
    return gravel_fail(GRAVEL_EMISMATCH,
                       "nodes differ in %s%s%s%s: %" PRIu64 " at node %" PRIu64 ", %" PRIu64
                       " at node %" PRIu64 "%s",
                       agreed->name, agreed->variable ? " (" : "",
                       agreed->variable ? agreed->variable : "", agreed->variable ? ")" : "",
                       range[0], who[0], range[1], who[1],
                       agreed->variable ? "; set it at node 0 alone, whose setting all nodes take"
                                        : "; install one version on all hosts");
}

int gravel_agree_on_settings(struct gravel *gravel)
{
    struct agreed list[MAX_AGREED];
    uint64_t least[2 * MAX_AGREED]; /* of a value, and of its complement */
    const uint32_t n = list_agreed(gravel, list);
    for (uint32_t i = 0; i < n; i++) {
        least[2 * i] = list[i].value;
        least[2 * i + 1] = ~list[i].value;
    }
    int code =
        gravel_node_reduce(gravel, &gravel_call_open, GRAVEL_MIN, GRAVEL_ULONG, least, 2 * n);
    for (uint32_t i = 0; i < n && !code; i++) {
        const uint64_t range[2] = {least[2 * i], ~least[2 * i + 1]};
        if (range[0] != range[1])
            code = i + 1 == n ? fail_tables(gravel) : fail_agreed(gravel, &list[i], range);
    }
    return code;
}

/* A code, and the node that has it, as one number: the least of all nodes' has the least code, and its first node. */
#define CODES INT64_C(0x100000000)

int gravel_node_agree_on(struct gravel *gravel, const struct gravel_collective_call *call,
                         bool is_rest, int code)
{
    const struct gravel_kept met = gravel_keep(code);
    int64_t worst = code ? code * CODES + gravel->network.transport->node : 0;
    struct gravel_job job = {.call = *call,
                             .is_rest = is_rest,
                             .op = GRAVEL_MIN,
                             .type = GRAVEL_LONG,
                             .values = &worst,
                             .n = 1};
    int reduced = gravel_node_run_reduction(gravel, &job);
    if (code)
        return gravel_fail_again(&met);
    if (reduced || !worst)
        return reduced;
    const uint32_t node = (uint32_t)(worst & (CODES - 1));
    const int theirs = (int)((worst - node) / CODES);
    if (call->kind == GRAVEL_CALL_OPEN)
        return gravel_fail(GRAVEL_EPEER, "node %u could not open: %s; its own error says why", node,
                           gravel_strerror(theirs));
    return gravel_fail(theirs, "%s: node %u cannot: %s", gravel_call_name(call->kind), node,
                       gravel_strerror(theirs));
}

/* Writes it once all nodes agree on it; none returns before all have it, for a message that relies on it may follow. */
int gravel_set_constant(struct gravel *gravel, uint32_t i, uint64_t value)
{
    GRAVEL_TRY(gravel_enter(gravel, "gravel_set_constant", GRAVEL_WAITS));
    const struct gravel_collective_call call = {.kind = GRAVEL_CALL_CONSTANT,
                                                .arguments = {i, value}};
    int code = i < GRAVEL_N_CONSTANTS
                   ? 0
                   : gravel_fail(GRAVEL_ERANGE,
                                 "gravel_set_constant: number %u out of range (0 to %u allowed)", i,
                                 GRAVEL_N_CONSTANTS - 1);
    GRAVEL_TRY(gravel_node_agree_on(gravel, &call, false, code));
    const uint64_t at = offsetof(struct gravelp_arena, constants) + i * sizeof value;
    if (gravel->memory.region.buffer)
        memcpy((unsigned char *)gravel->arena + at, &value, sizeof value);
    code = gravel_region_write(&gravel->memory.region, at, &value, sizeof value);
    return gravel_node_agree_on(gravel, &call, true, code);
}
