/* SPDX-License-Identifier: MIT */
/*
 * Finds pairs of ranks that do not reach each other. See cluster.h.
 *
 * Every rank sends a long frame to each other one, and later tells each whose have come: all ranks must know whether MPI
 * can be finalised.
 */
#include "cluster.h"

#include "base/clock.h"
#include "base/error.h"
#include "members.h"
#include "transport/transport.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_NS (4 * GRAVEL_NS_PER_S) /* until a rank is silent */
#define WATCH_S 45u                     /* for MPI's own calls, too */
#define LONG_BYTES (16u << 10)          /* longer than any network's packets */
#define PAUSE_US 500u

enum what { LONG, HEARD };

struct word {
    struct gravel_frame frame;
    uint32_t what;
    unsigned char heard[]; /* [n_nodes] of HEARD: the sender's row */
};

struct reach {
    struct gravel_transport *transport;
    unsigned char *
        heard; /* [n_nodes][n_nodes] whose long frame each rank has, 1 where it has not said; itself */
    uint32_t n_come[2];   /* words of others, by enum what */
    uint32_t n_under_way; /* words of this rank */
};

static unsigned char *row_of(const struct reach *reach, uint32_t rank)
{
    return reach->heard + (size_t)rank * reach->transport->n_nodes;
}

static uint32_t bytes_of(const struct reach *reach, enum what what)
{
    const uint32_t bytes = (uint32_t)sizeof(struct word) + reach->transport->n_nodes;
    return what == LONG && bytes < LONG_BYTES ? LONG_BYTES : bytes;
}

/* Sends a word to each other rank; who does not get it for want of memory misses it. */
static void say(struct reach *reach, enum what what)
{
    const struct gravel_transport *transport = reach->transport;
    for (uint32_t i = 1; i < transport->n_nodes; i++) {
        struct gravel_buffer *buffer = gravel_buffer_create(bytes_of(reach, what));
        if (!buffer)
            return;
        struct word *word = (struct word *)buffer->frame;
        gravel_buffer_reset(buffer, GRAVEL_FRAME_MESSAGES, transport->node,
                            (transport->node + i) % transport->n_nodes);
        word->what = what;
        memcpy(word->heard, row_of(reach, transport->node), transport->n_nodes);
        word->frame.bytes = bytes_of(reach, what);
        if (transport->operations->send(reach->transport, buffer))
            gravel_buffer_destroy(buffer);
        else
            reach->n_under_way++;
    }
}

static void take(struct reach *reach, const struct word *word, uint32_t source)
{
    if (word->what == LONG)
        row_of(reach, reach->transport->node)[source] = 1;
    else
        memcpy(row_of(reach, source), word->heard, reach->transport->n_nodes);
    reach->n_come[word->what != LONG]++;
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
    if (bytes >= bytes_of(reach, HEARD) && source < transport->n_nodes)
        take(reach, (const struct word *)frame, source);
    transport->operations->received(transport, false);
}

/* Waits for a word of each other rank, and until this one's have left. @return whether all came in time */
static bool await(struct reach *reach, enum what what, uint64_t most_ns)
{
    const uint64_t until_ns = gravel_clock_ns() + most_ns;
    const uint32_t n_others = reach->transport->n_nodes - 1;
    while ((reach->n_come[what] < n_others || reach->n_under_way) && gravel_clock_ns() < until_ns)
        progress(reach);
    return reach->n_come[what] == n_others && !reach->n_under_way;
}

/* Notes at each rank those that it has not heard: "rank 1 on gh2". @return whether every rank has heard all. */
static bool note_silent(const struct reach *reach, json_t *ranks)
{
    bool all = true;
    size_t i, j;
    json_t *rank, *other;
    json_array_foreach(ranks, i, rank) json_array_foreach(ranks, j, other)
    {
        if (j <= i || (row_of(reach, (uint32_t)i)[j] && row_of(reach, (uint32_t)j)[i]))
            continue;
        const char *before = info_text(rank, "silent");
        json_object_set_new(rank, "silent",
                            json_sprintf("%s%srank %zu on %s", before, *before ? ", " : "", j,
                                         info_text(other, "host")));
        all = false;
    }
    return all;
}

/* Returns whether MPI can be finalised: else frames may still be its own, and others do not close. */
static bool meet(struct reach *reach, json_t *ranks)
{
    const uint32_t node = reach->transport->node, n_nodes = reach->transport->n_nodes;
    memset(reach->heard, 1, (size_t)n_nodes * n_nodes);
    for (uint32_t i = 0; i < n_nodes; i++)
        row_of(reach, node)[i] = i == node;
    say(reach, LONG);
    await(reach, LONG, ANSWER_NS);
    say(reach, HEARD);
    const bool is_whole = await(reach, HEARD, ANSWER_NS);
    return note_silent(reach, ranks) && is_whole;
}

static int open_and_meet(json_t *ranks)
{
    struct reach reach = {.transport = NULL};
    GRAVEL_TRY(
        gravel_transport_mpi_open(&reach.transport, &(struct gravel_mpi_opening){.segment = NULL}));
    const struct gravel_transport_operations *operations = reach.transport->operations;
    const size_t n = reach.transport->n_nodes;
    reach.heard = malloc(n * n);
    int code = reach.heard ? operations->prepare(reach.transport, bytes_of(&reach, LONG))
                           : gravel_fail(GRAVEL_ENOMEM, "%zu bytes of reach", n * n);
    operations->close(reach.transport, !code && meet(&reach, ranks));
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
    int code = open_and_meet(ranks);
    alarm(0);
    return code;
}
