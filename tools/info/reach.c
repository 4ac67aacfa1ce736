/* SPDX-License-Identifier: MIT */
/*
 * Finds pairs of ranks that do not reach each other. See cluster.h.
 *
 * Every rank sends a long frame to each other one, and tells rank 0 whose have come. Rank 0 ends it, once all have
 * answered or the time is over: all ranks must know whether MPI can be finalised.
 */
#include "cluster.h"

#include "base/clock.h"
#include "transport/transport.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_NS (4 * GRAVEL_NS_PER_S) /* until a rank is silent */
#define END_NS (GRAVEL_NS_PER_S / 4)    /* for the word of the end, where a rank is silent */
#define WATCH_S 45u                     /* for MPI's own calls, too */
#define LONG_BYTES (16u << 10)          /* longer than any network's packets */
#define PAUSE_US 500u

enum what { LONG, HEARD, END };

/* What ranks say to each other. */
struct word {
    struct gravel_frame frame;
    uint32_t what;
    uint32_t n_silent;     /* of END: pairs */
    unsigned char heard[]; /* [n_nodes] of HEARD: whose long frames came */
};

struct reach {
    struct gravel_transport *transport;
    unsigned char *
        heard; /* [n_nodes][n_nodes] whom each rank has heard, itself if its HEARD came; its own row alone,
                             except at rank 0 */
    uint32_t n_heard, n_told; /* of others: long frames, at rank 0 rows */
    uint32_t n_under_way;     /* words */
    uint32_t n_silent;        /* pairs, once it is over */
    bool is_over;
};

static unsigned char *row_of(const struct reach *reach, uint32_t rank)
{
    return reach->heard + (size_t)rank * reach->transport->n_nodes;
}

static void say(struct reach *reach, uint32_t to, enum what what)
{
    const struct gravel_transport *transport = reach->transport;
    const uint32_t short_bytes = (uint32_t)sizeof(struct word) + transport->n_nodes;
    const uint32_t bytes = what == LONG && short_bytes < LONG_BYTES ? LONG_BYTES : short_bytes;
    struct gravel_buffer *buffer = gravel_buffer_create(bytes);
    if (!buffer)
        return; /* the other one misses it */
    struct word *word = (struct word *)buffer->frame;
    gravel_buffer_reset(buffer, GRAVEL_FRAME_MESSAGES, transport->node, to);
    word->what = what;
    word->n_silent = reach->n_silent;
    memcpy(word->heard, row_of(reach, transport->node), transport->n_nodes);
    word->frame.bytes = bytes;
    if (transport->operations->send(reach->transport, buffer))
        gravel_buffer_destroy(buffer);
    else
        reach->n_under_way++;
}

static void take(struct reach *reach, const struct word *word, uint32_t source)
{
    switch ((enum what)word->what) {
    case LONG:
        row_of(reach, reach->transport->node)[source] = 1;
        reach->n_heard++;
        break;
    case HEARD:
        memcpy(row_of(reach, source), word->heard, reach->transport->n_nodes);
        reach->n_told++;
        break;
    case END:
        reach->n_silent = word->n_silent;
        reach->is_over = true;
        break;
    }
}

/* Sends and receives what there is. */
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
    if (bytes >= sizeof(struct word) + transport->n_nodes && source < transport->n_nodes)
        take(reach, (const struct word *)frame, source);
    transport->operations->received(transport, false);
}

static bool has_heard_all(const struct reach *reach)
{
    return reach->n_heard + 1 == reach->transport->n_nodes;
}

static bool has_been_told(const struct reach *reach)
{
    return reach->n_told + 1 == reach->transport->n_nodes;
}

static bool has_ended(const struct reach *reach)
{
    return reach->is_over && !reach->n_under_way;
}

static void await(struct reach *reach, bool (*holds)(const struct reach *reach), uint64_t most_ns)
{
    const uint64_t until_ns = gravel_clock_ns() + most_ns;
    while (!holds(reach) && gravel_clock_ns() < until_ns)
        progress(reach);
}

/* Of a rank whose row did not come, only rank 0 knows that it is silent. */
static json_t *list_silent(const struct reach *reach)
{
    json_t *pairs = json_array();
    for (uint32_t i = 0; i < reach->transport->n_nodes; i++)
        for (uint32_t j = i + 1; j < reach->transport->n_nodes; j++) {
            const unsigned char *row_i = row_of(reach, i), *row_j = row_of(reach, j);
            if ((row_i[i] && !row_i[j]) || (row_j[j] && !row_j[i]) || (i == 0 && !row_j[j]))
                json_array_append_new(pairs, json_pack("[i, i]", (int)i, (int)j));
        }
    return pairs;
}

static json_t *meet(struct reach *reach)
{
    const uint32_t node = reach->transport->node, n_nodes = reach->transport->n_nodes;
    json_t *pairs = NULL;
    row_of(reach, node)[node] = 1;
    for (uint32_t i = 1; i < n_nodes; i++)
        say(reach, (node + i) % n_nodes, LONG);
    await(reach, has_heard_all, ANSWER_NS);
    if (node == 0) {
        await(reach, has_been_told, ANSWER_NS);
        pairs = list_silent(reach);
        reach->n_silent = (uint32_t)json_array_size(pairs);
        reach->is_over = true;
        for (uint32_t to = 1; to < n_nodes; to++)
            say(reach, to, END);
    } else {
        say(reach, 0, HEARD);
    }
    /* A connection that loses packets breaks after some seconds, and may keep MPI then. */
    await(reach, has_ended, node ? 2 * ANSWER_NS : reach->n_silent ? END_NS : ANSWER_NS);
    return pairs;
}

static json_t *open_and_meet(void)
{
    struct reach reach = {.transport = NULL};
    if (gravel_transport_mpi_open(&reach.transport, &(struct gravel_mpi_opening){.segment = NULL}))
        return json_pack("{s:s}", "error", gravel_last_error());
    const size_t n = reach.transport->n_nodes;
    const uint32_t bytes = (uint32_t)(sizeof(struct word) + n);
    reach.heard = calloc(n * n, 1);
    const bool is_ready =
        reach.heard && !reach.transport->operations->prepare(
                           reach.transport, bytes > LONG_BYTES ? bytes : LONG_BYTES);
    json_t *pairs = is_ready ? meet(&reach) : json_pack("{s:s}", "error", "out of memory");
    /* Else frames may still be MPI's, and others do not close. */
    reach.transport->operations->close(reach.transport, has_ended(&reach) && !reach.n_silent);
    free(reach.heard);
    return pairs;
}

/* MPI's calls have no limit. */
static void give_up(int number)
{
    static const char text[] =
        "gravel-info: MPI keeps this rank for 45 s, while long frames are sent\n";
    (void)number;
    _exit(write(STDERR_FILENO, text, sizeof text - 1) < 0 ? 2 : 1);
}

json_t *info_reach(size_t n_ranks)
{
    if (n_ranks < 2)
        return NULL;
    signal(SIGALRM, give_up);
    alarm(WATCH_S);
    json_t *pairs = open_and_meet();
    alarm(0);
    return pairs;
}
