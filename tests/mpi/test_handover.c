/* SPDX-License-Identifier: MIT */
/*
 * Transport mpi alone: frames of all lengths from every node to every other, from shared memory and from elsewhere, arrive
 * in their order and as they were sent, and their buffers come home. Or one node sends a note that cannot be right, and the
 * other says so and goes no further.
 *
 * usage: mpirun -np N test_handover [bad-note]     exit: 0; 1 with what is wrong
 *
 * Path: mpirun -> this -> lib/transport/mpi.c, handover.c
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "mix.h"
#include "must.h"
#include "transport/handover.h"
#include "transport/transport.h"

#define MOST_BYTES 65536u
#define N_BUFFERS 24u
#define N_FRAMES 2000u /* to each other node */
#define LIMIT_S 160u

static struct gravel_transport *transport;
static struct gravel_segment *segment;
static struct gravel_buffer *home[N_BUFFERS]; /* a ring: each takes its turn */
static uint32_t n_home, first_home;
static uint64_t n_sent[64], n_received[64], n_handed;

/* Of frame number n from one node to another [bytes]: a third each short, near the limit, long. */
static uint32_t length_of(uint32_t from, uint32_t to, uint64_t n)
{
    uint64_t random = mix(n * 4096 + from * 64 + to);
    uint32_t spread[] = {4096, 2 * GRAVEL_HANDOVER_LEAST_BYTES, MOST_BYTES};
    uint32_t bytes = (uint32_t)((random >> 8) % spread[random % 3]) & ~7u;
    return bytes < sizeof(struct gravel_frame) ? sizeof(struct gravel_frame) : bytes;
}

static void fill(struct gravel_buffer *buffer, uint32_t to, uint64_t n)
{
    uint32_t bytes = length_of(transport->node, to, n);
    gravel_buffer_reset(buffer, GRAVEL_FRAME_MESSAGES, transport->node, to);
    buffer->frame->bytes = bytes;
    buffer->frame->sequence = n;
    uint64_t *words = (uint64_t *)(buffer->frame + 1);
    for (uint32_t i = 0; i < (bytes - sizeof *buffer->frame) / 8; i++)
        words[i] = mix(n + i) + transport->node;
}

static void send_one(uint32_t to)
{
    struct gravel_buffer *buffer = home[first_home];
    first_home = (first_home + 1) % N_BUFFERS;
    n_home--;
    fill(buffer, to, n_sent[to]++);
    n_handed += gravel_segment_offset(segment, buffer->frame) &&
                buffer->frame->bytes >= GRAVEL_HANDOVER_LEAST_BYTES;
    OK(transport->operations->send(transport, buffer));
}

static void collect(void)
{
    struct gravel_buffer *buffer;
    while ((buffer = transport->operations->sent(transport)))
        if (buffer->capacity == MOST_BYTES)
            home[(first_home + n_home++) % N_BUFFERS] = buffer;
        else
            gravel_buffer_destroy(buffer); /* a note */
}

/* Read it all, and change it: it is the receiver's. */
static void check(struct gravel_frame *frame, uint32_t bytes, uint32_t source)
{
    uint64_t n = n_received[source]++, *words = (uint64_t *)(frame + 1);
    MUST(bytes == length_of(source, transport->node, n));
    MUST(frame->bytes == bytes && frame->source == source && frame->sequence == n &&
         frame->destination == transport->node && frame->kind == GRAVEL_FRAME_MESSAGES);
    for (uint32_t i = 0; i < (bytes - sizeof *frame) / 8; i++) {
        MUST(words[i] == mix(n + i) + source);
        words[i] = 0;
    }
}

static void receive_one(void)
{
    uint32_t bytes, source;
    struct gravel_frame *frame = transport->operations->receive(transport, &bytes, &source);
    if (!frame)
        return;
    check(frame, bytes, source);
    transport->operations->received(transport, false);
}

static bool is_done(void)
{
    bool is = n_home == N_BUFFERS;
    for (uint32_t i = 0; i < transport->n_nodes; i++)
        is = is && (i == transport->node || (n_sent[i] == N_FRAMES && n_received[i] == N_FRAMES));
    return is;
}

static void exchange(void)
{
    for (uint32_t to = 0; !is_done(); to = (to + 1) % transport->n_nodes) {
        if (n_home && to != transport->node && n_sent[to] < N_FRAMES)
            send_one(to);
        collect();
        receive_one();
    }
    MUST(n_handed > N_FRAMES / 4);
    MUST(atomic_load(&transport->handed.n_buffers) == n_handed);
}

/* Every third buffer is elsewhere: its frame is copied however long it is. */
static void make_buffers(void)
{
    unsigned char *frames = gravel_segment_take(segment, N_BUFFERS * (uint64_t)MOST_BYTES);
    MUST(frames);
    for (uint32_t i = 0; i < N_BUFFERS; i++) {
        home[i] = i % 3 ? gravel_buffer_create_in(frames + (size_t)i * MOST_BYTES, MOST_BYTES)
                        : gravel_buffer_create(MOST_BYTES);
        MUST(home[i]);
    }
    n_home = N_BUFFERS;
}

/* A frame of node 0's that says it is a note, as its network thread would never send it. */
static void send_bad_note(void)
{
    fill(home[0], 1, 0);
    struct gravel_note_frame *note = (struct gravel_note_frame *)home[0]->frame;
    note->frame.kind = GRAVEL_FRAME_NOTE;
    note->frame.bytes = sizeof *note;
    note->offset = GRAVEL_SEGMENT_BYTES;
    note->bytes = 4096;
    OK(transport->operations->send(transport, home[0]));
    while (!transport->operations->sent(transport))
        usleep(100);
}

static void receive_bad_note(void)
{
    uint32_t bytes, source;
    while (!transport->fault)
        MUST(!transport->operations->receive(transport, &bytes, &source));
    MUST(transport->fault == GRAVEL_ECORRUPT);
    MUST(strstr(gravel_last_error(),
                "note from node 0: 4096 bytes at 1075838976 of its shared memory"));
    MUST(!transport->operations->receive(transport, &bytes, &source)); /* no further */
}

int main(int argc, char **argv)
{
    int level;
    alarm(LIMIT_S);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    OK(gravel_segment_create(&segment));
    OK(gravel_transport_mpi_open(&transport, &(struct gravel_mpi_opening){.segment = segment}));
    MUST(transport->handed.n_takers == transport->n_nodes - 1 && !transport->handed.why_not[0]);
    OK(transport->operations->prepare(transport, MOST_BYTES));
    make_buffers();
    if (argc < 2)
        exchange();
    else if (transport->node == 0)
        send_bad_note();
    else
        receive_bad_note();
    MPI_Barrier(MPI_COMM_WORLD);
    collect(); /* the last notes */
    if (transport->node == 0)
        puts("PASS");
    transport->operations->close(transport, true);
    for (uint32_t i = 0; i < N_BUFFERS; i++)
        gravel_buffer_destroy(home[i]);
    gravel_segment_destroy(segment);
    MPI_Finalize();
    return 0;
}
