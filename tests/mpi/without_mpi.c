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

/* Clears what launchers set, and sets these variables: NAME=VALUE, with spaces between. */
static void set(const char *settings)
{
    static const char *const variables[] = {
        "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",  "MV2_COMM_WORLD_SIZE",
        "SLURM_STEP_NUM_TASKS", "PMIX_RANK", "GRAVEL_TRANSPORT"};
    char text[128];
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    snprintf(text, sizeof text, "%s", settings);
    for (char *name = strtok(text, " "); name; name = strtok(NULL, " ")) {
        char *value = strchr(name, '=');
        *value++ = '\0';
        setenv(name, value, 1);
    }
}

static void expect_single(void)
{
    struct gravel *gravel;
    OK(gravel_open(&gravel, NULL, NULL));
    assert_int_equal(gravel_n_nodes(gravel), 1);
    OK(gravel_close(gravel));
}

static const struct row {
    const char *settings;
    int code; /* 0: a node opens alone */
    const char *part;
} rows[] = {
    {"OMPI_COMM_WORLD_SIZE=2", GRAVEL_ECONFIG, "launched as 2 processes (OMPI_COMM_WORLD_SIZE)"},
    {"PMI_SIZE=3", GRAVEL_ECONFIG, "launched as 3 processes (PMI_SIZE)"},
    {"MV2_COMM_WORLD_SIZE=4", GRAVEL_ECONFIG, "launched as 4 processes (MV2_COMM_WORLD_SIZE)"},
    {"SLURM_STEP_NUM_TASKS=5", GRAVEL_ECONFIG, "launched as 5 processes (SLURM_STEP_NUM_TASKS)"},
    {"PMIX_RANK=1", GRAVEL_ECONFIG, "launched as 2 processes (PMIX_RANK)"},
    {"OMPI_COMM_WORLD_SIZE=1 PMIX_RANK=0", 0, NULL},
    {"PMI_SIZE=4x OMPI_COMM_WORLD_SIZE= SLURM_STEP_NUM_TASKS=99999999999999999999", 0, NULL},
    {"OMPI_COMM_WORLD_SIZE=2 GRAVEL_TRANSPORT=self", 0, NULL},
    {"GRAVEL_TRANSPORT=mpi", GRAVEL_EMPI, "built without MPI"},
};

static void a_job_of_several_is_refused_by_its_launchers_variable(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set(rows[i].settings);
        if (!rows[i].code)
            expect_single();
        else
            expect_no_open(NULL, NULL, rows[i].code, rows[i].part);
        if (rows[i].code == GRAVEL_ECONFIG) {
            assert_non_null(strstr(gravel_last_error(), "built without MPI"));
            assert_non_null(strstr(gravel_last_error(), "GRAVEL_TRANSPORT=self"));
        }
    }
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
    set("SLURM_STEP_NUM_TASKS=4");
    expect_launched("SLURM_STEP_NUM_TASKS", 4, false);
    set("SLURM_STEP_NUM_TASKS=4 PMIX_RANK=0");
    expect_launched("SLURM_STEP_NUM_TASKS", 4, true);
    set("PMIX_RANK=0");
    expect_launched("PMIX_RANK", 1, true);
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
        cmocka_unit_test(a_job_of_several_is_refused_by_its_launchers_variable),
        cmocka_unit_test(srun_is_a_launcher_of_mpi_if_it_starts_pmix),
    };
    const struct CMUnitTest under_mpirun[] = {cmocka_unit_test_prestate(launched, argv[1])};
    return argc > 1 ? cmocka_run_group_tests(under_mpirun, NULL, NULL)
                    : cmocka_run_group_tests(tests, NULL, NULL);
}
