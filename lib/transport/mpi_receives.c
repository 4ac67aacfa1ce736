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
        for (uint32_t tag = 0; tag < GRAVEL_MPI_TAGS; tag++)
            receives->rings[tag].receives[i] = MPI_REQUEST_NULL;
}

static unsigned char *receive_slot(const struct gravel_mpi_ring *ring, uint32_t i)
{
    return ring->memory + (size_t)i * ring->frame_bytes;
}

static int post_receive(struct gravel_mpi_receives *receives, struct gravel_mpi_ring *ring,
                        uint32_t i)
{
    int error = MPI_Irecv(receive_slot(ring, i), (int)ring->frame_bytes, MPI_BYTE, MPI_ANY_SOURCE,
                          (int)(ring - receives->rings), receives->comm, &ring->receives[i]);
    return gravel_mpi_check("MPI_Irecv", error);
}

int gravel_mpi_receives_open(struct gravel_mpi_receives *receives, enum gravel_mpi_tag tag,
                             uint32_t frame_bytes)
{
    struct gravel_mpi_ring *ring = &receives->rings[tag];
    ring->n = tag == GRAVEL_MPI_LIFE ? LIFE_RECEIVES : GRAVEL_MPI_MAX_RECEIVES;
    ring->frame_bytes = (frame_bytes + 63) & ~63u;
    ring->memory = aligned_alloc(64, (size_t)ring->n * ring->frame_bytes);
    if (!ring->memory)
        return gravel_fail(GRAVEL_ENOMEM, "%u receive buffers of %u bytes", ring->n,
                           ring->frame_bytes);
    for (uint32_t i = 0; i < ring->n; i++)
        GRAVEL_TRY(post_receive(receives, ring, i));
    return 0;
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
    for (uint32_t tag = 0; tag < GRAVEL_MPI_TAGS; tag++)
        close_ring(&receives->rings[tag]);
}

void gravel_mpi_receives_fail(struct gravel_mpi_receives *receives, int code)
{
    receives->at_hand->is_broken = true;
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

/* Polls the next receive of a ring. @return whether its message is at hand. */
static bool has_come(struct gravel_mpi_receives *receives, struct gravel_mpi_ring *ring,
                     uint32_t *bytes, uint32_t *source)
{
    MPI_Status status;
    int has_arrived = 0;
    if (!ring->memory || ring->is_broken)
        return false;
    int error = MPI_Test(&ring->receives[ring->next], &has_arrived, &status);
    if (error != MPI_SUCCESS) { /* no further frame will come */
        ring->is_broken = true;
        gravel_mpi_fail("MPI_Test", error);
        snprintf(receives->transport->lost, sizeof receives->transport->lost, "%.150s",
                 gravel_last_error());
    }
    if (error != MPI_SUCCESS || !has_arrived)
        return false;
    receives->at_hand = ring;
    int code = read_status(receives, &status, ring->frame_bytes, bytes, source);
    if (code)
        gravel_mpi_receives_fail(receives, code);
    return code == 0;
}

struct gravel_frame *gravel_mpi_receives_next(struct gravel_mpi_receives *receives, uint32_t *bytes,
                                              uint32_t *source)
{
    for (uint32_t tag = 0; tag < GRAVEL_MPI_TAGS && !receives->transport->fault; tag++) {
        struct gravel_mpi_ring *ring = &receives->rings[tag];
        if (has_come(receives, ring, bytes, source))
            return (struct gravel_frame *)receive_slot(ring, ring->next);
    }
    return NULL;
}

void gravel_mpi_receives_renew(struct gravel_mpi_receives *receives)
{
    struct gravel_mpi_ring *ring = receives->at_hand;
    receives->transport->fault = post_receive(receives, ring, ring->next);
    ring->is_broken = receives->transport->fault != 0;
    ring->next = (ring->next + 1) % ring->n;
}
