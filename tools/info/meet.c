/* SPDX-License-Identifier: MIT */
/*
 * What ranks report to each other, as values of reductions; then a job, which they open. See info.h.
 */
#include "info.h"

#include "base/error.h"
#include "members.h"
#include "network/network.h"
#include "settings/settings.h"
#include "transport/transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ----------------------------------------------------------------------------------- */

#define ROUND_BYTES (GRAVEL_ROUND_VALUES * sizeof(uint64_t))

static struct meeting {
    struct gravel_config config;
    struct gravel_network network;
    struct gravel_failure failure;
    struct gravel_segment *segment; /* as a node's; NULL: there is none, and why */
    char no_segment[GRAVEL_ERROR_BYTES];
} meeting;

static void report(void *context, int code, bool is_fatal, const char *text)
{
    (void)context;
    if (is_fatal && gravel_failure_note_fatal(&meeting.failure, code, text))
        gravel_network_wake(&meeting.network);
}

static void log_text(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "gravel-info: %s\n", text);
}

static void take_nothing(void *context)
{
    (void)context;
}

static int meet(void)
{
    bool use_mpi;
    if (gravel_config_load(&meeting.config, sizeof meeting.config))
        gravel_config_fall_back(&meeting.config); /* a malformed setting is one of the findings */
    meeting.config.loopback_nodes = 1;
    int code = gravel_transport_choose(meeting.config.transport, false, &use_mpi);
    if (code)
        return code;
    if (use_mpi && gravel_segment_create(&meeting.segment))
        snprintf(meeting.no_segment, sizeof meeting.no_segment, "%s", gravel_last_error());
    const struct gravel_network_shape shape = {
        .config = &meeting.config,
        .report = report,
        .log = log_text,
        .warn = log_text,
        .failure = &meeting.failure,
        .use_mpi = use_mpi,
        .opening.segment = meeting.segment,
        .take_shared = take_nothing,
    };
    return gravel_network_start(&meeting.network, &shape);
}

/* The largest of all ranks' values. */
static int reduce(void *values, uint32_t n)
{
    struct gravel_job job = {.kind = GRAVEL_JOB_REDUCE,
                             .call.kind = GRAVEL_CALL_OPEN,
                             .op = GRAVEL_MAX,
                             .type = GRAVEL_ULONG,
                             .n = n,
                             .values = values};
    int code = gravel_network_run(&meeting.network, &job);
    int noted = gravel_failure_report(&meeting.failure);
    return noted ? noted : code;
}

/* Adds where this rank is. One that is alone on its host has no one to hand node buffers to. */
static void introduce(json_t *own)
{
    const struct gravel_transport *transport = meeting.network.transport;
    json_t *place = json_pack(
        "{s:i, s:i, s:i, s:i, s:i, s:{s:s, s:s}}", "rank", (int)transport->node, "first",
        (int)transport->host, "local", (int)transport->local, "n_ranks", (int)transport->n_nodes,
        "n_local", (int)transport->n_local, "handover", "error",
        transport->n_local < 2 ? "" : meeting.no_segment, "why_not", transport->handover.why_not);
    json_object_update(own, place);
    json_decref(place);
    json_object_set_new(json_object_get(own, "cores"), "sharing",
                        json_integer(transport->n_sharing));
    const json_t *turns = json_object_get(own, "turns");
    if (turns)
        json_object_set(own, "device",
                        json_array_get(turns, transport->local % json_array_size(turns)));
    json_object_del(own, "turns");
    info_find_own(own);
}

/* Each rank has its part of one long text, which other ranks leave at 0. */
static int exchange(const char *own, json_t *all)
{
    const uint32_t n_ranks = meeting.network.n_nodes;
    uint64_t bytes = strlen(own) + 1;
    GRAVEL_TRY(reduce(&bytes, 1));
    bytes = (bytes + ROUND_BYTES - 1) / ROUND_BYTES * ROUND_BYTES;
    char *texts = calloc(n_ranks, bytes);
    if (!texts)
        return gravel_fail(GRAVEL_ENOMEM, "what %u ranks say", n_ranks);
    strcpy(texts + meeting.network.node * bytes, own);
    int code = 0;
    for (uint64_t at = 0; at < n_ranks * bytes && !code; at += ROUND_BYTES)
        code = reduce(texts + at, GRAVEL_ROUND_VALUES);
    for (uint32_t rank = 0; rank < n_ranks && !code; rank++)
        if (json_array_append_new(all, json_loads(texts + rank * bytes, 0, NULL)))
            code = gravel_fail(GRAVEL_ECORRUPT, "what rank %u says is no JSON", rank);
    free(texts);
    return code;
}

int info_gather(json_t *own, json_t *all)
{
    GRAVEL_TRY(meet());
    introduce(own);
    char *text = json_dumps(own, JSON_COMPACT);
    const int code = text ? exchange(text, all) : gravel_fail(GRAVEL_ENOMEM, "what this rank says");
    const struct gravel_kept met = gravel_keep(code);
    free(text);
    if (gravel_network_stop(&meeting.network, false))
        gravel_segment_destroy(meeting.segment); /* else MPI may still have it */
    return code ? gravel_fail_again(&met) : 0;
}

/* ---- a job --------------------------------------------------------------------------------------- */

#define LONG_BYTES (64u << 10) /* longer than any network's packets */

/* Gets a long text from each other node: where hosts or switches differ in MTU long frames vanish. */
static int hear_all(struct gravel *gravel)
{
    static unsigned char text[LONG_BYTES];
    const uint32_t n_nodes = gravel_n_nodes(gravel), node = gravel_node(gravel);
    const uint64_t half = gravel_config_of(gravel)->heap_bytes / 2,
                   bytes = half < sizeof text ? half : sizeof text;
    uint64_t at;
    GRAVEL_TRY(gravel_alloc(gravel, bytes, &at));
    for (uint32_t i = 1; i < n_nodes; i++)
        GRAVEL_TRY(gravel_get(gravel, at, text, bytes, (node + i) % n_nodes));
    return gravel_barrier(gravel);
}

bool info_open(const char *device, json_t *findings)
{
    struct gravel_config config;
    struct gravel *gravel = NULL;
    int code = info_config(&config, device);
    strcpy(config.log, "0"); /* what it would say is among the findings */
    if (!code)
        code = gravel_open(&gravel, &config, NULL);
    if (!code)
        code = hear_all(gravel);
    if (code) {
        log_text(NULL, gravel_last_error());
        info_add(findings, "a job would fail",
                 code == GRAVEL_EMISMATCH
                     ? "gravel-info --env and --version on both hosts show what they have"
                     : "that node's own error says why; of a silent one long packets may be lost: "
                       "ping -M do -s 1472 HOST; see MTU, firewalls, and MPI's choice of networks",
                 "%s", gravel_last_error());
    }
    if (gravel)
        gravel_close(gravel);
    return !code;
}
