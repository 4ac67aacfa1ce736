/* SPDX-License-Identifier: MIT */
/*
 * Which process of a job this is, by the variables of launchers.
 *
 * Path: meson test -> this -> apps/frame/launched.h
 */
#include "frame/launched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                        "MV2_COMM_WORLD_RANK",  "PMIX_RANK",
                                        "PALS_RANKID",          "SLURM_PROCID"};
#define N_VARIABLES (sizeof variables / sizeof *variables)

static int clear(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_VARIABLES; i++)
        unsetenv(variables[i]);
    return 0;
}

static void no_launcher_is_the_first_process(void **state)
{
    (void)state;
    assert_int_equal(launched_rank(), 0);
}

static void each_launcher_tells(void **state)
{
    for (size_t i = 0; i < N_VARIABLES; i++) {
        clear(state);
        setenv(variables[i], "3", 1);
        assert_int_equal(launched_rank(), 3);
    }
}

/* Slurm starts Open MPI's daemon of a host as a task of its own, whose processes have both. */
static void an_mpi_goes_before_slurm(void **state)
{
    (void)state;
    setenv("SLURM_PROCID", "1", 1);
    setenv("OMPI_COMM_WORLD_RANK", "7", 1);
    assert_int_equal(launched_rank(), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(no_launcher_is_the_first_process, clear),
        cmocka_unit_test_setup(each_launcher_tells, clear),
        cmocka_unit_test_setup(an_mpi_goes_before_slurm, clear),
    };
    return cmocka_run_group_tests_name("launched", tests, NULL, NULL);
}
