/* SPDX-License-Identifier: MIT */
/*
 * Reads the variables of MPI launchers. See launcher.h.
 */
#include "transport/launcher.h"

#include <stdlib.h>

/* A launcher's variable; 0 if it is not set or is no number of processes. */
static uint32_t number_of(const char *variable)
{
    const char *text = getenv(variable);
    char *end;
    if (!text || text[0] < '0' || text[0] > '9')
        return 0;
    unsigned long number = strtoul(text, &end, 10);
    return *end == '\0' && number < UINT32_MAX ? (uint32_t)number : 0;
}

struct gravel_launched gravel_launcher_read(void)
{
    /* Open MPI, MPICH and Intel, MVAPICH; srun without any of them. A batch script of Slurm has none of these. */
    static const struct gravel_launched sizes[] = {
        {.variable = "OMPI_COMM_WORLD_SIZE", .is_mpi = true},
        {.variable = "PMI_SIZE", .is_mpi = true},
        {.variable = "MV2_COMM_WORLD_SIZE", .is_mpi = true},
        {.variable = "SLURM_STEP_NUM_TASKS"}};
    /* PMIx, which srun may start too, tells a process its rank alone: rank 0 knows of no other. */
    static const char rank[] = "PMIX_RANK";
    const bool has_pmix = getenv(rank) != NULL;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct gravel_launched launched = sizes[i];
        launched.n_processes = number_of(launched.variable);
        launched.is_mpi |= has_pmix;
        if (launched.n_processes)
            return launched;
    }
    return has_pmix ? (struct gravel_launched){rank, number_of(rank) + 1, true}
                    : (struct gravel_launched){0};
}
