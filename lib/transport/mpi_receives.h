/* SPDX-License-Identifier: MIT */
/*
 * Frames that come by MPI: receives that are posted ahead in rings.
 *
 * A ring is looked at in posting order only: MPI matches messages of one sender in order, so this keeps the order of
 * frames without looking at them. A frame whose sender dies while it travels never arrives and holds up all behind it;
 * so heartbeats and news of a death have a ring of their own, which nothing large goes through.
 *
 * Path:    mpi.c -> mpi_receives.c -> MPI.
 * Owner:   the transport.
 * Threads: the network thread alone.
 */
#ifndef GRAVEL_TRANSPORT_MPI_RECEIVES_H
#define GRAVEL_TRANSPORT_MPI_RECEIVES_H

#include "transport/frames.h"
#include "transport/transport.h"

#include <mpi.h>

#define GRAVEL_MPI_MAX_RECEIVES 16u
/* Of the largest control frame, and more; MPI sends so little at once. */
#define GRAVEL_MPI_EARLY_BYTES 1024u
_Static_assert(sizeof(struct gravel_death_frame) <= GRAVEL_MPI_EARLY_BYTES, "fits");
_Static_assert(sizeof(struct gravel_refusal_frame) <= GRAVEL_MPI_EARLY_BYTES, "fits");

enum gravel_mpi_tag { GRAVEL_MPI_FRAME_TAG, GRAVEL_MPI_LIFE_TAG };

static inline enum gravel_mpi_tag gravel_mpi_tag_of(uint32_t kind)
{
    return gravel_frame_is_life(kind) ? GRAVEL_MPI_LIFE_TAG : GRAVEL_MPI_FRAME_TAG;
}

/* Receives of one tag, looked at in the order in which they were posted. */
struct gravel_mpi_ring {
    enum gravel_mpi_tag tag;
    uint32_t n, frame_bytes, next;
    bool is_broken;        /* a frame will never come: so will none behind it */
    unsigned char *memory; /* [n][frame_bytes]; NULL before gravel_mpi_receives_open */
    MPI_Request receives[GRAVEL_MPI_MAX_RECEIVES];
};

struct gravel_mpi_receives {
    struct gravel_transport *transport; /* whose `lost` and `fault` say what went wrong */
    MPI_Comm comm;                      /* the transport's, once it has one */
    struct gravel_mpi_ring frames, life;
    struct gravel_mpi_ring *at_hand; /* whose next frame is the caller's; NULL: `early` has it */
    _Alignas(8) unsigned char early[GRAVEL_MPI_EARLY_BYTES];
};

/** Zero-filled before. */
void gravel_mpi_receives_init(struct gravel_mpi_receives *receives,
                              struct gravel_transport *transport);
/** Post receives of frames of so many bytes. @return 0; GRAVEL_ENOMEM; GRAVEL_EMPI. */
int gravel_mpi_receives_open(struct gravel_mpi_receives *receives, uint32_t frame_bytes);
/** No peer has failed: with a dead one this could hang. */
void gravel_mpi_receives_close(struct gravel_mpi_receives *receives);

/** The next frame, or NULL. Before gravel_mpi_receives_open frames have GRAVEL_MPI_EARLY_BYTES at most. */
struct gravel_frame *gravel_mpi_receives_next(struct gravel_mpi_receives *receives, uint32_t *bytes,
                                              uint32_t *source);
/** The message at hand is done with. */
void gravel_mpi_receives_renew(struct gravel_mpi_receives *receives);
/** Fail, because what came is no frame of another node: none follows. */
void gravel_mpi_receives_fail(struct gravel_mpi_receives *receives, struct gravel_mpi_ring *ring,
                              int code);

#endif
