/* SPDX-License-Identifier: MIT */
/*
 * Measures pairs of ranks. See pairs.h.
 *
 * One rank leads at a time: it measures its pairs with all ranks of higher numbers, sends rank 0 what it found, and
 * gives its turn to the next. Other ranks answer, and sleep while no rank asks them. Rank 0 ends it.
 */
#include "pairs.h"

#include "base/clock.h"
#include "transport/handover.h"
#include "transport/transport.h"

#include "gravel/gravel.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_NS (10 * GRAVEL_NS_PER_S)  /* for all pairs together */
#define PAIR_NS (20 * GRAVEL_NS_PER_MS) /* for one, at most */
#define ANSWER_NS (4 * GRAVEL_NS_PER_S) /* until a rank is silent */
#define END_NS (GRAVEL_NS_PER_S / 4)    /* for the word of the end, where a rank is silent */
#define WATCH_S 45u                     /* for MPI's own calls, too */
#define AWAKE_NS (5 * GRAVEL_NS_PER_MS) /* behind a frame; then a rank sleeps between its looks */
#define MOST_TRIPS 64u
#define FRAME_BYTES (64u << 10)
#define N_BUFFERS 16u

enum what { ECHO, DATA, ANSWER, TURN, ROW, END };

enum way { NOT_MEASURED, SILENT, BY_MPI, HANDED_OVER };

struct measured {
    double trip_us, rate; /* rate [bytes/s] */
    uint64_t way;
};

/* What ranks say to each other; a row follows for `n` pairs. */
struct word {
    struct gravel_frame frame;
    uint32_t what, n;
    struct measured row[];
};

struct desk {
    struct gravel_transport *transport;
    unsigned char *memory; /* [N_BUFFERS * FRAME_BYTES] of frames that can be handed over, or not */
    struct gravel_buffer *home[N_BUFFERS];
    uint32_t n_home, n_words; /* frames at hand; words that are under way */
    uint64_t pair_ns, measures_until_ns, deadline_ns;
    uint64_t heard_ns;        /* when the last frame came */
    uint32_t answered, asked; /* numbers of answers, in their order */
    uint32_t n_rows;          /* at rank 0 */
    uint32_t n_silent;        /* pairs, once it is over */
    bool has_turn, is_over;
    uint64_t sum;         /* of what came */
    struct measured *row; /* [n_nodes]; at rank 0 [n_nodes * n_nodes] */
};

/* ---- frames ---------------------------------------------------------------------------------- */

static bool send(struct desk *desk, struct gravel_buffer *buffer, uint32_t to, enum what what,
                 uint32_t n, uint32_t bytes)
{
    struct word *word = (struct word *)buffer->frame;
    gravel_buffer_reset(buffer, GRAVEL_FRAME_MESSAGES, desk->transport->node, to);
    word->what = what;
    word->n = n;
    word->frame.bytes = bytes;
    return desk->transport->operations->send(desk->transport, buffer) == 0;
}

/* @param row  [n] of ROW; else NULL. */
static bool say(struct desk *desk, uint32_t to, enum what what, uint32_t n,
                const struct measured *row)
{
    const uint32_t n_row = row ? n : 0;
    const uint32_t bytes = (uint32_t)(sizeof(struct word) + n_row * sizeof *row);
    struct gravel_buffer *buffer = gravel_buffer_create(bytes);
    if (!buffer)
        return false;
    if (n_row)
        memcpy(((struct word *)buffer->frame)->row, row, n_row * sizeof *row);
    if (!send(desk, buffer, to, what, n, bytes)) {
        gravel_buffer_destroy(buffer);
        return false;
    }
    desk->n_words++;
    return true;
}

static void collect(struct desk *desk)
{
    struct gravel_buffer *buffer;
    while ((buffer = desk->transport->operations->sent(desk->transport)))
        if (buffer->is_lent) {
            desk->home[desk->n_home++] = buffer;
        } else { /* a word, or a note of the transport's */
            desk->n_words -= buffer->frame->kind == GRAVEL_FRAME_MESSAGES;
            gravel_buffer_destroy(buffer);
        }
}

static void take_row(struct desk *desk, const struct word *word, uint32_t source)
{
    const uint32_t n_nodes = desk->transport->n_nodes;
    if (word->n != n_nodes || word->frame.bytes != sizeof *word + n_nodes * sizeof *word->row)
        return;
    memcpy(desk->row + (size_t)source * n_nodes, word->row, n_nodes * sizeof *word->row);
    desk->n_rows++;
}

/* As a resolver does, whose frames may lie in another rank's memory. */
static void read_all(struct desk *desk, const struct word *word, uint32_t bytes)
{
    const uint64_t *words = (const uint64_t *)(const void *)word;
    for (uint32_t i = 0; i < bytes / sizeof *words; i++)
        desk->sum += words[i];
}

static void take(struct desk *desk, const struct word *word, uint32_t bytes, uint32_t source)
{
    switch (word->what) {
    case ECHO:
        say(desk, source, ANSWER, word->n, NULL);
        break;
    case ANSWER:
        desk->answered = word->n;
        break;
    case TURN:
        desk->has_turn = true;
        break;
    case ROW:
        take_row(desk, word, source);
        break;
    case END:
        desk->n_silent = word->n;
        desk->is_over = true;
        break;
    default: /* DATA */
        read_all(desk, word, bytes);
        break;
    }
}

/* One look; a rank that has heard nothing for a while leaves its core to those that measure. */
static void look(struct desk *desk)
{
    uint32_t bytes = 0, source = 0;
    collect(desk);
    const struct gravel_frame *frame =
        desk->transport->operations->receive(desk->transport, &bytes, &source);
    desk->transport->fault = 0;
    const uint64_t now_ns = gravel_clock_ns();
    if (frame) {
        desk->heard_ns = now_ns;
        if (bytes >= sizeof(struct word) && source < desk->transport->n_nodes)
            take(desk, (const struct word *)frame, bytes, source);
        desk->transport->operations->received(desk->transport);
    } else if (now_ns - desk->heard_ns < AWAKE_NS) {
        sched_yield();
    } else {
        usleep(500);
    }
}

static bool has_time(const struct desk *desk)
{
    return gravel_clock_ns() < desk->deadline_ns;
}

/* ---- the one that leads ---------------------------------------------------------------------- */

/* @return false: no answer in time. */
static bool ask(struct desk *desk, uint32_t to)
{
    const uint64_t begin_ns = gravel_clock_ns();
    if (!say(desk, to, ECHO, ++desk->asked, NULL))
        return false;
    do {
        desk->heard_ns = gravel_clock_ns(); /* awake */
        look(desk);
    } while (desk->answered != desk->asked && gravel_clock_ns() - begin_ns < ANSWER_NS);
    return desk->answered == desk->asked;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* The middle one of some, but the first, which wakes the other rank. */
static bool measure_trips(struct desk *desk, uint32_t to, struct measured *found)
{
    uint64_t trips_ns[MOST_TRIPS], begin_ns = 0;
    uint32_t n = 0;
    if (!ask(desk, to))
        return false;
    const uint64_t first_ns = gravel_clock_ns();
    do {
        begin_ns = gravel_clock_ns();
        if (!ask(desk, to))
            return false;
        trips_ns[n++] = gravel_clock_ns() - begin_ns;
    } while (n < MOST_TRIPS && gravel_clock_ns() - first_ns < desk->pair_ns / 2);
    qsort(trips_ns, n, sizeof *trips_ns, ascending);
    found->trip_us = (double)trips_ns[n / 2] * 1e-3;
    return true;
}

/* One more frame on its way. @return false: none came home in time. */
static bool send_data(struct desk *desk, uint32_t to)
{
    const uint64_t begin_ns = gravel_clock_ns();
    for (collect(desk); !desk->n_home; look(desk)) {
        desk->heard_ns = gravel_clock_ns();
        if (desk->heard_ns - begin_ns >= ANSWER_NS)
            return false;
    }
    return send(desk, desk->home[--desk->n_home], to, DATA, 0, FRAME_BYTES);
}

static bool measure_rate(struct desk *desk, uint32_t to, struct measured *found)
{
    const uint64_t handed = desk->transport->handed.n_buffers, begin_ns = gravel_clock_ns();
    uint64_t n = 0;
    do {
        if (!send_data(desk, to))
            return false;
        n++;
    } while (n < N_BUFFERS || gravel_clock_ns() - begin_ns < desk->pair_ns / 2);
    if (!ask(desk, to)) /* behind all of them */
        return false;
    found->rate = (double)(n * FRAME_BYTES) / (double)(gravel_clock_ns() - begin_ns) * 1e9;
    found->way = desk->transport->handed.n_buffers > handed ? HANDED_OVER : BY_MPI;
    return true;
}

/* Its row, to rank 0, and the turn to the next rank. */
static void lead(struct desk *desk)
{
    const uint32_t node = desk->transport->node, n_nodes = desk->transport->n_nodes;
    desk->has_turn = false;
    for (uint32_t to = node + 1; to < n_nodes && gravel_clock_ns() < desk->measures_until_ns;
         to++) {
        desk->row[to].way = SILENT; /* until it has answered */
        if (measure_trips(desk, to, &desk->row[to]))
            measure_rate(desk, to, &desk->row[to]);
    }
    if (node)
        say(desk, 0, ROW, n_nodes, desk->row);
    if (node + 1 < n_nodes)
        say(desk, node + 1, TURN, 0, NULL);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static uint32_t count_silent(const struct desk *desk)
{
    const uint32_t n_nodes = desk->transport->n_nodes;
    uint32_t n = 0;
    for (size_t i = 0; i < n_nodes; i++)
        for (size_t j = i + 1; j < n_nodes; j++)
            n += desk->row[i * n_nodes + j].way == SILENT;
    return n;
}

static void work(struct desk *desk)
{
    const bool is_first = desk->transport->node == 0;
    const uint32_t n_nodes = desk->transport->n_nodes;
    desk->has_turn = is_first;
    while (!desk->is_over && has_time(desk)) {
        if (desk->has_turn)
            lead(desk);
        look(desk);
        desk->is_over |= is_first && desk->n_rows + 1 == n_nodes;
    }
    if (is_first)
        desk->n_silent = count_silent(desk);
    /* A connection that loses packets breaks after some seconds, and may keep MPI then. */
    desk->deadline_ns = gravel_clock_ns() + (desk->n_silent ? END_NS : ANSWER_NS);
    for (uint32_t to = 1; is_first && to < n_nodes; to++)
        say(desk, to, END, desk->n_silent, NULL);
    while ((desk->n_words || desk->n_home < N_BUFFERS) && has_time(desk))
        look(desk);
}

static json_t *describe(const struct measured *found, uint32_t i, uint32_t j)
{
    static const char *const names[] = {NULL, "silent", "MPI", "handed over"};
    const uint64_t way = found->way <= HANDED_OVER ? found->way : NOT_MEASURED;
    json_t *pair = json_pack("{s:[ii], s:s?}", "ranks", (int)i, (int)j, "way", names[way]);
    if (way < BY_MPI)
        return pair;
    json_object_set_new(pair, "round_trip_us", json_real(found->trip_us));
    json_object_set_new(pair, "bytes_per_s", json_real(found->rate));
    return pair;
}

static json_t *list(const struct desk *desk)
{
    const uint32_t n = desk->transport->n_nodes;
    json_t *pairs = json_array();
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            json_array_append_new(pairs, describe(&desk->row[(size_t)i * n + j], i, j));
    return pairs;
}

static bool make_buffers(struct desk *desk)
{
    for (uint32_t i = 0; i < N_BUFFERS; i++) {
        desk->home[i] =
            gravel_buffer_create_in(desk->memory + (size_t)i * FRAME_BYTES, FRAME_BYTES);
        if (!desk->home[i])
            return false;
        desk->n_home++;
    }
    return true;
}

static json_t *measure(struct desk *desk)
{
    const uint64_t n = desk->transport->n_nodes, n_pairs = n * (n - 1) / 2;
    const uint64_t each_ns = MOST_NS / n_pairs, all_ns = 5 * PAIR_NS * n_pairs;
    desk->row = calloc(desk->transport->node ? n : n * n, sizeof *desk->row);
    if (!desk->row || !desk->memory || !make_buffers(desk))
        return json_pack("{s:s}", "error", "out of memory");
    desk->pair_ns = each_ns < PAIR_NS ? each_ns : PAIR_NS;
    desk->heard_ns = gravel_clock_ns();
    desk->measures_until_ns = desk->heard_ns + (all_ns < MOST_NS ? all_ns : MOST_NS);
    /* Rank 0 has printed its page before others leave. */
    desk->deadline_ns = desk->measures_until_ns + (desk->transport->node ? 3 : 1) * ANSWER_NS;
    work(desk);
    return desk->transport->node ? NULL : list(desk);
}

/* A row of a large job is longer than what is measured. */
static uint32_t longest_frame(uint32_t n_nodes)
{
    const size_t row = sizeof(struct word) + n_nodes * sizeof(struct measured);
    return row > FRAME_BYTES ? (uint32_t)row : FRAME_BYTES;
}

/* All ranks answered, and nothing of this one is under way. */
static bool is_settled(const struct desk *desk)
{
    return desk->is_over && !desk->n_silent && !desk->n_words && desk->n_home == N_BUFFERS;
}

/* Memory that MPI may still read stays, if they are not. */
static void close_desk(struct desk *desk, struct gravel_segment *segment, void *own)
{
    const bool is_clean = is_settled(desk);
    desk->transport->operations->close(desk->transport, is_clean);
    for (uint32_t i = 0; is_clean && i < N_BUFFERS; i++)
        gravel_buffer_destroy(desk->home[i]);
    if (is_clean) {
        free(own);
        gravel_segment_destroy(segment);
    }
    free(desk->row);
}

static json_t *open_and_measure(struct gravel_segment *segment)
{
    struct desk desk = {.transport = NULL};
    void *own = NULL; /* of frames, where there is no segment */
    const uint64_t bytes = (uint64_t)N_BUFFERS * FRAME_BYTES;
    if (gravel_transport_mpi_open(&desk.transport,
                                  &(struct gravel_mpi_opening){.segment = segment}) ||
        desk.transport->operations->prepare(desk.transport, longest_frame(desk.transport->n_nodes)))
        return json_pack("{s:s}", "error", gravel_last_error());
    desk.memory = gravel_segment_take(segment, bytes);
    if (!desk.memory)
        desk.memory = own = aligned_alloc(GRAVELP_CACHELINE, bytes);
    json_t *found = measure(&desk);
    close_desk(&desk, segment, own);
    return found;
}

/* MPI's calls have no limit. */
static void give_up(int number)
{
    static const char text[] =
        "gravel-info: MPI keeps this rank for 45 s, while pairs of ranks are measured\n";
    (void)number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(2);
    _exit(1);
}

json_t *info_pairs(const json_t *all)
{
    struct gravel_segment *segment = NULL;
    if (json_array_size(all) < 2)
        return NULL;
    signal(SIGALRM, give_up);
    alarm(WATCH_S);
    if (gravel_segment_create(&segment))
        segment = NULL; /* all goes by MPI */
    json_t *found = open_and_measure(segment);
    alarm(0);
    return found;
}
