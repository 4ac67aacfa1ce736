/* SPDX-License-Identifier: MIT */
/*
 * A node whose ways to others break: it ends, says why, and all others end with it.
 *
 * Rows, by name:
 *     post    MPI takes no more receives
 *     test    MPI says that a frame will never come, while heartbeats do
 *     get     no memory for the frame that asks
 *     source  MPI says that a frame is of a node that there is not
 *     count   MPI says that a frame is longer than any
 *     lost    a CREDIT frame never comes; the next frame tells
 *     long    a put is longer than a node buffer
 *     counts  a part of a round, where nodes read it, has more messages than any
 *     others  a field of a frame is not what its sender would write
 *
 * Path: die.c -> this -> lib/transport/mpi.c, lib/network
 */
#include <gravel/rounds.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "die.h"
#include "transport/buffer.h"
#include "transport/frames.h"
#include "transport/segment.h"
#include "wrapped.h"

#define FRAME_TAG 0
#define MOST_RECEIVES 16
#define MEMORY_BYTES 65536
#define BUFFER_BYTES 512 /* less than a frame of another kind may have */

/* What goes wrong from now on, in this node's network thread. */
static _Atomic enum {
    NOTHING,
    POST,
    TEST,
    SENDS,
    GET,
    SOURCE,
    COUNT,
    LONG,
    LOST,
    FRAMES,
    PARTS,
    COUNTS
} breaks;
static void (*spoil)(
    struct gravel_frame *frame);             /* of FRAMES: what goes wrong with one that leaves */
static MPI_Request *receives[MOST_RECEIVES]; /* of frames */
static int n_receives;

WRAPPED(int, MPI_Irecv, void *data, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm,
        MPI_Request *request)
{
    if (breaks == POST && tag == FRAME_TAG) {
        *request = MPI_REQUEST_NULL;
        return MPI_ERR_OTHER;
    }
    if (tag == FRAME_TAG && n_receives < MOST_RECEIVES)
        receives[n_receives++] = request;
    return __real_MPI_Irecv(data, n, type, source, tag, comm, request);
}

WRAPPED(int, MPI_Test, MPI_Request *request, int *flag, MPI_Status *status)
{
    for (int i = 0; breaks == TEST && i < n_receives; i++)
        if (receives[i] == request)
            return MPI_ERR_OTHER;
    int error = __real_MPI_Test(request, flag, status);
    for (int i = 0; breaks == SOURCE && *flag && i < n_receives; i++)
        if (receives[i] == request)
            status->MPI_SOURCE = 3;
    return error;
}

WRAPPED(int, MPI_Get_count, const MPI_Status *status, MPI_Datatype type, int *n)
{
    int error = __real_MPI_Get_count(status, type, n);
    if (breaks == COUNT)
        *n = 1 << 30;
    return error;
}

static bool shares_memory = true; /* with nodes of this machine, which else are sent all frames */

WRAPPED(int, gravel_segment_create, struct gravel_segment **out)
{
    *out = NULL;
    if (shares_memory)
        return __real_gravel_segment_create(out);
    return gravel_fail(GRAVEL_ESYSTEM, "as if the system had no such memory");
}

WRAPPED(struct gravel_buffer *, gravel_buffer_create, uint32_t capacity)
{
    bool is_get = capacity == sizeof(struct gravel_get_frame);
    return is_get && breaks == GET ? NULL : __real_gravel_buffer_create(capacity);
}

WRAPPED(int, MPI_Isend, const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
        MPI_Request *request)
{
    struct gravel_frame *frame = (struct gravel_frame *)(uintptr_t)data;
    static struct gravel_bytes_frame *longer;
    if (breaks == LONG && frame->kind == GRAVEL_FRAME_BYTES) {
        const uint32_t bytes = 2 * BUFFER_BYTES;
        MUST(longer || (longer = calloc(1, bytes)));
        memcpy(longer, frame, (size_t)n);
        longer->frame.bytes = bytes;
        frame = &longer->frame;
        data = longer;
        n = (int)bytes;
    }
    if (breaks == FRAMES || breaks == PARTS)
        spoil(frame);
    const bool is_lost = breaks == LOST && frame->kind == GRAVEL_FRAME_CREDIT;
    return __real_MPI_Isend(data, n, type, is_lost ? MPI_PROC_NULL : to, tag, comm, request);
}

WRAPPED(int, MPI_Testsome, int n, MPI_Request *requests, int *n_ended, int *ended,
        MPI_Status *statuses)
{
    if (breaks == SENDS)
        return MPI_ERR_OTHER;
    return __real_MPI_Testsome(n, requests, n_ended, ended, statuses);
}

struct gravel_network;
WRAPPED(int, gravel_exchange_run, struct gravel_network *network, uint64_t number, uint64_t sum,
        uint32_t flags, const uint32_t *counts)
{
    static const uint32_t wrong[3] = {0, 1u << 30, 0};
    return __real_gravel_exchange_run(network, number, sum, flags,
                                      breaks == COUNTS ? wrong : counts);
}

/* A frame of a kind that node `from` sends. */
#define SPOIL(name, from, kind_of_frame, type, statement)          \
    static void spoil_##name(struct gravel_frame *frame)           \
    {                                                              \
        struct type *spoilt = (struct type *)frame;                \
        if (frame->source == from && frame->kind == kind_of_frame) \
            statement;                                             \
    }
SPOIL(header, 0, GRAVEL_FRAME_BYTES, gravel_bytes_frame, spoilt->frame.version++)
SPOIL(length, 0, GRAVEL_FRAME_ACK, gravel_ack_frame, spoilt->frame.kind = GRAVEL_FRAME_GET)
SPOIL(late, 0, GRAVEL_FRAME_HEARTBEAT, gravel_heartbeat_frame, spoilt->late_node = 4)
SPOIL(rounds, 0, GRAVEL_FRAME_HEARTBEAT, gravel_heartbeat_frame, spoilt->n_rounds += 2)
SPOIL(ack, 0, GRAVEL_FRAME_ACK, gravel_ack_frame, spoilt->acked += 1000)
SPOIL(asked, 1, GRAVEL_FRAME_GET, gravel_get_frame, spoilt->bytes = 1 << 30)
SPOIL(code, 0, GRAVEL_FRAME_REPLY, gravel_reply_frame, spoilt->code = 1)
SPOIL(place, 0, GRAVEL_FRAME_REPLY, gravel_reply_frame, spoilt->position += 8)
SPOIL(twice, 0, GRAVEL_FRAME_REPLY, gravel_reply_frame, spoilt->id--)
SPOIL(credit, 0, GRAVEL_FRAME_CREDIT, gravel_credit_frame, spoilt->n_written += 1000)
SPOIL(astray, 0, GRAVEL_FRAME_CREDIT, gravel_credit_frame, spoilt->frame.destination = 2)
SPOIL(part, 0, GRAVEL_FRAME_ROUND, gravel_round_frame,
      spoilt->n += frame->destination == 1 ? 1u << 30 : 0)
SPOIL(piece, 0, GRAVEL_FRAME_ROUND, gravel_round_frame, spoilt->first += frame->destination == 1)
SPOIL(put, 1, GRAVEL_FRAME_BYTES, gravel_bytes_frame, spoilt->offset += MEMORY_BYTES)
SPOIL(its_code, 0, GRAVEL_FRAME_REFUSAL, gravel_error_frame, spoilt->code = -1000)
SPOIL(its_text, 0, GRAVEL_FRAME_REFUSAL, gravel_error_frame,
      memset(spoilt->text, 'x', sizeof spoilt->text))

/* Node 0 refuses a put, and says so. */
static void spoil_refusal(struct gravel_frame *frame)
{
    spoil_put(frame);
    spoil_its_code(frame);
}

static void spoil_text(struct gravel_frame *frame)
{
    spoil_put(frame);
    spoil_its_text(frame);
}

#define EVERY UINT32_MAX

static const struct way {
    const char *name;
    int breaks;
    uint32_t breaker, failing; /* nodes; breaker may be EVERY */
    int code;
    const char *text;
    void (*spoil)(struct gravel_frame *frame);
} ways[] = {
    {"post", POST, 1, 1, GRAVEL_EMPI, "MPI_Irecv: ", NULL},
    {"test", TEST, 1, 1, GRAVEL_EMPI, "frames to this node are lost: MPI_Test: ", NULL},
    {"sends", SENDS, 1, 1, GRAVEL_EMPI, "MPI_Testsome: ", NULL},
    {"get", GET, 1, 1, GRAVEL_ENOMEM, "no memory for a control frame", NULL},
    {"source", SOURCE, 1, 1, GRAVEL_ECORRUPT, "from node 3 has a bad source (3 of 3)", NULL},
    {"count", COUNT, 1, 1, GRAVEL_ECORRUPT, "has a bad count (1073741824 bytes, at most ", NULL},
    {"long", LONG, 0, 1, GRAVEL_ECORRUPT, "has a bad length (a put has 512 bytes at most)", NULL},
    {"lost", LOST, 0, 1, GRAVEL_ECORRUPT, "from node 0 has a bad header (", NULL},
#define SPOILT(name, failing, text)                                        \
    {                                                                      \
#name, FRAMES, EVERY, failing, GRAVEL_ECORRUPT, text, spoil_##name \
    }
    SPOILT(header, 1, "from node 0 has a bad header"),
    SPOILT(length, 1, "from node 0 has a bad length (a get has 64 bytes)"),
    SPOILT(late, 1, "from node 0 has a bad late node (3 of 3)"),
    SPOILT(rounds, 1, "from node 0 has a bad count of rounds ("),
    SPOILT(ack, 1, "from node 0 has a bad acknowledgement (of "),
    SPOILT(asked, 0,
           "from node 1 has a bad count of bytes that it asks for (1073741824, not 1 to "),
    SPOILT(code, 1, "from node 0 has a bad code (1, with 100 bytes)"),
    SPOILT(refusal, 1, "from node 0 has a bad code (-1000 is not an error)"),
    SPOILT(text, 1, "from node 0 has a bad text (512 bytes without an end)"),
    SPOILT(place, 1, "from node 0 has a bad offset (8, and 0 bytes have come)"),
    SPOILT(twice, 1, "from node 0 has a bad request number ("),
    SPOILT(credit, 1, "from node 0 has a bad count of frames written ("),
    SPOILT(astray, 1, "from node 0 has a bad header ("),
    {"part", PARTS, EVERY, 1, GRAVEL_ECORRUPT, "from node 0 has a bad count of messages (",
     spoil_part},
    {"counts", COUNTS, 0, 1, GRAVEL_ECORRUPT, "from node 0 has a bad count of messages (", NULL},
    {"piece", PARTS, EVERY, 1, GRAVEL_ECORRUPT, "from node 0 has a bad place in its part (1 to ",
     spoil_piece},
};

static const char source[] = "#include \"gravel.cl.h\"\n"
                             "#include \"print.cl.h\"\n"
                             "kernel void print(GRAVEL_ARENA)\n"
                             "{\n"
                             "    GRAVEL_OPEN(g);\n"
                             "    gravel_printf_wi(g, \"for node 0\");\n"
                             "}\n";

static int drop_lines(void *user, const char *text, size_t bytes)
{
    (void)user, (void)text, (void)bytes;
    return 0;
}

/* Nodes 0 and 1 write to and read from each other, and node 1 prints, until the node has failed; a put may be refused.
 * The others may have failed before this one has left the barrier. */
static int talk(uint64_t memory, const struct way *way)
{
    unsigned char data[100] = {1};
    const size_t one = 1;
    cl_program program = build_or_die(gravel, source, "");
    cl_kernel kernel = kernel_or_die(gravel, program, "print");
    int code = gravel_barrier(gravel); /* all have left gravel_alloc */
    spoil = way->spoil;
    breaks = node == way->breaker || way->breaker == EVERY ? way->breaks : NOTHING;
    for (double begin = seconds_now(); (!code || code == GRAVEL_ERANGE) && may_wait(begin, 5);) {
        code = node < 2 ? gravel_put(gravel, memory, data, sizeof data, 1 - node) : 0;
        if (!code && node == 1)
            code = gravel_launch(gravel, kernel, 1, &one, &one, 0, NULL, NULL);
        if (!code)
            code = gravel_quiet(gravel);
        if (node == 1 && (!code || code == GRAVEL_ERANGE))
            code = gravel_get(gravel, memory, data, sizeof data, 0);
    }
    return code;
}

/* All nodes run rounds, until the node has failed. */
static int go_around(uint64_t memory, const struct way *way)
{
    struct gravel_rounds *rounds = make_rounds(memory);
    spoil = way->spoil;
    breaks = node == way->breaker || way->breaker == EVERY ? way->breaks : NOTHING;
    return gravel_rounds_run(rounds, GRAVEL_UNTIL_MOST, UINT64_MAX, NULL, 0);
}

static void break_way(const struct way *way)
{
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.print = drop_lines);
    char gave_up[32];
    setenv("GRAVEL_SPOOL", "4096", 1); /* node 0 tells each frame of lines that it has written */
    if (way->breaks == LONG)
        setenv("GRAVEL_BUFFER", "512", 1);
    shares_memory = way->breaks != PARTS; /* else nodes read parts where they lie */
    open_nodes(&bindings);
    const uint64_t memory = alloc_or_die(gravel, MEMORY_BYTES);
    const int code = way->breaks >= PARTS ? go_around(memory, way) : talk(memory, way);
    snprintf(gave_up, sizeof gave_up, "node %u gave up", way->failing);
    expect(code, node == way->failing ? way->code : GRAVEL_EPEER, way->text);
    MUST(node == way->failing || strstr(gravel_last_error(), gave_up));
    as_expected();
    MUST(gravel_close(gravel) == code);
    _exit(0);
}

bool run_broken_way(const char *name)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(name, ways[i].name))
            break_way(&ways[i]);
    return false;
}
