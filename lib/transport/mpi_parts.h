/* SPDX-License-Identifier: MIT */
/*
 * Between the files of transport mpi.
 *
 * Path:    mpi.c -> mpi_process.c -> MPI.
 * Threads: the network thread, if not said otherwise.
 */
#ifndef GRAVEL_TRANSPORT_MPI_PARTS_H
#define GRAVEL_TRANSPORT_MPI_PARTS_H

#include "base/error.h"
#include "transport/transport.h"

#include <mpi.h>

/** gravel_fail for an MPI call that returned `error`. */
int gravel_mpi_fail(const char *call, int error);

/** 0 for MPI_SUCCESS, else gravel_mpi_fail. */
static inline int gravel_mpi_check(const char *call, int error)
{
    return error == MPI_SUCCESS ? 0 : gravel_mpi_fail(call, error);
}

/* GRAVEL_TRY of a call of MPI, of which an error names it. */
#define TRY_MPI(call, ...) GRAVEL_TRY(gravel_mpi_check(#call, call(__VA_ARGS__)))

/* ---- mpi_process.c: initialises MPI at most once; finalises it as the process ends, if it did. Any thread ---- */

/**
 * Initialises MPI, or makes sure that the calling thread may use it too. A transport's first call.
 *
 * @param finalising  runs in MPI_Finalize, before it does anything; all transports give the same function, or NULL.
 * @return  0, and gravel_mpi_leave must follow; GRAVEL_EMPI: MPI is finalised, or its thread level will not do.
 */
int gravel_mpi_enter(void (*finalising)(void));

/**
 * Returns whether MPI knows all the processes that the launcher has started: to another MPI's launcher each would be a
 * job of its own. After gravel_mpi_enter.
 *
 * @return  0; GRAVEL_ECONFIG, with both numbers and the name of this MPI; GRAVEL_EMPI.
 */
int gravel_mpi_check_launcher(void);

/** Leaves MPI as the transport closes. @param is_clean  no peer is known to have failed: MPI can be finalised. */
void gravel_mpi_leave(bool is_clean);

/**
 * Fill in transport->local and its like, and arrange with each node of the machine what can be handed
 * over. Nodes that cannot map each other's memory are sent to as those of other machines are. Collective, while the
 * transport opens.
 *
 * @param transport  its handover is created.
 * @return           0; GRAVEL_EMPI; GRAVEL_ECORRUPT: what MPI says of the nodes cannot be right.
 */
int gravel_mpi_find_local(MPI_Comm comm, struct gravel_transport *transport);

#endif
