/* SPDX-License-Identifier: MIT */
/*
 * Receives that are posted ahead. See mpi_parts.h.
 */
#include "transport/mpi_parts.h"

#include <stdio.h>
#include <stdlib.h>

#define LIFE_RECEIVES 4u

void gravel_mpi_receives_init(struct gravel_mpi_receives *receives,
                              struct gravel_transport *transport)
{
    receives->transport = transport;
    for (uint32_t i = 0; i < GRAVEL_MPI_MAX_RECEIVES; i++)
        receives->frames.receives[i] = receives->life.receives[i] = MPI_REQUEST_NULL;
}

static unsigned char *receive_slot(const struct gravel_mpi_ring *ring, uint32_t i)
{
    return ring->memory + (size_t)i * ring->frame_bytes;
}

static int post_receive(const struct gravel_mpi_receives *receives, struct gravel_mpi_ring *ring,
                        uint32_t i)
{
    int error = MPI_Irecv(receive_slot(ring, i), (int)ring->frame_bytes, MPI_BYTE, MPI_ANY_SOURCE,
                          ring->tag, receives->comm, &ring->receives[i]);
    return gravel_mpi_check("MPI_Irecv", error);
}

static int open_ring(const struct gravel_mpi_receives *receives, struct gravel_mpi_ring *ring,
                     enum gravel_mpi_tag tag, uint32_t n, uint32_t frame_bytes)
{
    int code = 0;
    ring->tag = tag;
    ring->n = n;
    ring->frame_bytes = (frame_bytes + 63) & ~63u;
    ring->memory = aligned_alloc(64, (size_t)n * ring->frame_bytes);
    if (!ring->memory)
        return gravel_fail(GRAVEL_ENOMEM, "%u receive buffers of %u bytes", n, ring->frame_bytes);
    for (uint32_t i = 0; i < n && !code; i++)
        code = post_receive(receives, ring, i);
    return code;
}

int gravel_mpi_receives_open(struct gravel_mpi_receives *receives, uint32_t frame_bytes)
{
    GRAVEL_TRY(open_ring(receives, &receives->life, GRAVEL_MPI_LIFE_TAG, LIFE_RECEIVES,
                         GRAVEL_MPI_EARLY_BYTES));
    return open_ring(receives, &receives->frames, GRAVEL_MPI_FRAME_TAG, GRAVEL_MPI_MAX_RECEIVES,
                     frame_bytes);
}

static void close_ring(struct gravel_mpi_ring *ring)
{
    bool have_ended = true;
    for (uint32_t i = 0; i < GRAVEL_MPI_MAX_RECEIVES; i++)
        if (ring->receives[i] != MPI_REQUEST_NULL &&
            (MPI_Cancel(&ring->receives[i]) != MPI_SUCCESS ||
             MPI_Wait(&ring->receives[i], MPI_STATUS_IGNORE) != MPI_SUCCESS))
            have_ended = false;
    if (have_ended) /* else MPI may still write to it */
        free(ring->memory);
}

void gravel_mpi_receives_close(struct gravel_mpi_receives *receives)
{
    close_ring(&receives->frames);
    close_ring(&receives->life);
}

/* No further frame will come. */
static void lose(struct gravel_mpi_receives *receives, struct gravel_mpi_ring *ring,
                 const char *call, int error)
{
    ring->is_broken = true;
    gravel_mpi_fail(call, error);
    snprintf(receives->transport->lost, sizeof receives->transport->lost, "%.150s",
             gravel_last_error());
}

void gravel_mpi_receives_fail(struct gravel_mpi_receives *receives, struct gravel_mpi_ring *ring,
                              int code)
{
    ring->is_broken = true;
    receives->transport->fault = code;
}

/* Reads the status of a message that has come, and may have `most` bytes. @return 0; or an error. */
static int read_status(const struct gravel_mpi_receives *receives, const MPI_Status *status,
                       uint32_t most, uint32_t *bytes, uint32_t *source)
{
    int n = 0, node = status->MPI_SOURCE;
    GRAVEL_TRY(gravel_mpi_check("MPI_Get_count", MPI_Get_count(status, MPI_BYTE, &n)));
    if (node < 0 || (uint32_t)node >= receives->transport->n_nodes ||
        (uint32_t)node == receives->transport->node)
        return gravel_fail(GRAVEL_ECORRUPT,
                           "frame of %d bytes from node %d has a bad source (%d of %u)", n, node,
                           node, receives->transport->n_nodes);
    if (n < 0 || (uint32_t)n > most)
        return gravel_fail(GRAVEL_ECORRUPT,
                           "frame of %d bytes from node %d has a bad count (%d bytes, at most %u)",
                           n, node, n, most);
    *bytes = (uint32_t)n;
    *source = (uint32_t)node;
    return 0;
}

/* The next frame while their largest size is unknown: in order, as MPI_Improbe finds them so. */
static struct gravel_frame *receive_early(struct gravel_mpi_receives *receives, uint32_t *bytes,
                                          uint32_t *source)
{
    struct gravel_mpi_ring *ring = &receives->frames;
    MPI_Message message;
    MPI_Status status;
    int has_arrived = 0;
    if (ring->is_broken)
        return NULL;
    int error =
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, receives->comm, &has_arrived, &message, &status);
    if (error != MPI_SUCCESS)
        lose(receives, ring, "MPI_Improbe", error);
    if (error != MPI_SUCCESS || !has_arrived)
        return NULL;
    int code = read_status(receives, &status, GRAVEL_MPI_EARLY_BYTES, bytes, source);
    if (!code)
        code = gravel_mpi_check("MPI_Mrecv", MPI_Mrecv(receives->early, (int)*bytes, MPI_BYTE,
                                                       &message, MPI_STATUS_IGNORE));
    if (!code)
        return (struct gravel_frame *)receives->early;
    gravel_mpi_receives_fail(receives, ring, code);
    return NULL;
}

static struct gravel_frame *look(struct gravel_mpi_receives *receives, struct gravel_mpi_ring *ring,
                                 uint32_t *bytes, uint32_t *source)
{
    MPI_Status status;
    int has_arrived = 0;
    if (ring->is_broken)
        return NULL;
    int error = MPI_Test(&ring->receives[ring->next], &has_arrived, &status);
    if (error != MPI_SUCCESS)
        lose(receives, ring, "MPI_Test", error);
    if (ring->is_broken || !has_arrived)
        return NULL;
    int code = read_status(receives, &status, ring->frame_bytes, bytes, source);
    if (code) {
        gravel_mpi_receives_fail(receives, ring, code);
        return NULL;
    }
    receives->at_hand = ring;
    return (struct gravel_frame *)receive_slot(ring, ring->next);
}

struct gravel_frame *gravel_mpi_receives_next(struct gravel_mpi_receives *receives, uint32_t *bytes,
                                              uint32_t *source)
{
    receives->at_hand = NULL;
    if (receives->transport->fault)
        return NULL;
    if (!receives->frames.memory)
        return receive_early(receives, bytes, source);
    struct gravel_frame *life = look(receives, &receives->life, bytes, source);
    if (life || receives->transport->fault)
        return life;
    return look(receives, &receives->frames, bytes, source);
}

void gravel_mpi_receives_renew(struct gravel_mpi_receives *receives)
{
    struct gravel_mpi_ring *ring = receives->at_hand;
    if (!ring)
        return;
    receives->transport->fault = post_receive(receives, ring, ring->next);
    ring->is_broken = receives->transport->fault != 0;
    ring->next = (ring->next + 1) % ring->n;
}
