/* SPDX-License-Identifier: MIT */
/*
 * This process's MPI: initialised at most once, and finalised when the process ends if Gravel initialised it.
 *
 * Path:    mpi.c -> mpi_process.c -> MPI.
 * Threads: any.
 */
#ifndef GRAVEL_TRANSPORT_MPI_PROCESS_H
#define GRAVEL_TRANSPORT_MPI_PROCESS_H

#include <stdbool.h>

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

#endif
