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
 * @return          0; GRAVEL_EMPI.
 */
int gravel_mpi_find_local(MPI_Comm comm, struct gravel_transport *transport,
                          struct gravel_handover *handover);

/** gravel_fail for an MPI call that returned `error`. */
int gravel_mpi_fail(const char *call, int error);

#endif
