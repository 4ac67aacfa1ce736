/* SPDX-License-Identifier: MIT */
/*
 * Jobs that go well: who initialises MPI and ends it, at which thread level, and jobs of a communicator. Every process
 * ends with status 0, and mpirun does if every process has finalised MPI.
 *
 * usage: mpirun ... jobs MODE      the name of a test
 *
 * Path: mpirun -> this
 */
#include "cases.h"
#include "job.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MODE(name) TEST_OF(#name, name)

static void read_rank(void)
{
    rank = launched_rank();
}

const struct fixture fixture = {.limit_s = 50, .open = read_rank};

static void init_mpi(void)
{
    int level;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MUST(level == MPI_THREAD_MULTIPLE);
}

/* All processes of the job answer the application, if they may. */
static void use_mpi(uint32_t n)
{
    int is_initialised, is_finalised, level, sum, one = 1;
    MPI_Initialized(&is_initialised);
    MPI_Finalized(&is_finalised);
    MUST(is_initialised && !is_finalised);
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
        return;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MUST(sum == (int)n);
}

/* Opens nodes and closes them, one after another, beside the application's messages. */
static void open_times(int n_times)
{
    for (int time = 0; time < n_times; time++) {
        cl_kernel kernel;
        struct gravel *opened = open_busy(&kernel);
        const uint32_t n = gravel_n_nodes(opened);
        OK(send_some(opened, kernel));
        use_mpi(n);
        OK(gravel_barrier(opened));
        clReleaseKernel(kernel);
        OK(gravel_close(opened));
        use_mpi(n);
    }
}

/* ---- the application's MPI ------------------------------------------------------------------- */

static void mpi_at_level(int wanted)
{
    int level;
    MPI_Init_thread(NULL, NULL, wanted, &level);
    if (level >= MPI_THREAD_MULTIPLE) {
        printf("skipped: this MPI gives MPI_THREAD_MULTIPLE whatever is asked\n");
        MPI_Finalize();
        exit(SKIPPED);
    }
    expect(try_open(NULL), GRAVEL_EMPI, "MPI_THREAD_MULTIPLE");
    MPI_Barrier(MPI_COMM_WORLD); /* still the application's */
    MPI_Finalize();
}

MODE(single)
{
    mpi_at_level(MPI_THREAD_SINGLE);
}

MODE(serialized)
{
    mpi_at_level(MPI_THREAD_SERIALIZED);
}

MODE(multiple_opens_twice)
{
    init_mpi();
    open_times(3);
    MPI_Finalize();
}

MODE(open_after_finalising)
{
    init_mpi();
    MPI_Finalize();
    expect(try_open(NULL), GRAVEL_EMPI, "finalised already");
    expect(try_open(NULL), GRAVEL_EMPI, "finalised already");
}

/* ---- Gravel's MPI: finalised when the process ends, or mpirun's exit status is not 0 ------------- */

MODE(opens_twice)
{
    open_times(2);
}

MODE(application_finalises)
{
    OK(try_open(NULL));
    MPI_Finalize();
    expect(try_open(NULL), GRAVEL_EMPI, "finalised already");
}

/* What was sent before is applied, all that follows fails with the node's number, and the program ends as it likes.
 * @param closes  whether this rank closes its node before. */
static void finalise_while_open(bool closes)
{
    char part[64];
    cl_kernel kernel;
    struct gravel *opened = open_busy(&kernel);
    snprintf(part, sizeof part, "MPI_Finalize: node %d is open and ends", rank);
    OK(send_some(opened, kernel));
    clReleaseKernel(kernel);
    if (closes)
        OK(gravel_close(opened));
    MPI_Finalize();
    if (closes)
        return;
    expect(gravel_barrier(opened), GRAVEL_EMPI, part);
    expect(gravel_put(opened, 64, part, 4, 0), GRAVEL_EMPI, part);
    expect(gravel_close(opened), GRAVEL_EMPI, part);
}

MODE(finalises_while_open)
{
    init_mpi();
    finalise_while_open(false);
}

MODE(one_finalises_while_open)
{
    finalise_while_open(rank == 0);
}

static struct gravel *to_be_closed;

static void close_at_exit(void)
{
    OK(gravel_close(to_be_closed));
}

/* The application's handler runs after Gravel's, which was registered later. */
MODE(closes_at_exit)
{
    MUST(atexit(close_at_exit) == 0);
    to_be_closed = open_default(NULL);
}

/* A child that leaves must not finalise its parent's MPI, nor wait for it. */
MODE(child_exits)
{
    int status;
    OK(try_open(NULL));
    pid_t child = fork();
    MUST(child >= 0);
    if (child == 0)
        exit(3);
    MUST(waitpid(child, &status, 0) == child);
    MUST(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    OK(try_open(NULL));
}

/* ---- the application's communicator --------------------------------------------------------------- */

static struct gravel *open_comm(MPI_Comm *comm)
{
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.mpi_comm = comm);
    return open_default(&bindings);
}

#define N_COUNTED 256u /* by each node */

/* A job's messages stay in it. @return what its node 0 has counted, of all nodes. */
static uint32_t count_all(struct gravel *opened)
{
    uint64_t word = alloc_or_die(opened, 64);
    uint32_t n = 0, one = 1;
    for (uint32_t i = 0; i < N_COUNTED; i++)
        OK(gravel_update(opened, GRAVEL_ADD, GRAVEL_UINT, word, &one, 0));
    OK(gravel_barrier(opened));
    OK(gravel_get(opened, word, &n, sizeof n, 0));
    OK(gravel_barrier(opened));
    return n;
}

/* Ranks 0 and 2, 1 and 3, the last one first: each pair is a job, numbered by its own communicator. */
MODE(two_jobs)
{
    int pair_rank;
    MPI_Comm pair;
    init_mpi();
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &pair);
    MPI_Comm_rank(pair, &pair_rank);
    MUST(pair_rank == (rank < 2));
    struct gravel *opened = open_comm(&pair);
    MPI_Comm_free(&pair); /* gravel_open has duplicated it */
    MUST(gravel_n_nodes(opened) == 2);
    MUST(gravel_node(opened) == (uint32_t)pair_rank);
    for (int round = 0; round < (rank % 2 ? 1 : 3); round++) /* one job closes before the other */
        MUST(count_all(opened) == 2 * N_COUNTED);
    OK(gravel_close(opened));
    MPI_Finalize();
}

/* Jobs of one, and then all in one job: MPI outlives them. */
MODE(jobs_of_one)
{
    MPI_Comm self = MPI_COMM_SELF, none = MPI_COMM_NULL;
    struct gravel_bindings bindings = GRAVEL_BINDINGS(.mpi_comm = &self);
    expect(try_open(&bindings), GRAVEL_EINVAL, "mpi_comm is given, and MPI is not initialised");
    OK(try_open(NULL));
    struct gravel *opened = open_comm(&self);
    MUST(gravel_n_nodes(opened) == 1 && gravel_node(opened) == 0);
    MUST(count_all(opened) == N_COUNTED);
    OK(gravel_close(opened));
    bindings.mpi_comm = &none;
    expect(try_open(&bindings), GRAVEL_EINVAL, "mpi_comm points to MPI_COMM_NULL");
    opened = open_default(NULL);
    MUST(gravel_n_nodes(opened) == 2);
    OK(gravel_close(opened));
}

/* A node that fails to open tells those of its own job, and no others. */
MODE(one_job_cannot_open)
{
    MPI_Comm pair;
    const struct gravel_handler table[] = {
        {.name = rank == 0 ? "no name" : "name", .function = nothing}};
    struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = table, .n_handlers = 1, .mpi_comm = &pair);
    init_mpi();
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &pair);
    int expected = rank % 2 ? 0 : rank == 0 ? GRAVEL_EINVAL : GRAVEL_EPEER;
    expect(try_open(&bindings), expected, rank == 0 ? "no name" : "node 0 could not open");
    if (rank == 0)
        bindings.handler_bytes = 7;
    expect(try_open(&bindings), expected, rank == 0 ? "handler_bytes is 7" : "node 0 could");
    MPI_Comm_free(&pair);
    MPI_Finalize();
}

/* ---- what nodes tell ------------------------------------------------------------------------- */

static void count_unknown(void *user, const char *text)
{
    *(int *)user += strstr(text, "which is not a setting") != NULL;
}

/* Of a job, whose processes have one environment, a node says so. */
MODE(unknown_settings_are_told_once)
{
    int n_told = 0;
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.log = count_unknown, .log_user = &n_told);
    setenv("GRAVEL_OF_MY_OWN", "1", 1);
    expect(try_open(&bindings), 0, NULL);
    MUST(n_told == (rank == 0));
}
