/* SPDX-License-Identifier: MIT */
/*
 * Who else of the job is on this machine, and whose memory each can map.
 *
 * Path:    mpi.c -> mpi_local.c -> handover.c.
 * Threads: the network thread, while the transport opens.
 */
#ifndef GRAVEL_TRANSPORT_MPI_LOCAL_H
#define GRAVEL_TRANSPORT_MPI_LOCAL_H

#include "transport/handover.h"
#include "transport/transport.h"

#include <mpi.h>

/**
 * Fill in transport->local and its like, and arrange with each node of the machine what can be handed over. Nodes that
 * cannot map each other's memory are sent to as those of other machines are. Collective.
 *
 * @param handover  created.
 * @return          0; GRAVEL_EMPI; GRAVEL_ECORRUPT: what MPI says of the nodes cannot be right.
 */
int gravel_mpi_find_local(MPI_Comm comm, struct gravel_transport *transport,
                          struct gravel_handover *handover);

/** gravel_fail for an MPI call that returned `error`. */
int gravel_mpi_fail(const char *call, int error);

/** 0 for MPI_SUCCESS, else gravel_mpi_fail. */
static inline int gravel_mpi_check(const char *call, int error)
{
    return error == MPI_SUCCESS ? 0 : gravel_mpi_fail(call, error);
}

#endif
