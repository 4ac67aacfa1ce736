/* SPDX-License-Identifier: MIT */
/*
 * Exchanges objects of ranks. See cluster.h.
 *
 * Texts travel as values of reductions: each rank has its turn, in which other ranks bring zeros.
 */
#include "cluster.h"

#include "base/error.h"
#include "network/network.h"
#include "settings/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void tell(void *context, const char *text)
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
        .log = tell,
        .warn = tell,
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

/* One rank's turn. */
static int take_turn(const char *own, uint32_t rank, json_t *all)
{
    const bool is_mine = rank == meeting.network.node;
    uint64_t bytes = is_mine ? strlen(own) : 0;
    int code = reduce(&bytes, 1);
    char *text = code ? NULL : calloc(1, bytes + ROUND_BYTES);
    if (!code && !text)
        code = gravel_fail(GRAVEL_ENOMEM, "%llu bytes of rank %u", (unsigned long long)bytes, rank);
    if (!code && is_mine)
        memcpy(text, own, bytes);
    for (uint64_t at = 0; at < bytes && !code; at += ROUND_BYTES)
        code = reduce(text + at, GRAVEL_ROUND_VALUES);
    json_t *object = code ? NULL : json_loadb(text, bytes, 0, NULL);
    if (!code && json_array_append_new(all, object))
        code = gravel_fail(GRAVEL_ECORRUPT, "what rank %u says is no JSON", rank);
    free(text);
    return code;
}

static const char *null_if_empty(const char *text)
{
    return *text ? text : NULL;
}

/* A rank that is alone on its host has no one to hand node buffers to. */
static char *introduce(json_t *own)
{
    const struct gravel_transport *transport = meeting.network.transport;
    const bool is_alone = transport->n_local < 2;
    json_t *place = json_pack("{s:i, s:i, s:i, s:{s:i, s:s?, s:s?}}", "rank", (int)transport->node,
                              "first", (int)transport->host, "local", (int)transport->local,
                              "handover", "takers", (int)transport->handover.n_takers, "error",
                              null_if_empty(is_alone ? "" : meeting.no_segment), "why_not",
                              null_if_empty(transport->handover.why_not));
    json_object_update(own, place);
    json_decref(place);
    return json_dumps(own, JSON_COMPACT);
}

int info_gather(json_t *own, json_t **all)
{
    int code = meet();
    if (code)
        return code;
    char *text = introduce(own);
    *all = json_array();
    if (!text)
        code = gravel_fail(GRAVEL_ENOMEM, "what this rank says");
    for (uint32_t rank = 0; rank < meeting.network.n_nodes && !code; rank++)
        code = take_turn(text, rank, *all);
    free(text);
    char error[GRAVEL_ERROR_BYTES];
    snprintf(error, sizeof error, "%s", code ? gravel_last_error() : "");
    if (gravel_network_stop(&meeting.network, false))
        gravel_segment_destroy(meeting.segment); /* else MPI may still have it */
    return code ? gravel_fail(code, "%s", error) : 0;
}
