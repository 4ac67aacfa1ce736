/* SPDX-License-Identifier: MIT */
/*
 * Which process of a job this is, by the variables of launchers.
 *
 * Path: meson test -> this -> apps/frame/launched.h
 */
#include "cases.h"
#include "frame/launched.h"

static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                        "MV2_COMM_WORLD_RANK",  "PMIX_RANK",
                                        "PALS_RANKID",          "SLURM_PROCID"};
#define N_VARIABLES (sizeof variables / sizeof *variables)

static void clear(void)
{
    for (size_t i = 0; i < N_VARIABLES; i++)
        unsetenv(variables[i]);
}

TEST(no_launcher_is_the_first_process)
{
    assert_int_equal(launched_rank(), 0);
}

TEST(each_launcher_tells)
{
    for (size_t i = 0; i < N_VARIABLES; i++) {
        clear();
        setenv(variables[i], "3", 1);
        assert_int_equal(launched_rank(), 3);
    }
}

/* Slurm starts Open MPI's daemon of a host as a task of its own, whose processes have both. */
TEST(an_mpi_goes_before_slurm)
{
    setenv("SLURM_PROCID", "1", 1);
    setenv("OMPI_COMM_WORLD_RANK", "7", 1);
    assert_int_equal(launched_rank(), 7);
}

const struct fixture fixture = {.before = clear};
