/* SPDX-License-Identifier: MIT */
/*
 * Transport mpi: buffers travel as MPI messages on a communicator of our own.
 *
 * Of node buffers for nodes of this machine a note travels; the frame stays where it is (handover.h).
 *
 * Receives are posted ahead, in rings. A ring is polled in posting order only: MPI matches messages of one sender in
 * order, so this keeps the order of frames without reading them. A frame whose sender dies while it travels never
 * arrives and holds up all behind it; so heartbeats and news of a death have a ring of their own, which nothing large
 * goes through.
 *
 * Path:    network thread -> mpi.c -> MPI, or another node's handover.c.
 * Threads: the network thread alone.
 * Source:  Orr 2016, section 5.2.2 (one network thread, MPI).
 */
#include "base/mark.h"
#include "transport/frames.h"
#include "transport/mpi_parts.h"

#include <stdio.h>
#include <stdlib.h>

/* MPI's calls while a node is open are marked: base/mark.h says why. None of them should wait, but Open MPI over TCP
 * may stay in one without end when two processes die at once. The calls by which a node opens have a limit of their own
 * (network/start.c). */
/* clang-format off */
#define MPI_Cancel(...) GRAVEL_MARKED(MPI_Cancel, __VA_ARGS__)
#define MPI_Iallreduce(...) GRAVEL_MARKED(MPI_Iallreduce, __VA_ARGS__)
#define MPI_Irecv(...) GRAVEL_MARKED(MPI_Irecv, __VA_ARGS__)
#define MPI_Isend(...) GRAVEL_MARKED(MPI_Isend, __VA_ARGS__)
#define MPI_Test(...) GRAVEL_MARKED(MPI_Test, __VA_ARGS__)
#define MPI_Testsome(...) GRAVEL_MARKED(MPI_Testsome, __VA_ARGS__)
#define MPI_Wait(...) GRAVEL_MARKED(MPI_Wait, __VA_ARGS__)
/* clang-format on */

#define MOST_RECEIVES 16u

/* The tag of a ring's frames, and its number. */
enum tag { LIFE, FRAMES, N_TAGS };
static const uint32_t n_receives[N_TAGS] = {[LIFE] = 4, [FRAMES] = MOST_RECEIVES};

struct ring {
    uint32_t frame_bytes, next;
    bool is_broken;        /* a frame will never come: so will none behind it */
    unsigned char *memory; /* [n_receives][frame_bytes]; NULL before open_ring */
    MPI_Request receives[MOST_RECEIVES];
};

struct mpi_transport {
    struct gravel_transport base;
    MPI_Comm comm;
    bool has_entered; /* gravel_mpi_enter */

    struct ring rings[N_TAGS];
    struct ring *at_hand; /* whose next frame is the caller's */

    /* Sends under way: requests[i] belongs to buffers[i]. */
    MPI_Request *requests;
    struct gravel_buffer **buffers;
    int *indices; /* [capacity] that MPI_Testsome writes */
    uint32_t n_sends, capacity;
    /* MPI_STATUSES_IGNORE: gcc takes the constant itself for an array, where MPICH declares one. */
    MPI_Status *statuses;
    bool has_lost_sends; /* which of them have ended is no longer known */

    MPI_Request reduction;
    MPI_Datatype round_type;
    MPI_Op merging; /* of rounds */
};

static struct mpi_transport *as_mpi(struct gravel_transport *transport)
{
    return (struct mpi_transport *)transport;
}

/* ---- sends ----------------------------------------------------------------------------------- */

/* Makes room for one more send. @return 0; GRAVEL_ENOMEM. */
static int make_room(struct mpi_transport *mpi)
{
    if (mpi->n_sends < mpi->capacity)
        return 0;
    uint32_t capacity = mpi->capacity ? 2 * mpi->capacity : 64;
    MPI_Request *requests = realloc(mpi->requests, capacity * sizeof *requests);
    if (requests)
        mpi->requests = requests;
    struct gravel_buffer **buffers = realloc(mpi->buffers, capacity * sizeof *buffers);
    if (buffers)
        mpi->buffers = buffers;
    int *indices = realloc(mpi->indices, capacity * sizeof *indices);
    if (indices)
        mpi->indices = indices;
    if (!requests || !buffers || !indices)
        return gravel_fail_memory("list of sends", capacity * (sizeof *requests + sizeof *buffers));
    mpi->capacity = capacity;
    return 0;
}

static int start_send(struct mpi_transport *mpi, struct gravel_buffer *buffer)
{
    const struct gravel_frame *frame = buffer->frame;
    GRAVEL_TRY(make_room(mpi));
    TRY_MPI(MPI_Isend, frame, (int)frame->bytes, MPI_BYTE, (int)frame->destination,
            gravel_frame_is_life(frame->kind) ? LIFE : FRAMES, mpi->comm,
            &mpi->requests[mpi->n_sends]);
    mpi->buffers[mpi->n_sends++] = buffer;
    return 0;
}

static int mpi_send(struct gravel_transport *transport, struct gravel_buffer *buffer)
{
    struct mpi_transport *mpi = as_mpi(transport);
    struct gravel_handover *handover = &transport->handover;
    if (mpi->comm == MPI_COMM_NULL) {
        gravel_pool_return(buffer); /* it has been sent, as far as its owner knows */
        return 0;
    }
    if (!gravel_handover_suits(handover, buffer))
        return start_send(mpi, buffer);
    struct gravel_buffer *note = gravel_handover_note(handover, buffer);
    int code = note ? start_send(mpi, note) : GRAVEL_ENOMEM;
    if (code)
        gravel_buffer_destroy(note);
    else
        gravel_handover_sent(handover, buffer);
    return code;
}

/* Returns the buffers whose requests MPI has ended to their pools, and keeps the rest together. @return how many */
static uint32_t return_ended(struct mpi_transport *mpi)
{
    const uint32_t n = mpi->n_sends;
    mpi->n_sends = 0;
    for (uint32_t i = 0; i < n; i++)
        if (mpi->requests[i] == MPI_REQUEST_NULL) {
            gravel_pool_return(mpi->buffers[i]);
        } else {
            mpi->requests[mpi->n_sends] = mpi->requests[i];
            mpi->buffers[mpi->n_sends++] = mpi->buffers[i];
        }
    return n - mpi->n_sends;
}

static uint32_t mpi_sent(struct gravel_transport *transport)
{
    struct mpi_transport *mpi = as_mpi(transport);
    struct gravel_buffer *buffer;
    uint32_t n_returned = 0;
    int n = 0;
    for (; (buffer = gravel_handover_returned(&transport->handover)); n_returned++)
        gravel_pool_return(buffer);
    if (!mpi->n_sends || mpi->has_lost_sends)
        return n_returned;
    int error = MPI_Testsome((int)mpi->n_sends, mpi->requests, &n, mpi->indices, mpi->statuses);
    mpi->has_lost_sends = error != MPI_SUCCESS;
    transport->fault = gravel_mpi_check("MPI_Testsome", error);
    return n > 0 && !mpi->has_lost_sends ? n_returned + return_ended(mpi) : n_returned;
}

/* ---- receives -------------------------------------------------------------------------------- */

static unsigned char *slot_of(const struct ring *ring, uint32_t i)
{
    return ring->memory + (size_t)i * ring->frame_bytes;
}

static int post_receive(struct mpi_transport *mpi, struct ring *ring, uint32_t i)
{
    TRY_MPI(MPI_Irecv, slot_of(ring, i), (int)ring->frame_bytes, MPI_BYTE, MPI_ANY_SOURCE,
            (int)(ring - mpi->rings), mpi->comm, &ring->receives[i]);
    return 0;
}

/* Posts receives of frames of up to so many bytes. @return 0; GRAVEL_ENOMEM; GRAVEL_EMPI. */
static int open_ring(struct mpi_transport *mpi, enum tag tag, uint32_t frame_bytes)
{
    struct ring *ring = &mpi->rings[tag];
    ring->frame_bytes = (frame_bytes + 63) & ~63u;
    const size_t bytes = (size_t)n_receives[tag] * ring->frame_bytes;
    ring->memory = aligned_alloc(64, bytes);
    if (!ring->memory)
        return gravel_fail_memory("receive buffers", bytes);
    for (uint32_t i = 0; i < n_receives[tag]; i++)
        GRAVEL_TRY(post_receive(mpi, ring, i));
    return 0;
}

/* Cancels a ring's receives. No peer has failed: with a dead one this could hang. */
static void close_ring(struct ring *ring)
{
    bool have_ended = true;
    for (uint32_t i = 0; i < MOST_RECEIVES; i++)
        if (ring->receives[i] != MPI_REQUEST_NULL &&
            (MPI_Cancel(&ring->receives[i]) != MPI_SUCCESS ||
             MPI_Wait(&ring->receives[i], MPI_STATUS_IGNORE) != MPI_SUCCESS))
            have_ended = false;
    if (have_ended) /* else MPI may still write to it */
        free(ring->memory);
}

static int mpi_prepare(struct gravel_transport *transport, uint32_t frame_bytes)
{
    return open_ring(as_mpi(transport), FRAMES, frame_bytes);
}

/* Reads the status of a message that has come, and may have `most` bytes. @return 0; GRAVEL_EMPI; GRAVEL_ECORRUPT. */
static int read_status(const struct gravel_transport *transport, const MPI_Status *status,
                       uint32_t most, uint32_t *bytes, uint32_t *source)
{
    int n = 0, node = status->MPI_SOURCE;
    TRY_MPI(MPI_Get_count, status, MPI_BYTE, &n);
    if (node < 0 || (uint32_t)node >= transport->n_nodes || (uint32_t)node == transport->node)
        return gravel_fail(GRAVEL_ECORRUPT,
                           "frame of %d bytes from node %d has a bad source (%d of %u)", n, node,
                           node, transport->n_nodes);
    if (n < 0 || (uint32_t)n > most)
        return gravel_fail(GRAVEL_ECORRUPT,
                           "frame of %d bytes from node %d has a bad count (%d bytes, at most %u)",
                           n, node, n, most);
    *bytes = (uint32_t)n;
    *source = (uint32_t)node;
    return 0;
}

/* Fails, because the message at hand is not a frame of another node: none follows. */
static void break_ring(struct mpi_transport *mpi, int code)
{
    mpi->at_hand->is_broken = true;
    mpi->base.fault = code;
}

/* Polls the next receive of a ring. @return whether its message is at hand. */
static bool has_come(struct mpi_transport *mpi, struct ring *ring, uint32_t *bytes,
                     uint32_t *source)
{
    MPI_Status status;
    int has_arrived = 0;
    if (!ring->memory || ring->is_broken)
        return false;
    int error = MPI_Test(&ring->receives[ring->next], &has_arrived, &status);
    if (error != MPI_SUCCESS) { /* no further frame will come */
        ring->is_broken = true;
        gravel_mpi_fail("MPI_Test", error);
        snprintf(mpi->base.lost, sizeof mpi->base.lost, "%.150s", gravel_last_error());
    }
    if (error != MPI_SUCCESS || !has_arrived)
        return false;
    mpi->at_hand = ring;
    int code = read_status(&mpi->base, &status, ring->frame_bytes, bytes, source);
    if (code)
        break_ring(mpi, code);
    return code == 0;
}

/* Returns the next frame that has come, or that a note names. */
static struct gravel_frame *mpi_receive(struct gravel_transport *transport, uint32_t *bytes,
                                        uint32_t *source)
{
    struct mpi_transport *mpi = as_mpi(transport);
    uint32_t tag = mpi->comm == MPI_COMM_NULL ? N_TAGS : 0;
    while (tag < N_TAGS && !transport->fault && !has_come(mpi, &mpi->rings[tag], bytes, source))
        tag++;
    if (tag == N_TAGS || transport->fault)
        return NULL;
    struct gravel_frame *frame = (void *)slot_of(mpi->at_hand, mpi->at_hand->next);
    if (!gravel_handover_is_note(frame, *bytes))
        return frame;
    frame = gravel_handover_open(&transport->handover, frame, *source,
                                 mpi->rings[FRAMES].frame_bytes, bytes);
    if (!frame)
        break_ring(mpi, GRAVEL_ECORRUPT);
    return frame;
}

static void mpi_received(struct gravel_transport *transport, bool is_kept)
{
    struct mpi_transport *mpi = as_mpi(transport);
    struct ring *ring = mpi->at_hand;
    gravel_handover_leave(&transport->handover, is_kept);
    transport->fault = post_receive(mpi, ring, ring->next);
    ring->is_broken = transport->fault != 0;
    ring->next = (ring->next + 1) % n_receives[ring - mpi->rings];
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* MPI's operation on rounds. */
static void merge_rounds(void *more, void *into, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        gravel_round_merge((struct gravel_round *)into + i, (const struct gravel_round *)more + i);
}

static int mpi_merge(struct gravel_transport *transport)
{
    struct mpi_transport *mpi = as_mpi(transport);
    if (mpi->comm == MPI_COMM_NULL)
        return gravel_fail(GRAVEL_EMPI, "MPI is finalised");
    TRY_MPI(MPI_Iallreduce, MPI_IN_PLACE, transport->round, 1, mpi->round_type, mpi->merging,
            mpi->comm, &mpi->reduction);
    return 0;
}

static int mpi_has_merged(struct gravel_transport *transport)
{
    int has_ended = 0;
    TRY_MPI(MPI_Test, &as_mpi(transport)->reduction, &has_ended, MPI_STATUS_IGNORE);
    return has_ended;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void leave(struct mpi_transport *mpi, bool is_clean)
{
    if (!mpi->has_entered)
        return;
    if (is_clean) { /* with a dead peer, each of these could hang; and MPI may still write to the memory */
        for (uint32_t tag = 0; tag < N_TAGS; tag++)
            close_ring(&mpi->rings[tag]);
        if (mpi->merging != MPI_OP_NULL)
            MPI_Op_free(&mpi->merging);
        if (mpi->round_type != MPI_DATATYPE_NULL)
            MPI_Type_free(&mpi->round_type);
        if (mpi->comm != MPI_COMM_NULL)
            MPI_Comm_free(&mpi->comm);
    }
    mpi->comm = MPI_COMM_NULL;
    mpi->has_entered = false;
    gravel_mpi_leave(is_clean || mpi->base.has_disagreed);
}

static void mpi_leave_mpi(struct gravel_transport *transport, bool is_clean)
{
    struct mpi_transport *mpi = as_mpi(transport);
    leave(mpi, is_clean);
    for (uint32_t i = 0; i < mpi->n_sends; i++) /* what is under way has been sent, too */
        mpi->requests[i] = MPI_REQUEST_NULL;
    return_ended(mpi);
}

static void mpi_close(struct gravel_transport *transport, bool is_clean)
{
    struct mpi_transport *mpi = as_mpi(transport);
    leave(mpi, is_clean);
    if (mpi->merging == MPI_OP_NULL)
        free(mpi->base.round);
    gravel_handover_destroy(&mpi->base.handover);
    free(mpi->requests);
    free(mpi->buffers);
    free(mpi->indices);
    free(mpi);
}

/* ---- the beginning --------------------------------------------------------------------------- */

static const struct gravel_transport_operations operations = {
    .prepare = mpi_prepare,
    .send = mpi_send,
    .sent = mpi_sent,
    .receive = mpi_receive,
    .received = mpi_received,
    .merge = mpi_merge,
    .has_merged = mpi_has_merged,
    .leave_mpi = mpi_leave_mpi,
    .close = mpi_close,
};

/* Begins a call that waits for other processes, as long as they take. */
static void begin_call(const struct gravel_mpi_opening *opening, const char *call)
{
    if (opening->call)
        atomic_store_explicit(opening->call, call, memory_order_relaxed);
}

/* Returns whether nodes can be numbered by the caller's communicator. */
static int check_comm(const MPI_Comm *comm)
{
    int is_initialised = 0, is_inter = 0;
    TRY_MPI(MPI_Initialized, &is_initialised);
    if (!is_initialised)
        return gravel_fail(GRAVEL_EINVAL, "bindings.mpi_comm is given, and MPI is not initialised");
    if (*comm == MPI_COMM_NULL)
        return gravel_fail(GRAVEL_EINVAL, "bindings.mpi_comm points to MPI_COMM_NULL");
    TRY_MPI(MPI_Comm_test_inter, *comm, &is_inter);
    return is_inter ? gravel_fail(GRAVEL_EINVAL,
                                  "bindings.mpi_comm points to an inter-communicator, which has "
                                  "two groups of ranks")
                    : 0;
}

static int open_mpi(struct mpi_transport *mpi, const struct gravel_mpi_opening *opening)
{
    const MPI_Comm comm = opening->comm ? *(const MPI_Comm *)opening->comm : MPI_COMM_WORLD;
    int node = 0, n_nodes = 0;
    if (opening->comm)
        GRAVEL_TRY(check_comm(opening->comm));
    begin_call(opening, "MPI_Init_thread");
    GRAVEL_TRY(gravel_mpi_enter(opening->finalising));
    mpi->has_entered = true;
    GRAVEL_TRY(gravel_mpi_check_launcher());
    if (!(mpi->base.round = calloc(1, sizeof *mpi->base.round)))
        return gravel_fail_memory("round of collective calls", sizeof *mpi->base.round);
    TRY_MPI(MPI_Type_contiguous, sizeof(struct gravel_round) / 8, MPI_UINT64_T, &mpi->round_type);
    TRY_MPI(MPI_Type_commit, &mpi->round_type);
    TRY_MPI(MPI_Op_create, merge_rounds, 1, &mpi->merging);
    begin_call(opening, "MPI_Comm_dup");
    TRY_MPI(MPI_Comm_dup, comm, &mpi->comm);
    TRY_MPI(MPI_Comm_set_errhandler, mpi->comm, MPI_ERRORS_RETURN);
    TRY_MPI(MPI_Comm_set_name, mpi->comm, "gravel");
    TRY_MPI(MPI_Comm_rank, mpi->comm, &node);
    TRY_MPI(MPI_Comm_size, mpi->comm, &n_nodes);
    mpi->base.node = (uint32_t)node;
    mpi->base.n_nodes = (uint32_t)n_nodes;
    GRAVEL_TRY(open_ring(mpi, LIFE, sizeof(struct gravel_error_frame)));
    GRAVEL_TRY(gravel_handover_create(&mpi->base.handover, opening->segment, mpi->base.n_nodes));
    begin_call(opening, "MPI_Comm_split_type");
    GRAVEL_TRY(gravel_mpi_find_local(mpi->comm, &mpi->base));
    if (!opening->shared_bytes)
        return 0;
    begin_call(opening, "MPI_Bcast"); /* of node 0's bytes, for all */
    TRY_MPI(MPI_Bcast, opening->shared, (int)opening->shared_bytes, MPI_BYTE, 0, mpi->comm);
    return 0;
}

int gravel_transport_mpi_open(struct gravel_transport **out,
                              const struct gravel_mpi_opening *opening)
{
    struct mpi_transport *mpi = calloc(1, sizeof *mpi);
    *out = NULL;
    if (!mpi)
        return gravel_fail_memory("transport mpi", sizeof *mpi);
    mpi->base.operations = &operations;
    mpi->comm = MPI_COMM_NULL;
    mpi->statuses = MPI_STATUSES_IGNORE;
    mpi->reduction = MPI_REQUEST_NULL;
    mpi->round_type = MPI_DATATYPE_NULL;
    mpi->merging = MPI_OP_NULL;
    for (uint32_t i = 0; i < MOST_RECEIVES; i++)
        for (uint32_t tag = 0; tag < N_TAGS; tag++)
            mpi->rings[tag].receives[i] = MPI_REQUEST_NULL;
    int code = open_mpi(mpi, opening);
    if (code)
        mpi_close(&mpi->base, true);
    else
        *out = &mpi->base;
    return code;
}

bool gravel_transport_mpi_is_initialised(void)
{
    int is_initialised = 0;
    return MPI_Initialized(&is_initialised) == MPI_SUCCESS && is_initialised;
}

bool gravel_transport_mpi_is_built(void)
{
    return true;
}
