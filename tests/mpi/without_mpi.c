/* SPDX-License-Identifier: MIT */
/*
 * A library built without MPI under an MPI launcher: no process opens a job of its own without being asked to.
 *
 * usage: without_mpi             with variables of several launchers
 *        mpirun -np 2 ... without_mpi VARIABLE    that the launcher tells the number of processes by
 *
 * Path: meson test -> this -> lib/transport/launcher.c, no_mpi.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device/expect.h"
#include "transport/launcher.h"

static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",  "MV2_COMM_WORLD_SIZE",
                                        "SLURM_STEP_NUM_TASKS", "PMIX_RANK", "GRAVEL_TRANSPORT"};

static int clear(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    return 0;
}

static void expect_refused(const char *variable, const char *value, const char *part)
{
    clear(NULL);
    setenv(variable, value, 1);
    expect_no_open(NULL, NULL, GRAVEL_ECONFIG, part);
    assert_non_null(strstr(gravel_last_error(), "built without MPI"));
    assert_non_null(strstr(gravel_last_error(), "GRAVEL_TRANSPORT=self"));
}

static void a_job_of_several_is_refused_by_its_launchers_variable(void **state)
{
    (void)state;
    expect_refused("OMPI_COMM_WORLD_SIZE", "2", "launched as 2 processes (OMPI_COMM_WORLD_SIZE)");
    expect_refused("PMI_SIZE", "3", "launched as 3 processes (PMI_SIZE)");
    expect_refused("MV2_COMM_WORLD_SIZE", "4", "launched as 4 processes (MV2_COMM_WORLD_SIZE)");
    expect_refused("SLURM_STEP_NUM_TASKS", "5", "launched as 5 processes (SLURM_STEP_NUM_TASKS)");
    expect_refused("PMIX_RANK", "1", "launched as 2 processes (PMIX_RANK)");
}

static void expect_single(void)
{
    struct gravel *gravel;
    OK(gravel_open(&gravel, NULL, NULL));
    assert_int_equal(gravel_n_nodes(gravel), 1);
    OK(gravel_close(gravel));
}

static void a_job_of_one_opens(void **state)
{
    (void)state;
    setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    setenv("PMIX_RANK", "0", 1);
    expect_single();
}

static void what_is_no_number_is_no_launcher(void **state)
{
    (void)state;
    setenv("PMI_SIZE", "4x", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "", 1);
    setenv("SLURM_STEP_NUM_TASKS", "99999999999999999999", 1);
    expect_single();
}

static void expect_launched(const char *variable, uint32_t n_processes, bool is_mpi)
{
    const struct gravel_launched launched = gravel_launcher_read();
    assert_string_equal(launched.variable, variable);
    assert_int_equal(launched.n_processes, n_processes);
    assert_int_equal(launched.is_mpi, is_mpi);
}

/* It tells the number of tasks with and without MPI, and PMIx a rank. */
static void srun_is_a_launcher_of_mpi_if_it_starts_pmix(void **state)
{
    (void)state;
    setenv("SLURM_STEP_NUM_TASKS", "4", 1);
    expect_launched("SLURM_STEP_NUM_TASKS", 4, false);
    setenv("PMIX_RANK", "0", 1);
    expect_launched("SLURM_STEP_NUM_TASKS", 4, true);
    unsetenv("SLURM_STEP_NUM_TASKS");
    expect_launched("PMIX_RANK", 1, true);
}

static void transport_self_overrides(void **state)
{
    (void)state;
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    setenv("GRAVEL_TRANSPORT", "self", 1);
    expect_single();
}

static void transport_mpi_is_refused(void **state)
{
    (void)state;
    setenv("GRAVEL_TRANSPORT", "mpi", 1);
    expect_no_open(NULL, NULL, GRAVEL_EMPI, "built without MPI");
}

static void launched(void **state)
{
    char part[64];
    snprintf(part, sizeof part, "launched as 2 processes (%s)", (const char *)*state);
    expect_no_open(NULL, NULL, GRAVEL_ECONFIG, part);
    setenv("GRAVEL_TRANSPORT", "self", 1);
    expect_single();
}

int main(int argc, char **argv)
{
    watch(50, "without MPI");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_job_of_several_is_refused_by_its_launchers_variable, clear),
        cmocka_unit_test_setup(a_job_of_one_opens, clear),
        cmocka_unit_test_setup(what_is_no_number_is_no_launcher, clear),
        cmocka_unit_test_setup(srun_is_a_launcher_of_mpi_if_it_starts_pmix, clear),
        cmocka_unit_test_setup(transport_self_overrides, clear),
        cmocka_unit_test_setup(transport_mpi_is_refused, clear),
    };
    const struct CMUnitTest under_mpirun[] = {cmocka_unit_test_prestate(launched, argv[1])};
    return argc > 1 ? cmocka_run_group_tests(under_mpirun, NULL, NULL)
                    : cmocka_run_group_tests(tests, NULL, NULL);
}
