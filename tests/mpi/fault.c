/* SPDX-License-Identifier: MIT */
/*
 * Jobs that go wrong: settings that differ, a node that cannot open, dies, stops, fails, aborts or leaves. Every node
 * that lives must end in time, with the cause in its error text; it prints "as expected" then.
 *
 * usage: mpirun ... fault MODE      see the table at the end; fault.sh counts the nodes that print
 *
 * Path: fault.sh -> mpirun -> this
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

#define LIMIT_S 10.0 /* from the fault to the error, with the default GRAVEL_TIMEOUT */

static int rank; /* by the launcher, before anything opens */

static int nothing(struct gravel *gravel, void *user, uint32_t source,
                   const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)gravel, (void)user, (void)source, (void)args;
    return 0;
}

static void as_expected(void)
{
    printf("node %d: as expected: %s\n", rank, gravel_last_error());
    fflush(stdout);
}

static void expect(int code, int expected, const char *part)
{
    if (code != expected || (code && !strstr(gravel_last_error(), part)))
        die(__FILE__, __LINE__, "node %d got %d (%s: %s), expected %d naming \"%s\"", rank, code,
            gravel_strerror(code), gravel_last_error(), expected, part);
}

/* ---- opening --------------------------------------------------------------------------------- */

static int try_open(const struct gravel_bindings *bindings)
{
    struct gravel *gravel;
    int code = gravel_open(&gravel, NULL, bindings);
    MUST(code == 0 ? gravel != NULL : gravel == NULL);
    if (code == 0)
        gravel_close(gravel);
    return code;
}

static void mismatch_of_variable(const char *variable, const char *text)
{
    if (rank == 1)
        setenv(variable, text, 1);
    expect(try_open(NULL), GRAVEL_EMISMATCH, variable);
    as_expected();
}

static void mismatch_heap(void)
{
    mismatch_of_variable("GRAVEL_HEAP", "1M");
}

static void mismatch_buffer(void)
{
    mismatch_of_variable("GRAVEL_BUFFER", "4096");
}

static void mismatch_timeout(void)
{
    mismatch_of_variable("GRAVEL_TIMEOUT", "7000");
}

static void mismatch_of_table(const struct gravel_handler *mine, uint32_t n)
{
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = mine, .n_handlers = n);
    expect(try_open(&bindings), GRAVEL_EMISMATCH, "handlers");
    as_expected();
}

static void mismatch_handler_order(void)
{
    const struct gravel_handler one[] = {{"a", 1, nothing, NULL}, {"b", 1, nothing, NULL}};
    const struct gravel_handler other[] = {{"b", 1, nothing, NULL}, {"a", 1, nothing, NULL}};
    mismatch_of_table(rank == 1 ? other : one, 2);
}

static void mismatch_handler_arguments(void)
{
    const struct gravel_handler table[] = {{"a", rank == 1 ? 2 : 1, nothing, NULL}};
    mismatch_of_table(table, 1);
}

static void mismatch_handler_missing(void)
{
    const struct gravel_handler table[] = {{"a", 1, nothing, NULL}};
    mismatch_of_table(table, rank == 1 ? 0 : 1);
}

#define TALLY(body) \
    "#include \"gravel.cl.h\"\nvoid tally(struct gravel_call call, ulong a) { " body " }\n"

/* Handlers of OpenCL C. @param part  of the error's text here. */
static void mismatch_of_bindings(const struct gravel_bindings *bindings, const char *part)
{
    expect(try_open(bindings), GRAVEL_EMISMATCH, part);
    as_expected();
}

static void mismatch_handler_place(void)
{
    const struct gravel_handler table[] = {{"a", 1, nothing, NULL},
                                           {"tally", 1, rank == 1 ? nothing : NULL, NULL}};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = table, .n_handlers = 2,
                        .device_code.source = rank == 1 ? NULL : TALLY(""));
    mismatch_of_bindings(&bindings,
                         rank == 1 ? "number 1 is tally here, with 1 arguments, run by the host"
                                   : "number 1 is tally here, with 1 arguments, run by the device");
}

static void mismatch_handler_source(void)
{
    const struct gravel_handler table[] = {{"tally", 1, NULL, NULL}};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = table, .n_handlers = 1,
                        .device_code.source = rank == 1 ? TALLY("(void)a;") : TALLY(""));
    mismatch_of_bindings(&bindings, "device_code");
}

static void mismatch_handler_options(void)
{
    const struct gravel_handler table[] = {{"tally", 1, NULL, NULL}};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = table, .n_handlers = 1, .device_code.source = TALLY(""),
                        .device_code.options = rank == 1 ? "-DFAST" : NULL);
    mismatch_of_bindings(&bindings, "options of their handlers");
}

static void mismatch_handler_on_one_side_only(void)
{
    const struct gravel_handler table[] = {{"a", 1, nothing, NULL}, {"tally", 1, NULL, NULL}};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = table, .n_handlers = rank == 1 ? 1 : 2,
                        .device_code.source = rank == 1 ? NULL : TALLY(""));
    mismatch_of_bindings(&bindings, rank == 1 ? "number 1 exists on one side only, not on this node"
                                              : "number 1 is tally here");
}

static void one_without_device(void)
{
    if (rank == 1)
        setenv("GRAVEL_DEVICE", "no-such-device", 1);
    expect(try_open(NULL), rank == 1 ? GRAVEL_EDEVICE : GRAVEL_EPEER,
           rank == 1 ? "no-such-device" : "another node could not open");
    as_expected();
}

/* Found before the node knows of any other; they are told all the same. */
static void one_with_bad_setting(void)
{
    if (rank == 1)
        setenv("GRAVEL_BUFFER", "many", 1);
    expect(try_open(NULL), rank == 1 ? GRAVEL_ECONFIG : GRAVEL_EPEER,
           rank == 1 ? "GRAVEL_BUFFER" : "another node could not open: invalid setting");
    as_expected();
}

static void one_with_bad_handler(void)
{
    const struct gravel_handler table[] = {{rank == 1 ? "no name" : "name", 0, nothing, NULL}};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = table, .n_handlers = 1);
    expect(try_open(&bindings), rank == 1 ? GRAVEL_EINVAL : GRAVEL_EPEER,
           rank == 1 ? "no name" : "another node could not open: invalid argument");
    as_expected();
}

static void one_with_bad_trace(void)
{
    if (rank == 1)
        setenv("GRAVEL_TRACE", "/nonexistent/t.json", 1);
    expect(try_open(NULL), rank == 1 ? GRAVEL_ESYSTEM : GRAVEL_EPEER,
           rank == 1 ? "/nonexistent" : "another node could not open");
    as_expected();
}

static void two_fail_differently(void)
{
    if (rank == 0)
        setenv("GRAVEL_TRACE", "/nonexistent/t.json", 1);
    if (rank == 1)
        setenv("GRAVEL_QUEUE", "64", 1);
    int code = try_open(NULL);
    expect(code, rank == 0 ? GRAVEL_ESYSTEM : rank == 1 ? GRAVEL_ECONFIG : GRAVEL_EPEER, "");
    as_expected();
}

/* ---- death ----------------------------------------------------------------------------------- */

static struct gravel *open_busy(cl_kernel *kernel)
{
    struct gravel *gravel = open_default(NULL);
    const uint64_t arguments[3] = {alloc_or_die(gravel, 4096)};
    *kernel =
        body_kernel(gravel,
                    "for (uint n = 0; n < 16; n++) gravel_inc_uint_wg(g, a, i % 1024, (i + n) % "
                    "gravel_n_nodes(g));",
                    arguments);
    return gravel;
}

static int send_some(struct gravel *gravel, cl_kernel kernel)
{
    const size_t global_size = 65536, local_size = 256;
    return gravel_launch(gravel, kernel, 1, &global_size, &local_size, 0, NULL, NULL);
}

/* Run rounds until one fails; the error must name `part`. */
static void expect_death(struct gravel *gravel, cl_kernel kernel, const char *part)
{
    double begin = seconds_now();
    int code;
    do {
        begin = seconds_now();
        code = send_some(gravel, kernel);
        if (!code)
            code = gravel_barrier(gravel);
    } while (!code);
    expect(code, GRAVEL_EPEER, part);
    MUST(is_within(begin, LIMIT_S));
    as_expected();
    MUST(gravel_quiet(gravel) == GRAVEL_EPEER);
    MUST(gravel_close(gravel) == GRAVEL_EPEER);
    _exit(0);
}

static void killed_while_sending(void)
{
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    for (int round = 0; round < 5; round++)
        OK(run_kernel(gravel, kernel, 65536, 256));
    if (rank == 1) {
        OK(send_some(gravel, kernel));
        raise(SIGKILL);
    }
    expect_death(gravel, kernel, "node 1 ");
}

static void killed_while_idle(void)
{
    setenv("GRAVEL_TIMEOUT", "3000", 1);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    if (rank == 1) {
        usleep(200000);
        raise(SIGKILL);
    }
    expect_death(gravel, kernel, "node 1 ");
}

static void first_node_killed(void)
{
    setenv("GRAVEL_TIMEOUT", "3000", 1);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    if (rank == 0)
        raise(SIGKILL);
    expect_death(gravel, kernel, "node 0 ");
}

/* Leaves without gravel_close. */
static void left_without_closing(void)
{
    setenv("GRAVEL_TIMEOUT", "3000", 1);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    if (rank == 1)
        _exit(0);
    expect_death(gravel, kernel, "node 1 ");
}

static void killed_while_closing(void)
{
    setenv("GRAVEL_TIMEOUT", "3000", 1);
    struct gravel *gravel = open_default(NULL);
    OK(gravel_barrier(gravel));
    if (rank == 1)
        raise(SIGKILL);
    expect(gravel_close(gravel), GRAVEL_EPEER, "node 1 ");
    as_expected();
    _exit(0);
}

/* A failure of one node is everybody's, with its cause. */
static void one_fails_by_a_stuck_ticket(void)
{
    setenv("GRAVEL_TIMEOUT", "1000", 1);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    if (rank == 1) {
        expect(run_body(gravel,
                        "uint ticket; if (i == 0) gravelp_queue_reserve(g.arena, 0, 1, &ticket);",
                        64, 64, 0, 0, 0),
               GRAVEL_EKERNEL, "ticket");
        as_expected();
        MUST(gravel_close(gravel) == GRAVEL_EKERNEL);
        _exit(0);
    }
    expect_death(gravel, kernel, "node 1 gave up: queue 0, ticket");
}

/* ---- aborts ---------------------------------------------------------------------------------- */

#define WHY "ValueError: no such column"

/* The others wait in a barrier meanwhile: it ends at once, with the text. */
static void expect_abort(struct gravel *gravel)
{
    double begin = seconds_now();
    expect(gravel_barrier(gravel), GRAVEL_EPEER, "node 1 gave up: " WHY);
    MUST(is_within(begin, 1.2));
    expect(gravel_quiet(gravel), GRAVEL_EPEER, WHY);
    expect(gravel_close(gravel), GRAVEL_EPEER, WHY);
    MUST(is_within(begin, 2));
    as_expected();
    _exit(0);
}

/* Every call of the node that aborts says why; close waits for nobody. */
static void one_aborts(void)
{
    struct gravel *gravel = open_default(NULL);
    const uint64_t word = alloc_or_die(gravel, 64), value = 1;
    double begin = seconds_now();
    if (rank != 1)
        expect_abort(gravel);
    usleep(200000);
    OK(gravel_abort(gravel, WHY));
    OK(gravel_abort(gravel, "another reason")); /* the first stays */
    expect(gravel_put(gravel, word, &value, sizeof value, 0), GRAVEL_EABORT, WHY);
    expect(gravel_update(gravel, GRAVEL_ADD, GRAVEL_ULONG, word, &value, 0), GRAVEL_EABORT, WHY);
    expect(gravel_quiet(gravel), GRAVEL_EABORT, WHY);
    expect(gravel_barrier(gravel), GRAVEL_EABORT, WHY);
    expect(gravel_close(gravel), GRAVEL_EABORT, WHY);
    MUST(is_within(begin, 1.2));
    expect(try_open(NULL), GRAVEL_EMPI, "a node of this process has failed");
    as_expected();
    _exit(0);
}

/* As a program leaves that meets an exception: nothing is closed. */
static void one_aborts_and_exits(void)
{
    struct gravel *gravel = open_default(NULL);
    OK(gravel_barrier(gravel));
    if (rank != 1)
        expect_abort(gravel);
    usleep(200000);
    OK(gravel_abort(gravel, WHY));
    _exit(1);
}

static void *abort_later(void *gravel)
{
    usleep(200000);
    OK(gravel_abort(gravel, WHY));
    return NULL;
}

/* The node that aborts waits in a call itself. */
static void another_thread_aborts(void)
{
    struct gravel *gravel = open_default(NULL);
    pthread_t thread;
    OK(gravel_barrier(gravel));
    if (rank == 0) { /* comes to no barrier */
        usleep(600000);
        expect_abort(gravel);
    }
    MUST(pthread_create(&thread, NULL, abort_later, gravel) == 0);
    double begin = seconds_now();
    expect(gravel_barrier(gravel), GRAVEL_EABORT, WHY);
    MUST(is_within(begin, 1.2));
    pthread_join(thread, NULL);
    expect(gravel_close(gravel), GRAVEL_EABORT, WHY);
    as_expected();
    _exit(0);
}

/* ---- stops ----------------------------------------------------------------------------------- */

static void stop_myself(unsigned seconds)
{
    pid_t me = getpid(), child = fork();
    MUST(child >= 0);
    if (child == 0) {
        kill(me, SIGSTOP);
        sleep(seconds);
        kill(me, SIGCONT);
        _exit(0);
    }
    usleep(100000);
}

static void stopped_for(unsigned seconds)
{
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    double begin = seconds_now();
    OK(send_some(gravel, kernel));
    if (rank == 1)
        stop_myself(seconds);
    OK(gravel_barrier(gravel));
    MUST(seconds_now() - begin > seconds - 0.5);
    OK(run_kernel(gravel, kernel, 65536, 256));
    clReleaseKernel(kernel);
    OK(gravel_close(gravel));
    as_expected();
}

static void stopped_for_5_seconds(void)
{
    stopped_for(5);
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
    as_expected();
    MPI_Barrier(MPI_COMM_WORLD); /* still the application's */
    MPI_Finalize();
}

static void mpi_single(void)
{
    mpi_at_level(MPI_THREAD_SINGLE);
}

static void mpi_funneled(void)
{
    mpi_at_level(MPI_THREAD_FUNNELED);
}

static void mpi_serialized(void)
{
    mpi_at_level(MPI_THREAD_SERIALIZED);
}

/* The application keeps its MPI: nodes open and close one after another, beside its own messages. */
static void mpi_multiple_opens_twice(void)
{
    int level, n, is_finalized;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MUST(level == MPI_THREAD_MULTIPLE);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int round = 0; round < 3; round++) {
        cl_kernel kernel;
        struct gravel *gravel = open_busy(&kernel);
        MUST(gravel_n_nodes(gravel) == (uint32_t)n);
        OK(send_some(gravel, kernel));
        int sum, one = 1;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MUST(sum == n);
        OK(gravel_barrier(gravel));
        clReleaseKernel(kernel);
        OK(gravel_close(gravel));
        MPI_Finalized(&is_finalized);
        MUST(!is_finalized);
    }
    MPI_Finalize();
    as_expected();
}

static void open_after_mpi_is_finalised(void)
{
    int level;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MPI_Finalize();
    expect(try_open(NULL), GRAVEL_EMPI, "finalised already");
    expect(try_open(NULL), GRAVEL_EMPI, "finalised already");
    as_expected();
}

/* ---- Gravel's MPI: finalised when the process ends, or mpirun's exit status is not 0 ------------- */

/* All nodes of the job answer the application. */
static void use_mpi(uint32_t n_nodes)
{
    int is_initialised, is_finalised, level, sum, one = 1;
    MPI_Initialized(&is_initialised);
    MPI_Finalized(&is_finalised);
    MUST(is_initialised && !is_finalised);
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE)
        return;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MUST(sum == (int)n_nodes);
}

static void opens_twice(void)
{
    for (int round = 0; round < 2; round++) {
        cl_kernel kernel;
        struct gravel *gravel = open_busy(&kernel);
        uint32_t n_nodes = gravel_n_nodes(gravel);
        OK(send_some(gravel, kernel));
        use_mpi(n_nodes);
        OK(gravel_barrier(gravel));
        clReleaseKernel(kernel);
        OK(gravel_close(gravel));
        use_mpi(n_nodes);
    }
}

static void application_finalises(void)
{
    OK(try_open(NULL));
    MPI_Finalize();
    expect(try_open(NULL), GRAVEL_EMPI, "finalised already");
}

static struct gravel *to_be_closed;

static void close_at_exit(void)
{
    OK(gravel_close(to_be_closed));
}

/* The application's handler runs after Gravel's, which was registered later. */
static void closes_at_exit(void)
{
    MUST(atexit(close_at_exit) == 0);
    to_be_closed = open_default(NULL);
}

/* A child that leaves must not finalise its parent's MPI, nor wait for it. */
static void child_exits(void)
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

/* A job's messages stay in it. @return what its node 0 has counted, of all nodes. */
static uint32_t count_all(struct gravel *gravel)
{
    uint64_t word = alloc_or_die(gravel, 64);
    OK(run_body(gravel, "gravel_inc_uint_wg(g, a, 0, 0);", 256, 64, word, 0, 0));
    uint32_t n = 0;
    OK(gravel_get(gravel, word, &n, sizeof n, 0));
    OK(gravel_barrier(gravel));
    return n;
}

/* Ranks 0 and 2, 1 and 3, the last one first: each pair is a job, numbered by its own communicator. */
static void two_jobs(void)
{
    int level, pair_rank;
    MPI_Comm pair;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MUST(level == MPI_THREAD_MULTIPLE);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &pair);
    MPI_Comm_rank(pair, &pair_rank);
    MUST(pair_rank == (rank < 2));
    struct gravel *gravel = open_comm(&pair);
    MPI_Comm_free(&pair); /* gravel_open has duplicated it */
    MUST(gravel_n_nodes(gravel) == 2);
    MUST(gravel_node(gravel) == (uint32_t)pair_rank);
    for (int round = 0; round < (rank % 2 ? 1 : 3); round++) /* one job closes before the other */
        MUST(count_all(gravel) == 512);
    OK(gravel_close(gravel));
    MPI_Finalize();
}

/* Jobs of one, and then all in one job: MPI outlives them. */
static void jobs_of_one(void)
{
    MPI_Comm self = MPI_COMM_SELF, none = MPI_COMM_NULL;
    struct gravel_bindings bindings = GRAVEL_BINDINGS(.mpi_comm = &self);
    expect(try_open(&bindings), GRAVEL_EINVAL, "mpi_comm is given, and MPI is not initialised");
    OK(try_open(NULL));
    struct gravel *gravel = open_comm(&self);
    MUST(gravel_n_nodes(gravel) == 1 && gravel_node(gravel) == 0);
    MUST(count_all(gravel) == 256);
    OK(gravel_close(gravel));
    bindings.mpi_comm = &none;
    expect(try_open(&bindings), GRAVEL_EINVAL, "mpi_comm points to MPI_COMM_NULL");
    gravel = open_default(NULL);
    MUST(gravel_n_nodes(gravel) == 2);
    OK(gravel_close(gravel));
}

/* A node that fails to open tells those of its own job, and no others. */
static void one_job_cannot_open(void)
{
    int level;
    MPI_Comm pair;
    const struct gravel_handler table[] = {{rank == 0 ? "no name" : "name", 0, nothing, NULL}};
    struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = table, .n_handlers = 1, .mpi_comm = &pair);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &pair);
    int expected = rank % 2 ? 0 : rank == 0 ? GRAVEL_EINVAL : GRAVEL_EPEER;
    expect(try_open(&bindings), expected, rank == 0 ? "no name" : "another node could not open");
    if (rank == 0)
        bindings.handler_bytes = 7;
    expect(try_open(&bindings), expected, rank == 0 ? "handler_bytes is 7" : "another node");
    MPI_Comm_free(&pair);
    MPI_Finalize();
}

/* ---- the run --------------------------------------------------------------------------------- */

#define MODES(X)                         \
    X(mismatch_heap)                     \
    X(mismatch_buffer)                   \
    X(mismatch_timeout)                  \
    X(mismatch_handler_order)            \
    X(mismatch_handler_arguments)        \
    X(mismatch_handler_missing)          \
    X(mismatch_handler_place)            \
    X(mismatch_handler_source)           \
    X(mismatch_handler_options)          \
    X(mismatch_handler_on_one_side_only) \
    X(one_without_device)                \
    X(one_with_bad_setting)              \
    X(one_with_bad_handler)              \
    X(one_with_bad_trace)                \
    X(two_fail_differently)              \
    X(killed_while_sending)              \
    X(killed_while_idle)                 \
    X(first_node_killed)                 \
    X(left_without_closing)              \
    X(killed_while_closing)              \
    X(one_fails_by_a_stuck_ticket)       \
    X(one_aborts)                        \
    X(one_aborts_and_exits)              \
    X(another_thread_aborts)             \
    X(stopped_for_5_seconds)             \
    X(mpi_single)                        \
    X(mpi_funneled)                      \
    X(mpi_serialized)                    \
    X(mpi_multiple_opens_twice)          \
    X(open_after_mpi_is_finalised)       \
    X(opens_twice)                       \
    X(application_finalises)             \
    X(closes_at_exit)                    \
    X(child_exits)                       \
    X(two_jobs)                          \
    X(jobs_of_one)                       \
    X(one_job_cannot_open)

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {
#define MODE(name) {#name, name},
        MODES(MODE)
#undef MODE
    };
    const char *text = getenv("OMPI_COMM_WORLD_RANK");
    MUST(argc == 2 && text);
    rank = atoi(text);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(argv[1], modes[i].name)) {
            watch(50, modes[i].name);
            modes[i].run();
            return 0;
        }
    die(__FILE__, __LINE__, "no such mode: %s", argv[1]);
}
