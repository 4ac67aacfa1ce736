/* SPDX-License-Identifier: MIT */
/*
 * Transport mpi: buffers travel as MPI messages on a communicator of our own.
 *
 * Of node buffers for nodes of this machine a note travels; the frame stays where it is (handover.h). What comes is
 * received by mpi_receives.c.
 *
 * Path:    network thread -> mpi.c -> MPI, or another node's handover.c.
 * Threads: the network thread alone.
 * Source:  Orr 2016, section 5.2.2 (one network thread, MPI).
 */
#include "base/counter.h"
#include "transport/mpi_parts.h"

#include <stdlib.h>

struct mpi_transport {
    struct gravel_transport base;
    MPI_Comm comm;
    bool has_entered; /* gravel_mpi_enter */
    struct gravel_mpi_receives receives;

    /* Sends under way: requests[i] belongs to buffers[i]. */
    MPI_Request *requests;
    struct gravel_buffer **buffers;
    int *indices; /* [capacity] that MPI_Testsome writes */
    uint32_t n_sends, capacity;
    struct gravel_buffer *ended; /* a list of those that have ended, not yet handed out */
    /* MPI_STATUSES_IGNORE: gcc takes the constant itself for an array, where MPICH declares one. */
    MPI_Status *statuses;
    bool has_lost_sends; /* which of them have ended is no longer known */

    MPI_Request reduction;
    MPI_Datatype round_type;
    MPI_Op merging; /* of rounds */
    struct gravel_handover handover;
};

static struct mpi_transport *as_mpi(struct gravel_transport *transport)
{
    return (struct mpi_transport *)transport;
}

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
        return gravel_fail(GRAVEL_ENOMEM, "list of %u sends under way", mpi->n_sends);
    mpi->capacity = capacity;
    return 0;
}

static int start_send(struct mpi_transport *mpi, struct gravel_buffer *buffer)
{
    GRAVEL_TRY(make_room(mpi));
    int tag = gravel_frame_is_life(buffer->frame->kind) ? GRAVEL_MPI_LIFE : GRAVEL_MPI_FRAMES;
    int error =
        MPI_Isend(buffer->frame, (int)buffer->frame->bytes, MPI_BYTE,
                  (int)buffer->frame->destination, tag, mpi->comm, &mpi->requests[mpi->n_sends]);
    if (error == MPI_SUCCESS)
        mpi->buffers[mpi->n_sends++] = buffer;
    return gravel_mpi_check("MPI_Isend", error);
}

static int hand_over(struct mpi_transport *mpi, struct gravel_buffer *buffer)
{
    struct gravel_buffer *note = gravel_handover_note(&mpi->handover, buffer);
    if (!note)
        return GRAVEL_ENOMEM;
    int code = start_send(mpi, note);
    if (code) {
        gravel_buffer_destroy(note);
        return code;
    }
    gravel_handover_lend(&mpi->handover, buffer);
    gravel_counter_add(&mpi->base.handed.n_buffers, 1);
    return 0;
}

static void add_ended(struct mpi_transport *mpi, struct gravel_buffer *buffer)
{
    buffer->next = mpi->ended;
    mpi->ended = buffer;
}

static int mpi_send(struct gravel_transport *transport, struct gravel_buffer *buffer)
{
    struct mpi_transport *mpi = as_mpi(transport);
    if (mpi->comm != MPI_COMM_NULL)
        return gravel_handover_suits(&mpi->handover, buffer) ? hand_over(mpi, buffer)
                                                             : start_send(mpi, buffer);
    add_ended(mpi, buffer); /* without MPI: it has been sent, as far as its owner knows */
    return 0;
}

/* Moves the buffers whose requests MPI has ended to the list of those, and keeps the rest together. */
static void collect_ended(struct mpi_transport *mpi)
{
    uint32_t n_left = 0;
    for (uint32_t i = 0; i < mpi->n_sends; i++)
        if (mpi->requests[i] == MPI_REQUEST_NULL) {
            add_ended(mpi, mpi->buffers[i]);
        } else {
            mpi->requests[n_left] = mpi->requests[i];
            mpi->buffers[n_left++] = mpi->buffers[i];
        }
    mpi->n_sends = n_left;
}

static void test_sends(struct mpi_transport *mpi)
{
    int n = 0;
    int error = MPI_Testsome((int)mpi->n_sends, mpi->requests, &n, mpi->indices, mpi->statuses);
    mpi->has_lost_sends = error != MPI_SUCCESS;
    mpi->base.fault = gravel_mpi_check("MPI_Testsome", error);
    if (n > 0 && !mpi->has_lost_sends)
        collect_ended(mpi);
}

static struct gravel_buffer *mpi_sent(struct gravel_transport *transport)
{
    struct mpi_transport *mpi = as_mpi(transport);
    struct gravel_buffer *buffer = gravel_handover_home(&mpi->handover);
    if (buffer)
        return buffer;
    if (!mpi->ended && mpi->n_sends && !mpi->has_lost_sends)
        test_sends(mpi);
    buffer = mpi->ended;
    mpi->ended = buffer ? buffer->next : NULL;
    return buffer;
}

static int mpi_prepare(struct gravel_transport *transport, uint32_t frame_bytes)
{
    return gravel_mpi_receives_open(&as_mpi(transport)->receives, GRAVEL_MPI_FRAMES, frame_bytes);
}

/* The frame that has come, or that a note tells of. */
static struct gravel_frame *mpi_receive(struct gravel_transport *transport, uint32_t *bytes,
                                        uint32_t *source)
{
    struct mpi_transport *mpi = as_mpi(transport);
    struct gravel_mpi_receives *receives = &mpi->receives;
    if (mpi->comm == MPI_COMM_NULL)
        return NULL;
    struct gravel_frame *frame = gravel_mpi_receives_next(receives, bytes, source);
    if (!frame || !gravel_handover_is_note(frame, *bytes))
        return frame;
    frame = gravel_handover_open(&mpi->handover, frame, *source,
                                 receives->rings[GRAVEL_MPI_FRAMES].frame_bytes, bytes);
    if (!frame)
        gravel_mpi_receives_fail(receives, GRAVEL_ECORRUPT);
    return frame;
}

static void mpi_received(struct gravel_transport *transport, bool is_kept)
{
    struct mpi_transport *mpi = as_mpi(transport);
    gravel_handover_leave(&mpi->handover, is_kept);
    gravel_mpi_receives_renew(&mpi->receives);
}

static void mpi_give_back(struct gravel_transport *transport, uint32_t source)
{
    gravel_handover_give_back(&as_mpi(transport)->handover, source);
}

/* MPI's operation on rounds. */
static void merge_rounds(void *more, void *into, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        gravel_round_merge((struct gravel_round *)into + i, (const struct gravel_round *)more + i);
}

static int make_merging(struct mpi_transport *mpi)
{
    mpi->base.round = calloc(1, sizeof *mpi->base.round);
    if (!mpi->base.round)
        return gravel_fail(GRAVEL_ENOMEM, "round of collective calls");
    GRAVEL_TRY(gravel_mpi_check(
        "MPI_Type_contiguous",
        MPI_Type_contiguous(sizeof(struct gravel_round) / 8, MPI_UINT64_T, &mpi->round_type)));
    GRAVEL_TRY(gravel_mpi_check("MPI_Type_commit", MPI_Type_commit(&mpi->round_type)));
    return gravel_mpi_check("MPI_Op_create", MPI_Op_create(merge_rounds, 1, &mpi->merging));
}

static int mpi_merge(struct gravel_transport *transport)
{
    struct mpi_transport *mpi = as_mpi(transport);
    if (mpi->comm == MPI_COMM_NULL)
        return gravel_fail(GRAVEL_EMPI, "MPI is finalised");
    int error = MPI_Iallreduce(MPI_IN_PLACE, transport->round, 1, mpi->round_type, mpi->merging,
                               mpi->comm, &mpi->reduction);
    return gravel_mpi_check("MPI_Iallreduce", error);
}

static int mpi_sum(struct gravel_transport *transport, uint64_t *values, uint32_t n)
{
    struct mpi_transport *mpi = as_mpi(transport);
    int error = MPI_Iallreduce(MPI_IN_PLACE, values, (int)n, MPI_UINT64_T, MPI_SUM, mpi->comm,
                               &mpi->reduction);
    return gravel_mpi_check("MPI_Iallreduce", error);
}

static int mpi_has_merged(struct gravel_transport *transport)
{
    int has_ended = 0;
    int error = MPI_Test(&as_mpi(transport)->reduction, &has_ended, MPI_STATUS_IGNORE);
    GRAVEL_TRY(gravel_mpi_check("MPI_Test", error));
    return has_ended;
}

static void mpi_leave(struct gravel_transport *transport, bool is_clean)
{
    struct mpi_transport *mpi = as_mpi(transport);
    if (!mpi->has_entered)
        return;
    if (is_clean) { /* with a dead peer, each of these could hang; and MPI may still write to the memory */
        gravel_mpi_receives_close(&mpi->receives);
        if (mpi->merging != MPI_OP_NULL)
            MPI_Op_free(&mpi->merging);
        if (mpi->round_type != MPI_DATATYPE_NULL)
            MPI_Type_free(&mpi->round_type);
        if (mpi->comm != MPI_COMM_NULL)
            MPI_Comm_free(&mpi->comm);
    }
    mpi->comm = MPI_COMM_NULL;
    mpi->has_entered = false;
    for (uint32_t i = 0; i < mpi->n_sends; i++) /* what is under way has been sent, too */
        mpi->requests[i] = MPI_REQUEST_NULL;
    collect_ended(mpi);
    gravel_mpi_leave(is_clean || mpi->base.has_disagreed);
}

static void mpi_close(struct gravel_transport *transport, bool is_clean)
{
    struct mpi_transport *mpi = as_mpi(transport);
    mpi_leave(transport, is_clean);
    if (mpi->merging == MPI_OP_NULL)
        free(mpi->base.round);
    gravel_handover_destroy(&mpi->handover);
    free(mpi->requests);
    free(mpi->buffers);
    free(mpi->indices);
    free(mpi);
}

static const struct gravel_transport_operations mpi_operations = {
    .prepare = mpi_prepare,
    .send = mpi_send,
    .sent = mpi_sent,
    .receive = mpi_receive,
    .received = mpi_received,
    .give_back = mpi_give_back,
    .merge = mpi_merge,
    .sum = mpi_sum,
    .has_merged = mpi_has_merged,
    .leave_mpi = mpi_leave,
    .close = mpi_close,
};

/* From here on in a call that waits for other processes, as long as they take. */
static void begin_call(const struct gravel_mpi_opening *opening, const char *call)
{
    if (opening->call)
        atomic_store_explicit(opening->call, call, memory_order_relaxed);
}

static int join(struct mpi_transport *mpi, const struct gravel_mpi_opening *opening)
{
    MPI_Comm comm = opening->comm ? *(const MPI_Comm *)opening->comm : MPI_COMM_WORLD;
    int node = 0, n_nodes = 0;
    begin_call(opening, "MPI_Comm_dup");
    GRAVEL_TRY(gravel_mpi_check("MPI_Comm_dup", MPI_Comm_dup(comm, &mpi->comm)));
    GRAVEL_TRY(gravel_mpi_check("MPI_Comm_set_errhandler",
                                MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN)));
    GRAVEL_TRY(gravel_mpi_check("MPI_Comm_set_name", MPI_Comm_set_name(mpi->comm, "gravel")));
    GRAVEL_TRY(gravel_mpi_check("MPI_Comm_rank", MPI_Comm_rank(mpi->comm, &node)));
    GRAVEL_TRY(gravel_mpi_check("MPI_Comm_size", MPI_Comm_size(mpi->comm, &n_nodes)));
    mpi->receives.comm = mpi->comm;
    mpi->base.node = (uint32_t)node;
    mpi->base.n_nodes = (uint32_t)n_nodes;
    GRAVEL_TRY(gravel_mpi_receives_open(&mpi->receives, GRAVEL_MPI_LIFE,
                                        sizeof(struct gravel_death_frame)));
    GRAVEL_TRY(gravel_handover_create(&mpi->handover, opening->segment, mpi->base.n_nodes));
    begin_call(opening, "MPI_Comm_split_type");
    GRAVEL_TRY(gravel_mpi_find_local(mpi->comm, &mpi->base, &mpi->handover));
    if (!opening->shared_bytes)
        return 0;
    begin_call(opening, "MPI_Bcast"); /* of node 0's bytes, for all */
    return gravel_mpi_check("MPI_Bcast", MPI_Bcast(opening->shared, (int)opening->shared_bytes,
                                                   MPI_BYTE, 0, mpi->comm));
}

/* Whether nodes can be numbered by the caller's communicator. */
static int check_comm(const MPI_Comm *comm)
{
    int is_initialised = 0, is_inter = 0;
    GRAVEL_TRY(gravel_mpi_check("MPI_Initialized", MPI_Initialized(&is_initialised)));
    if (!is_initialised)
        return gravel_fail(GRAVEL_EINVAL, "bindings.mpi_comm is given, and MPI is not initialised");
    if (*comm == MPI_COMM_NULL)
        return gravel_fail(GRAVEL_EINVAL, "bindings.mpi_comm points to MPI_COMM_NULL");
    int code = gravel_mpi_check("MPI_Comm_test_inter", MPI_Comm_test_inter(*comm, &is_inter));
    return code || !is_inter
               ? code
               : gravel_fail(GRAVEL_EINVAL,
                             "bindings.mpi_comm points to an inter-communicator, which has "
                             "two groups of ranks");
}

static int open_mpi(struct mpi_transport *mpi, const struct gravel_mpi_opening *opening)
{
    if (opening->comm)
        GRAVEL_TRY(check_comm(opening->comm));
    begin_call(opening, "MPI_Init_thread");
    GRAVEL_TRY(gravel_mpi_enter(opening->finalising));
    mpi->has_entered = true;
    GRAVEL_TRY(gravel_mpi_check_launcher());
    GRAVEL_TRY(make_merging(mpi));
    return join(mpi, opening);
}

int gravel_transport_mpi_open(struct gravel_transport **out,
                              const struct gravel_mpi_opening *opening)
{
    struct mpi_transport *mpi = calloc(1, sizeof *mpi);
    *out = NULL;
    if (!mpi)
        return gravel_fail(GRAVEL_ENOMEM, "transport mpi");
    mpi->base.operations = &mpi_operations;
    mpi->comm = MPI_COMM_NULL;
    mpi->statuses = MPI_STATUSES_IGNORE;
    mpi->reduction = MPI_REQUEST_NULL;
    mpi->round_type = MPI_DATATYPE_NULL;
    mpi->merging = MPI_OP_NULL;
    gravel_mpi_receives_init(&mpi->receives, &mpi->base);
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
