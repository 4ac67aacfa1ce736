/* SPDX-License-Identifier: MIT */
/*
 * A launcher's environment, and a wait. See turn.h.
 */
#include "turn.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

bool turn_is_first(void)
{
    /* Open MPI's, PMIx's and PMI's (MPICH, Intel MPI, Slurm): known before MPI is. */
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *rank = getenv(variables[i]);
        if (rank)
            return strcmp(rank, "0") == 0;
    }
    return true;
}

void turn_await(void)
{
    if (!turn_is_first())
        nanosleep(&(struct timespec){.tv_sec = TURN_WAIT_S}, NULL);
}
