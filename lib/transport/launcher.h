/* SPDX-License-Identifier: MIT */
/*
 * Where a process is: in which job, as an MPI launcher says in the environment, and on which host.
 *
 * Path:    gravel_open, mpi_process.c, network/start.c -> launcher.h.
 * Threads: any; reads the environment.
 */
#ifndef GRAVEL_TRANSPORT_LAUNCHER_H
#define GRAVEL_TRANSPORT_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A job by its launcher's variables. */
struct gravel_launched {
    const char *variable; /* that says so; NULL: there is no launcher */
    uint32_t n_processes;
    /* of the job, of which PMIX_RANK and PALS_RANKID give a lower bound only; 0: no launcher, or no number */
    uint32_t rank; /* of this process in it */
    bool is_mpi;   /* the launcher starts MPI jobs: MPI knows them from it */
};

struct gravel_launched gravel_launcher_read(void);

/** "host a (eth0 10.0.0.1, ib0 10.1.0.1)": loop-back left out, cut where `bytes` end. Never fails. */
void gravel_host_describe(char *text, size_t bytes);

#endif
