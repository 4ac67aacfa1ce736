/* SPDX-License-Identifier: MIT */
/*
 * Which process of a job this is, as its launcher says, before MPI or Gravel is there to ask. For programs alone: the
 * library asks MPI, and reads the number of processes (lib/transport/launcher.c), by which it checks MPI's answer.
 *
 * Path:    the launcher's variables -> launched.h -> die.c, and programs of tests/.
 * Threads: any; reads the environment.
 */
#ifndef APPS_LAUNCHED_H
#define APPS_LAUNCHED_H

#include <stdlib.h>

/** @return this process's number in its job; 0 without a launcher. */
static inline int launched_rank(void)
{
    /* Those of lib/transport/launcher.c, in their order. */
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                            "MV2_COMM_WORLD_RANK",  "PMIX_RANK",
                                            "PALS_RANKID",          "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]))
            return atoi(getenv(variables[i]));
    return 0;
}

#endif
