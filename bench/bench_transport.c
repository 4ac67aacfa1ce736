/* SPDX-License-Identifier: MIT */
/*
 * Frames between nodes of one machine, by transport mpi alone: handed over where they lie, or copied by MPI. Every node
 * sends to all others in turn and sums up all that it receives, as a resolver reads every word once.
 *
 * usage: mpirun --bind-to none -np N bench-transport [--bytes LIST] [--runs N] [--json] [--variant handed,copied]
 *
 * Path:    bench_transport.c -> lib/transport -> bench.h.
 * Memory:  as many buffers as a destination gets by default; half of the sets lie in the segment, half elsewhere.
 * Threads: the main thread, which is the network thread here.
 */
#include "bench.h"
#include "base/error.h"
#include "transport/handover.h"
#include "transport/transport.h"
#include "base/clock.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUDGET_BYTES (32u << 20) /* of buffers, a variant */
#define MOST_BUFFERS 256u
#define RUN_BYTES (128u << 20) /* sent by each node in a run */

enum { HANDED, COPIED, N_VARIANTS };
static const char *const names[N_VARIANTS] = {"handed", "copied"};

struct desk {
    struct gravel_transport *transport;
    uint32_t bytes; /* of a frame */
    uint32_t n_buffers;
    unsigned char *memory[N_VARIANTS]; /* [BUDGET_BYTES] */
    uint32_t which[N_VARIANTS];        /* subjects that take part */
    struct gravel_buffer *home[MOST_BUFFERS];
    uint32_t n_home;
    uint64_t sum;
};

static void must(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "bench-transport: %s: %s\n", what, gravel_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Every word of a frame is 1, its header apart. */
static void make_buffers(struct desk *desk, uint32_t variant)
{
    desk->n_buffers =
        BUDGET_BYTES / desk->bytes < MOST_BUFFERS ? BUDGET_BYTES / desk->bytes : MOST_BUFFERS;
    for (uint32_t i = 0; i < desk->n_buffers; i++) {
        desk->home[i] =
            gravel_buffer_create_in(desk->memory[variant] + (size_t)i * desk->bytes, desk->bytes);
        must(desk->home[i], "memory");
        uint64_t *words = (uint64_t *)(desk->home[i]->frame + 1);
        for (uint32_t j = 0; j < (desk->bytes - sizeof(struct gravel_frame)) / 8; j++)
            words[j] = 1;
    }
    desk->n_home = desk->n_buffers;
}

static void send_one(struct desk *desk, uint32_t to)
{
    struct gravel_buffer *buffer = desk->home[--desk->n_home];
    gravel_buffer_reset(buffer, GRAVEL_FRAME_MESSAGES, desk->transport->node, to);
    buffer->frame->bytes = desk->bytes;
    must(desk->transport->operations->send(desk->transport, buffer) == 0, "send");
}

static void collect(struct desk *desk)
{
    struct gravel_buffer *buffer;
    while ((buffer = desk->transport->operations->sent(desk->transport)))
        if (buffer->is_lent)
            desk->home[desk->n_home++] = buffer;
        else
            gravel_buffer_destroy(buffer); /* a note */
}

/* @return frames received [count]. */
static uint32_t receive(struct desk *desk)
{
    uint32_t bytes, source;
    struct gravel_frame *frame =
        desk->transport->operations->receive(desk->transport, &bytes, &source);
    if (!frame)
        return 0;
    const uint64_t *words = (const uint64_t *)(frame + 1);
    for (uint32_t i = 0; i < (bytes - sizeof *frame) / 8; i++)
        desk->sum += words[i];
    desk->transport->operations->received(desk->transport);
    return 1;
}

/* n frames to each other node, and as many from each. */
static void exchange(struct desk *desk, uint64_t n)
{
    uint32_t self = desk->transport->node, n_nodes = desk->transport->n_nodes, to = self;
    uint64_t left = n * (n_nodes - 1), due = left;
    while (left || due || desk->n_home < desk->n_buffers) {
        uint64_t before = left + due + desk->n_buffers - desk->n_home;
        if (left && desk->n_home) {
            to = (to + 1) % n_nodes == self ? (to + 2) % n_nodes : (to + 1) % n_nodes;
            send_one(desk, to);
            left--;
        }
        collect(desk);
        if (due)
            due -= receive(desk);
        if (left + due + desk->n_buffers - desk->n_home == before)
            sched_yield(); /* others may need the core to go on */
    }
}

static bool run(void *context, uint32_t subject, double *rate)
{
    struct desk *desk = context;
    uint32_t n_others = desk->transport->n_nodes - 1;
    uint64_t n = RUN_BYTES / desk->bytes / n_others;
    make_buffers(desk, desk->which[subject]);
    desk->sum = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    uint64_t begin_ns = gravel_clock_ns();
    exchange(desk, n);
    MPI_Barrier(MPI_COMM_WORLD);
    *rate = (double)(n * n_others * desk->bytes) / (double)(gravel_clock_ns() - begin_ns) * 1e9;
    for (uint32_t i = 0; i < desk->n_buffers; i++)
        gravel_buffer_destroy(desk->home[i]);
    return desk->sum == n * n_others * ((desk->bytes - sizeof(struct gravel_frame)) / 8);
}

/* One length of frame: both variants in turn, and what the one is worth. */
static void measure(struct desk *desk, const struct bench_options *options, uint32_t bytes)
{
    static struct bench_subject subjects[N_VARIANTS];
    uint32_t n = 0;
    desk->bytes = bytes;
    for (uint32_t i = 0; i < N_VARIANTS; i++)
        if (bench_variant_is_wanted(options, names[i])) {
            subjects[n] = (struct bench_subject){.variant = names[i]};
            desk->which[n++] = i;
        }
    bench_rounds(subjects, n, options->runs, run, desk);
    for (uint32_t i = 0; i < n && desk->transport->node == 0; i++)
        bench_report(
            options, "bench-transport", "B/s", &subjects[i],
            json_pack("{si si}", "ranks", (int)desk->transport->n_nodes, "bytes", (int)bytes));
    if (n == N_VARIANTS && desk->transport->node == 0)
        bench_report_ratio(
            options, "bench-transport", &subjects[HANDED], &subjects[COPIED],
            json_pack("{si si}", "ranks", (int)desk->transport->n_nodes, "bytes", (int)bytes));
}

struct arguments {
    struct bench_options options;
    uint32_t bytes[BENCH_MAX_LIST], n_bytes;
};

int main(int argc, char **argv)
{
    static const struct bench_option own[] = {
        {"bytes", 'b', "lengths of frames, multiples of 64 [bytes]",
         BENCH_LIST(struct arguments, bytes, n_bytes, 64, 16u << 20)},
        {0}};
    struct arguments arguments = {.options = BENCH_OPTIONS_INIT,
                                  .bytes = {8192, 16384, 65536, 262144, 1048576, 4194304},
                                  .n_bytes = 6};
    struct gravel_segment *segment;
    struct desk desk = {.transport = NULL};
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    bench_parse(argc, argv, "Frames between nodes of one machine.", own, &arguments,
                &arguments.options);
    must(gravel_segment_create(&segment) == 0, "segment");
    must(gravel_transport_mpi_open(&desk.transport,
                                   &(struct gravel_mpi_opening){.segment = segment}) == 0,
         "transport");
    must(desk.transport->n_nodes > 1 &&
             desk.transport->handed.n_takers == desk.transport->n_nodes - 1,
         "needs two nodes of one machine and more");
    must(desk.transport->operations->prepare(desk.transport, 16u << 20) == 0, "prepare");
    desk.memory[HANDED] = gravel_segment_take(segment, BUDGET_BYTES);
    desk.memory[COPIED] = aligned_alloc(GRAVELP_CACHELINE, BUDGET_BYTES);
    must(desk.memory[HANDED] && desk.memory[COPIED], "memory");
    for (uint32_t i = 0; i < arguments.n_bytes; i++)
        measure(&desk, &arguments.options, arguments.bytes[i] & ~63u);
    desk.transport->operations->close(desk.transport, true);
    free(desk.memory[COPIED]);
    gravel_segment_destroy(segment);
    MPI_Finalize();
    return 0;
}
