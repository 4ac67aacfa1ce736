/* SPDX-License-Identifier: MIT */
/*
 * What ranks say to each other, and whether they hear it. See info.h.
 *
 * Texts travel as values of reductions. Then every rank sends a long frame to each other one, and later another, which tells
 * whose have come: all ranks must know whether MPI can be finalised.
 */
#include "info.h"

#include "base/clock.h"
#include "base/error.h"
#include "members.h"
#include "network/network.h"
#include "settings/settings.h"
#include "transport/transport.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Says where this rank is. One that is alone on its host has no one to hand node buffers to. */
static void introduce(json_t *own)
{
    const struct gravel_transport *transport = meeting.network.transport;
    const char *error = transport->n_local < 2 ? "" : meeting.no_segment,
               *why_not = transport->handover.why_not;
    json_t *place = json_pack("{s:i, s:i, s:i, s:{s:i, s:s?, s:s?}}", "rank", (int)transport->node,
                              "first", (int)transport->host, "local", (int)transport->local,
                              "handover", "takers", (int)transport->handover.n_takers, "error",
                              *error ? error : NULL, "why_not", *why_not ? why_not : NULL);
    json_object_update(own, place);
    json_decref(place);
    const json_t *turns = json_object_get(own, "turns");
    if (turns)
        json_object_set(own, "device",
                        json_array_get(turns, transport->local % json_array_size(turns)));
    json_object_del(own, "turns");
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
    char *text = json_dumps(own, JSON_COMPACT), error[GRAVEL_ERROR_BYTES] = "";
    int code = text ? exchange(text, all) : gravel_fail(GRAVEL_ENOMEM, "what this rank says");
    free(text);
    if (code)
        snprintf(error, sizeof error, "%s", gravel_last_error());
    if (gravel_network_stop(&meeting.network, false))
        gravel_segment_destroy(meeting.segment); /* else MPI may still have it */
    return code ? gravel_fail(code, "%s", error) : 0;
}

/* ---- long frames ------------------------------------------------------------------------------ */

#define ANSWER_NS (4 * GRAVEL_NS_PER_S) /* until a rank is silent */
#define WATCH_S 45u                     /* for MPI's own calls, too */
#define LONG_BYTES (16u << 10)          /* longer than any network's packets */
#define PAUSE_US 500u

struct word {
    struct gravel_frame frame;
    unsigned char heard[]; /* [n_nodes] the sender's row */
};

struct reach {
    struct gravel_transport *transport;
    uint32_t bytes;       /* of a word */
    unsigned char *heard; /* [n_nodes][n_nodes] whom each rank has heard; 1 where it has not said */
    unsigned char *n_words; /* [n_nodes] of each rank, that have come: two at most */
    uint32_t n_under_way;   /* words of this rank */
};

static unsigned char *row_of(const struct reach *reach, uint32_t rank)
{
    return reach->heard + (size_t)rank * reach->transport->n_nodes;
}

/* Sends a word to each other rank; who does not get it for want of memory misses it. */
static void say(struct reach *reach)
{
    const struct gravel_transport *transport = reach->transport;
    for (uint32_t i = 1; i < transport->n_nodes; i++) {
        struct gravel_buffer *buffer = gravel_buffer_create(reach->bytes);
        if (!buffer)
            return;
        struct word *word = (struct word *)buffer->frame;
        gravel_buffer_reset(buffer, GRAVEL_FRAME_MESSAGES, transport->node,
                            (transport->node + i) % transport->n_nodes);
        memcpy(word->heard, row_of(reach, transport->node), transport->n_nodes);
        word->frame.bytes = reach->bytes;
        if (transport->operations->send(reach->transport, buffer))
            gravel_buffer_destroy(buffer);
        else
            reach->n_under_way++;
    }
}

/* Sends and receives what there is. Of a rank the first word says that it lives, the second one whom it has heard. */
static void progress(struct reach *reach)
{
    struct gravel_transport *transport = reach->transport;
    uint32_t bytes = 0, source = 0;
    reach->n_under_way -= transport->operations->sent(transport); /* they have no pool */
    const struct gravel_frame *frame = transport->operations->receive(transport, &bytes, &source);
    transport->fault = 0;
    if (!frame) {
        usleep(PAUSE_US);
        return;
    }
    if (bytes == reach->bytes && source < transport->n_nodes) {
        row_of(reach, transport->node)[source] = 1;
        if (reach->n_words[source]++)
            memcpy(row_of(reach, source), ((const struct word *)frame)->heard, transport->n_nodes);
    }
    transport->operations->received(transport, false);
}

/* Waits for so many words of each other rank, and until this one's have left. @return whether all came in time */
static bool await(struct reach *reach, unsigned n_words)
{
    const uint64_t until_ns = gravel_clock_ns() + ANSWER_NS;
    const struct gravel_transport *transport = reach->transport;
    for (uint32_t i = 0; i < transport->n_nodes;) {
        if (gravel_clock_ns() > until_ns)
            return false;
        if (!reach->n_under_way && (i == transport->node || reach->n_words[i] >= n_words))
            i++;
        else
            progress(reach);
    }
    return true;
}

/* Notes at a rank those behind it that it does not hear, or that do not hear it: "rank 1 on gh2". @return whether there is one */
static bool note_silent(const struct reach *reach, json_t *ranks, uint32_t i)
{
    json_t *rank = json_array_get(ranks, i);
    for (uint32_t j = i + 1; j < reach->transport->n_nodes; j++) {
        const char *before = info_text(rank, "silent");
        if (!row_of(reach, i)[j] || !row_of(reach, j)[i])
            json_object_set_new(rank, "silent",
                                json_sprintf("%s%srank %u on %s", before, *before ? ", " : "", j,
                                             info_text(json_array_get(ranks, j), "host")));
    }
    return json_object_get(rank, "silent");
}

/* Returns whether MPI can be finalised: else frames may still be its own, and others do not close. */
static bool hear_all(struct reach *reach, json_t *ranks)
{
    const uint32_t node = reach->transport->node, n_nodes = reach->transport->n_nodes;
    memset(reach->heard, 1, (size_t)n_nodes * n_nodes);
    memset(row_of(reach, node), 0, n_nodes);
    row_of(reach, node)[node] = 1;
    say(reach);
    await(reach, 1);
    say(reach);
    bool is_whole = await(reach, 2);
    for (uint32_t i = 0; i < n_nodes; i++)
        is_whole &= !note_silent(reach, ranks, i);
    return is_whole;
}

static int open_and_hear(json_t *ranks)
{
    struct reach reach = {.transport = NULL};
    GRAVEL_TRY(
        gravel_transport_mpi_open(&reach.transport, &(struct gravel_mpi_opening){.segment = NULL}));
    const struct gravel_transport_operations *operations = reach.transport->operations;
    const size_t n = reach.transport->n_nodes;
    reach.bytes = (uint32_t)(sizeof(struct word) + n + LONG_BYTES);
    reach.heard = calloc(n + 1, n);
    int code = reach.heard ? operations->prepare(reach.transport, reach.bytes)
                           : gravel_fail(GRAVEL_ENOMEM, "%zu bytes of reach", (n + 1) * n);
    reach.n_words = reach.heard + n * n;
    operations->close(reach.transport, !code && hear_all(&reach, ranks));
    free(reach.heard);
    return code;
}

/* MPI's calls have no limit. */
static void give_up(int number)
{
    static const char text[] =
        "gravel-info: MPI keeps this rank for 45 s, while long frames are sent\n";
    (void)number;
    _exit(write(STDERR_FILENO, text, sizeof text - 1) < 0 ? 2 : 1);
}

int info_reach(json_t *ranks)
{
    if (json_array_size(ranks) < 2)
        return 0;
    signal(SIGALRM, give_up);
    alarm(WATCH_S);
    int code = open_and_hear(ranks);
    alarm(0);
    return code;
}
