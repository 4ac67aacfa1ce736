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

/* Open MPI, MPICH and Intel, MVAPICH; PMIx, which srun may start too, and PALS of Cray, which set a rank alone; srun
 * without any of them, and last: launchers in a step of Slurm count from 0 again. A batch script has no size.
 * apps/frame/launched.h and python/gravel/_opening.py name the same (tests/headers/names.py). */
static const struct {
    const char *size, *rank;
    bool is_mpi;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", true},
    {"PMI_SIZE", "PMI_RANK", true},
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", true},
    {NULL, "PMIX_RANK", true},
    {NULL, "PALS_RANKID", true},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", false},
};

struct gravel_launched gravel_launcher_read(void)
{
    struct gravel_launched launched = {.variable = NULL};
    bool has_rank = false, has_size = false;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *size = launchers[i].size, *rank = launchers[i].rank;
        const uint32_t n = size ? number_of(size) : 0;
        const bool is_ranked = getenv(rank) != NULL;
        if (is_ranked && !has_rank)
            launched.rank = number_of(rank);
        has_rank |= is_ranked;
        launched.is_mpi |= !size && is_ranked;
        if (n && !has_size) {
            launched.variable = size;
            launched.n_processes = n;
            launched.is_mpi |= launchers[i].is_mpi;
            has_size = true;
        } else if (!size && is_ranked && !launched.n_processes) {
            launched.variable = rank;
            launched.n_processes = number_of(rank) + 1;
        }
    }
    return launched;
}
