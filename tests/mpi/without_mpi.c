/* SPDX-License-Identifier: MIT */
/*
 * A library built without MPI under an MPI launcher: no process opens a job of its own without being asked to.
 *
 * usage: without_mpi                          with variables of several launchers
 *        mpirun -np 2 ... without_mpi launched
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

TEST(a_job_of_several_is_refused_by_its_launchers_variable)
{
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
TEST(srun_is_a_launcher_of_mpi_if_it_starts_pmix)
{
    set("SLURM_STEP_NUM_TASKS=4");
    expect_launched("SLURM_STEP_NUM_TASKS", 4, false);
    set("SLURM_STEP_NUM_TASKS=4 PMIX_RANK=0");
    expect_launched("SLURM_STEP_NUM_TASKS", 4, true);
    set("PMIX_RANK=0");
    expect_launched("PMIX_RANK", 1, true);
}

TEST_OF("launched", a_job_is_refused_by_mpiruns_variable)
{
    expect_no_open(NULL, NULL, GRAVEL_ECONFIG,
                   getenv("OMPI_COMM_WORLD_SIZE") ? "launched as 2 processes (OMPI_COMM_WORLD_SIZE)"
                                                  : "launched as 2 processes (PMI_SIZE)");
    setenv("GRAVEL_TRANSPORT", "self", 1);
    expect_single();
}
