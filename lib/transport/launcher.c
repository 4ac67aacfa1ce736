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

uint32_t gravel_launcher_processes(const char **variable)
{
    /* Open MPI, MPICH and Intel, MVAPICH; srun without any of them. A batch script of Slurm has none of these. */
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                        "SLURM_STEP_NUM_TASKS"};
    static const char rank[] =
        "PMIX_RANK"; /* PMIx tells a process its rank alone: rank 0 knows of no other */
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (number_of(sizes[i])) {
            *variable = sizes[i];
            return number_of(sizes[i]);
        }
    *variable = getenv(rank) ? rank : NULL;
    return *variable ? number_of(rank) + 1 : 0;
}
