/* SPDX-License-Identifier: MIT */
/*
 * Between the files of transport mpi.
 *
 * Path:    mpi.c -> mpi_process.c, mpi_local.c, mpi_receives.c -> MPI.
 * Threads: the network thread, if not said otherwise.
 */
#ifndef GRAVEL_TRANSPORT_MPI_PARTS_H
#define GRAVEL_TRANSPORT_MPI_PARTS_H

#include "base/error.h"
#include "base/mark.h"
#include "transport/frames.h"
#include "transport/handover.h"
#include "transport/transport.h"

#include <mpi.h>

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

/** gravel_fail for an MPI call that returned `error`. */
int gravel_mpi_fail(const char *call, int error);

/** 0 for MPI_SUCCESS, else gravel_mpi_fail. */
static inline int gravel_mpi_check(const char *call, int error)
{
    return error == MPI_SUCCESS ? 0 : gravel_mpi_fail(call, error);
}

/* ---- mpi_process.c: initialises MPI at most once; finalises it as the process ends, if it did. Any thread ---- */

/**
 * Initialise MPI, or make sure that the calling thread may use it beside the thread that did. A transport's first call.
 *
 * @param finalising  runs in MPI_Finalize, before it does anything; all transports give the same function, or NULL.
 * @return  0, and gravel_mpi_leave must follow; GRAVEL_EMPI: MPI is finalised, or its thread level will not do.
 */
int gravel_mpi_enter(void (*finalising)(void));

/**
 * Whether MPI knows all the processes that the launcher has started: to another MPI's launcher each would be a job of
 * its own. After gravel_mpi_enter.
 *
 * @return  0; GRAVEL_ECONFIG, with both numbers and the name of this MPI; GRAVEL_EMPI.
 */
int gravel_mpi_check_launcher(void);

/** The transport is closed. @param is_clean  no peer is known to have failed: MPI can be finalised. */
void gravel_mpi_leave(bool is_clean);

/* ---- mpi_local.c: who else of the job is on this machine, and whose memory each can map ---------------------- */

/**
 * Fill in transport->local and its like, and arrange with each node of the machine what can be handed over. Nodes that
 * cannot map each other's memory are sent to as those of other machines are. Collective, while the transport opens.
 *
 * @param handover  created.
 * @return          0; GRAVEL_EMPI; GRAVEL_ECORRUPT: what MPI says of the nodes cannot be right.
 */
int gravel_mpi_find_local(MPI_Comm comm, struct gravel_transport *transport,
                          struct gravel_handover *handover);

/* ---- mpi_receives.c: receives that are posted ahead in rings -------------------------------------------------- */

/* A ring is polled in posting order only: MPI matches messages of one sender in order, so this keeps the order of
 * frames without reading them. A frame whose sender dies while it travels never arrives and holds up all behind it;
 * so heartbeats and news of a death have a ring of their own, which nothing large goes through. */

#define GRAVEL_MPI_MAX_RECEIVES 16u

/* The tag of a ring's frames, and its number. */
enum gravel_mpi_tag { GRAVEL_MPI_LIFE, GRAVEL_MPI_FRAMES, GRAVEL_MPI_TAGS };

struct gravel_mpi_ring {
    uint32_t n, frame_bytes, next;
    bool is_broken;        /* a frame will never come: so will none behind it */
    unsigned char *memory; /* [n][frame_bytes]; NULL before gravel_mpi_receives_open */
    MPI_Request receives[GRAVEL_MPI_MAX_RECEIVES];
};

struct gravel_mpi_receives {
    struct gravel_transport *transport; /* whose `lost` and `fault` say what went wrong */
    MPI_Comm comm;                      /* the transport's, once it has one */
    struct gravel_mpi_ring rings[GRAVEL_MPI_TAGS];
    struct gravel_mpi_ring *at_hand; /* whose next frame is the caller's */
};

/** Zero-filled before. */
void gravel_mpi_receives_init(struct gravel_mpi_receives *receives,
                              struct gravel_transport *transport);
/** Post receives of frames of so many bytes. @return 0; GRAVEL_ENOMEM; GRAVEL_EMPI. */
int gravel_mpi_receives_open(struct gravel_mpi_receives *receives, enum gravel_mpi_tag tag,
                             uint32_t frame_bytes);
/** No peer has failed: with a dead one this could hang. */
void gravel_mpi_receives_close(struct gravel_mpi_receives *receives);

/** The next frame, or NULL. */
struct gravel_frame *gravel_mpi_receives_next(struct gravel_mpi_receives *receives, uint32_t *bytes,
                                              uint32_t *source);
/** The message at hand is done with. */
void gravel_mpi_receives_renew(struct gravel_mpi_receives *receives);
/** Fail, because the message at hand is no frame of another node: none follows. */
void gravel_mpi_receives_fail(struct gravel_mpi_receives *receives, int code);

#endif
