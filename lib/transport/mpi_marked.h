/* SPDX-License-Identifier: MIT */
/*
 * MPI's calls while a node is open, marked: base/mark.h says why. None of them should wait, but Open MPI over TCP may
 * stay in one without end when two processes die at once. The calls by which a node opens have a limit of their own
 * (network/opening.c). Where this is included, the names below are macros.
 *
 * Path:    mpi.c -> mpi_marked.h -> base/mark.h, MPI.
 * Threads: the network thread.
 */
#ifndef GRAVEL_TRANSPORT_MPI_MARKED_H
#define GRAVEL_TRANSPORT_MPI_MARKED_H

#include "base/mark.h"

#include <mpi.h>

/* clang-format off */
#define MPI_Cancel(...) GRAVEL_MARKED(MPI_Cancel, __VA_ARGS__)
#define MPI_Iallreduce(...) GRAVEL_MARKED(MPI_Iallreduce, __VA_ARGS__)
#define MPI_Improbe(...) GRAVEL_MARKED(MPI_Improbe, __VA_ARGS__)
#define MPI_Irecv(...) GRAVEL_MARKED(MPI_Irecv, __VA_ARGS__)
#define MPI_Isend(...) GRAVEL_MARKED(MPI_Isend, __VA_ARGS__)
#define MPI_Mrecv(...) GRAVEL_MARKED(MPI_Mrecv, __VA_ARGS__)
#define MPI_Test(...) GRAVEL_MARKED(MPI_Test, __VA_ARGS__)
#define MPI_Testsome(...) GRAVEL_MARKED(MPI_Testsome, __VA_ARGS__)
#define MPI_Wait(...) GRAVEL_MARKED(MPI_Wait, __VA_ARGS__)
/* clang-format on */

#endif
