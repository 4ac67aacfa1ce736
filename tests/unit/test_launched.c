/* SPDX-License-Identifier: MIT */
/*
 * Which process of a job this is, by the variables of launchers.
 *
 * Path: meson test -> this -> apps/frame/process.h
 */
#include "cases.h"
#include "frame/process.h"

static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                        "MV2_COMM_WORLD_RANK",  "PMIX_RANK",
                                        "PALS_RANKID",          "SLURM_PROCID"};
#define N_VARIABLES (sizeof variables / sizeof *variables)

TEST(each_launcher_is_found_and_an_mpi_goes_before_slurm)
{
    for (size_t i = 0; i < N_VARIABLES; i++)
        unsetenv(variables[i]);
    assert_int_equal(launched_rank(), 0); /* no launcher: the first process */
    for (size_t i = 0; i < N_VARIABLES; i++) {
        setenv(variables[i], "3", 1);
        assert_int_equal(launched_rank(), 3);
        unsetenv(variables[i]);
    }
    /* Slurm starts Open MPI's daemon of a host as a task of its own, whose processes have both. */
    setenv("SLURM_PROCID", "1", 1);
    setenv("OMPI_COMM_WORLD_RANK", "7", 1);
    assert_int_equal(launched_rank(), 7);
}
