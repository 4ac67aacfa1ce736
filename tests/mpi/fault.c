/* SPDX-License-Identifier: MIT */
/*
 * Jobs that go wrong: a node dies, stops, fails, aborts or leaves. Every node that lives must end in time, with the
 * cause in its error text; it prints "as expected" then.
 *
 * usage: mpirun ... fault MODE      see the table at the end; fault.sh counts the nodes that print
 *
 * Path: fault.sh -> mpirun -> this
 */
#include "job.h"

#include <gravel/accumulator.h>
#include <gravel/flow.h>

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMEOUT_MS 750u /* GRAVEL_TIMEOUT of a job that waits it out, times patience */
#define LIMIT_S 7.0     /* from the fault to the error then, times patience: less than by default */

static void set_limit(const char *setting, unsigned ms)
{
    char text[16];
    snprintf(text, sizeof text, "%u", ms * patience());
    setenv(setting, text, 1);
}

static void set_timeout(unsigned ms)
{
    set_limit("GRAVEL_TIMEOUT", ms);
}

/* ---- death ----------------------------------------------------------------------------------- */

/* The error of a death, which names `part`. Over TCP Open MPI may keep a network thread in a call: that is told, and the node
 * counts as silent. */
static void expect_end(struct gravel *gravel, int code, const char *part)
{
    const char *ways = getenv("OMPI_MCA_btl");
    bool is_tcp = ways && !strcmp(ways, "tcp,self");
    if (is_tcp && code == GRAVEL_ETIMEOUT)
        expect(code, GRAVEL_ETIMEOUT, "in a call of MPI: ");
    else
        expect(code, GRAVEL_EPEER, is_tcp ? "node " : part);
    as_expected();
    MUST(gravel_quiet(gravel) == code);
    MUST(gravel_close(gravel) == code);
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
    MUST(is_within(begin, LIMIT_S));
    expect_end(gravel, code, part);
    _exit(0);
}

static void killed_while_sending(void)
{
    set_timeout(TIMEOUT_MS);
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
    set_timeout(TIMEOUT_MS);
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
    set_timeout(TIMEOUT_MS);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    if (rank == 0)
        raise(SIGKILL);
    expect_death(gravel, kernel, "node 0 ");
}

/* An element that makes itself again and again, and sends to the next node each time. */
extern const char again_cl[]; /* kernels/again.cl */

static struct gravel_flow *start_flow(struct gravel *gravel)
{
    static const struct gravel_edge edge = {"again", 1};
    static const struct gravel_channel channel = {"again", 4, GRAVEL_STREAM, 64, 1, &edge};
    const struct gravel_graph graph = GRAVEL_GRAPH(&channel, 1, .group_items = 8, .n_messages = 1);
    const uint64_t word = alloc_or_die(gravel, 64);
    const cl_uint next = ((cl_uint)rank + 1) % gravel_n_nodes(gravel), left = UINT32_MAX;
    struct gravel_flow *flow;
    OK(gravel_flow_create(&flow, gravel, &graph));
    OK(gravel_flow_build(flow, "flow.cl", again_cl, NULL, "run"));
    OK(gravel_flow_set_argument(flow, 2, sizeof word, &word));
    OK(gravel_flow_set_argument(flow, 3, sizeof next, &next));
    OK(gravel_flow_push(flow, "again", &left, 1));
    OK(gravel_barrier(gravel));
    OK(gravel_flow_start(flow));
    return flow;
}

static void killed_in_a_flow(void)
{
    set_timeout(TIMEOUT_MS);
    struct gravel *gravel = open_default(NULL);
    struct gravel_flow *flow = start_flow(gravel);
    struct gravel_flow_stats stats;
    do
        OK(gravel_flow_stats_read(flow, &stats, sizeof stats));
    while (stats.rounds < 10 && usleep(1000) == 0);
    if (rank == 1)
        raise(SIGKILL);
    expect(gravel_flow_wait(flow), GRAVEL_EPEER, "node 1 ");
    expect(gravel_flow_run(flow), GRAVEL_EPEER, "failed before");
    OK(gravel_flow_destroy(flow));
    as_expected();
    MUST(gravel_close(gravel) == GRAVEL_EPEER);
    _exit(0);
}

/* More words wait than a queue has room for, and one of those that they are for dies while they are sent. */
#define N_ACCUMULATED (1u << 18)
extern const char accumulate_cl[]; /* kernels/accumulate.cl */

static void killed_while_accumulating(void)
{
    set_timeout(TIMEOUT_MS);
    struct gravel *gravel = open_default(NULL);
    const size_t global = 4096;
    const cl_uint n = N_ACCUMULATED;
    uint64_t words = alloc_or_die(gravel, N_ACCUMULATED * 4);
    struct gravel_accumulator *accumulator;
    OK(gravel_accumulator_create(&accumulator, gravel, words, n, GRAVEL_ADD, GRAVEL_UINT));
    cl_program program = build_or_die(gravel, accumulate_cl, NULL);
    cl_kernel kernel = kernel_or_die(gravel, program, "add");
    OK(gravel_kernel_set_accumulator(accumulator, kernel, 1));
    MUST(clSetKernelArg(kernel, 2, sizeof n, &n) == CL_SUCCESS);
    int code = gravel_launch(gravel, kernel, 1, &global, NULL, 0, NULL, NULL);
    for (int round = 0; !code && round < 1000; round++) {
        code = gravel_barrier(gravel);
        if (rank == 1 && round == 2)
            raise(SIGKILL);
        if (!code)
            code = gravel_launch(gravel, kernel, 1, &global, NULL, 0, NULL, NULL);
    }
    expect(code, GRAVEL_EPEER, "node 1 ");
    expect(gravel_accumulator_flush(accumulator), GRAVEL_EPEER, "node 1 ");
    MUST(gravel_accumulator_destroy(accumulator) == GRAVEL_EPEER);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    as_expected();
    MUST(gravel_close(gravel) == GRAVEL_EPEER);
    _exit(0);
}

/* Of four: the one whose left neighbour died finds out, and tells the one that is left. */
static void two_killed_at_once(void)
{
    set_timeout(TIMEOUT_MS);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    if (rank == 1 || rank == 2)
        raise(SIGKILL);
    expect_death(gravel, kernel, " has been silent");
}

/* MPI has no limit there. The node that dies must be as far by then: MPI_Init may wait for all. */
static void killed_while_others_open(void)
{
    set_limit("GRAVEL_OPEN_TIMEOUT", 1500);
    if (rank == 1) {
        int is_initialised = 0, level;
        MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
        MUST(MPI_Initialized(&is_initialised) == MPI_SUCCESS && is_initialised);
        raise(SIGKILL);
    }
    double begin = seconds_now();
    expect(try_open(NULL), GRAVEL_EMPI, "GRAVEL_OPEN_TIMEOUT");
    MUST(is_within(begin, LIMIT_S));
    expect(try_open(NULL), GRAVEL_EMPI, "");
    as_expected();
    _exit(0);
}

/* The others, while this one lives and does not open. */
static void expect_limit_of_opening(const char *call)
{
    set_limit("GRAVEL_OPEN_TIMEOUT", 1500);
    double begin = seconds_now();
    expect(try_open(NULL), GRAVEL_EMPI, call);
    MUST(strstr(gravel_last_error(), "another process has not come to gravel_open"));
    MUST(is_within(begin, LIMIT_S));
    as_expected();
    _exit(0);
}

/* Without a word: MPI would wait for the others. */
static void live_without_opening(void)
{
    sleep(4 * patience());
    _exit(0);
}

static void one_never_opens(void)
{
    int is_initialised = 0, level;
    if (rank != 1)
        expect_limit_of_opening("gravel_open: in MPI_Comm_dup for ");
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MUST(MPI_Initialized(&is_initialised) == MPI_SUCCESS && is_initialised);
    live_without_opening();
}

/* MPI_Init may wait for all, or leave it to the first call that does. */
static void one_never_initialises(void)
{
    if (rank != 1)
        expect_limit_of_opening("gravel_open: in MPI_");
    live_without_opening();
}

/* Leaves without gravel_close. */
static void left_without_closing(void)
{
    set_timeout(TIMEOUT_MS);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    if (rank == 1)
        _exit(0);
    expect_death(gravel, kernel, "node 1 ");
}

/* Ends as a process does that has forgotten gravel_close, and says so long before it would be missed. */
static void exits_without_closing(void)
{
    set_timeout(20 * TIMEOUT_MS);
    struct gravel *gravel = open_default(NULL);
    OK(gravel_barrier(gravel));
    if (rank == 1) {
        usleep(200000); /* the others, too, are past the barrier */
        exit(0);
    }
    expect(gravel_barrier(gravel), GRAVEL_EPEER,
           "node 1: its process has ended without gravel_close");
    as_expected();
    _exit(0);
}

static void killed_while_closing(void)
{
    set_timeout(TIMEOUT_MS);
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
    set_timeout(TIMEOUT_MS);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    if (rank == 1) {
        expect(
            run_body(gravel,
                     "uint ticket; if (i == 0) gravelp_queue_reserve(g.arena, gravelp_own_ring(g), "
                     "1, &ticket);",
                     64, 64, 0, 0, 0),
            GRAVEL_EKERNEL, "ticket");
        as_expected();
        MUST(gravel_close(gravel) == GRAVEL_EKERNEL);
        _exit(0);
    }
    expect_death(gravel, kernel, "node 1 gave up: queue 0, ticket");
}

/* The node whose kernel asserts names itself, and the others name it. */
static void one_asserts(void)
{
    static const char source[] = "#include \"gravel.cl.h\"\n"
                                 "#include \"print.cl.h\"\n"
                                 "kernel void k(GRAVEL_ARENA) { GRAVEL_OPEN(g); gravel_assert(g, "
                                 "get_global_id(0) != 70); }\n";
    static const char part[] =
        "work-item at (70) of node 1: test.cl, line 3: assertion failed: get_global_id(0) != 70";
    set_timeout(TIMEOUT_MS);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    if (rank == 1) {
        cl_kernel asserting = kernel_or_die(gravel, build_or_die(gravel, source, ""), "k");
        expect(run_kernel(gravel, asserting, 256, 64), GRAVEL_EKERNEL, part);
        as_expected();
        MUST(gravel_close(gravel) == GRAVEL_EKERNEL);
        _exit(0);
    }
    expect_death(gravel, kernel, part);
}

static int answer_7(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args,
                    uint64_t *answer)
{
    (void)gravel, (void)user, (void)source, (void)args;
    *answer = 7;
    return 0;
}

/* A function of another node that blocks has answered: from then on a wait has its limit. */
static void one_waits_behind_an_answer(void)
{
    static const char source[] =
        "#include \"gravel.cl.h\"\n"
        "kernel void k(GRAVEL_ARENA, ulong answer, ulong signal) { GRAVEL_OPEN(g);\n"
        "struct gravel_reply reply = {answer, signal};\n"
        "gravel_ask0_wg_if(g, get_global_id(0) == 0, GRAVEL_HANDLER(seven), reply, 0, 0);\n"
        "if (gravel_wait_until_uint_wg(g, signal, GRAVEL_CMP_EQ, 1))\n"
        "    gravel_wait_until_uint_wg(g, signal, GRAVEL_CMP_EQ, 77); }\n";
    static const struct gravel_handler handler = {.name = "seven", .answer = answer_7, .blocks = 1};
    static const char part[] = "waited for the word";
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1);
    set_timeout(TIMEOUT_MS);
    struct gravel *gravel = open_default(&bindings);
    const uint64_t answer = alloc_or_die(gravel, 64), signal = alloc_or_die(gravel, 64);
    fill(gravel, gravel_node(gravel), signal, 0, 64);
    OK(gravel_barrier(gravel));
    if (rank == 1) {
        cl_kernel kernel = kernel_or_die(gravel, build_or_die(gravel, source, ""), "k");
        MUST(clSetKernelArg(kernel, 1, sizeof answer, &answer) == CL_SUCCESS);
        MUST(clSetKernelArg(kernel, 2, sizeof signal, &signal) == CL_SUCCESS);
        expect(run_kernel(gravel, kernel, 64, 64), GRAVEL_EKERNEL, part);
        expect(GRAVEL_EKERNEL, GRAVEL_EKERNEL, "to be == 77; it has been 1 for");
        as_expected();
        MUST(gravel_close(gravel) == GRAVEL_EKERNEL);
        _exit(0);
    }
    expect(gravel_barrier(gravel), GRAVEL_EPEER, part);
    as_expected();
    MUST(gravel_close(gravel) == GRAVEL_EPEER);
    _exit(0);
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

/* A child wakes this process: it cannot do so itself. */
static void stop_myself(unsigned ms)
{
    pid_t me = getpid(), child = fork();
    MUST(child >= 0);
    if (child == 0) {
        kill(me, SIGSTOP);
        usleep(1000 * ms);
        kill(me, SIGCONT);
        _exit(0);
    }
    usleep(100000);
}

/* A node that is silent for less than GRAVEL_TIMEOUT lives. */
static void stopped_for_half_the_timeout(void)
{
    const unsigned stop_ms = TIMEOUT_MS * patience();
    set_timeout(2 * TIMEOUT_MS);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    double begin = seconds_now();
    OK(send_some(gravel, kernel));
    if (rank == 1)
        stop_myself(stop_ms);
    OK(gravel_barrier(gravel));
    MUST(seconds_now() - begin > 0.5e-3 * stop_ms);
    OK(run_kernel(gravel, kernel, 65536, 256));
    clReleaseKernel(kernel);
    OK(gravel_close(gravel));
    as_expected();
}

/* Takes 300 ms of a life. */
static int live(struct gravel *gravel, void *user, uint32_t source,
                const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)gravel, (void)user, (void)source, (void)args;
    for (unsigned i = 0; i < 30; i++)
        usleep(10000);
    return 0;
}

/* A machine that sleeps: no node counts the time that it was stopped itself, nor the others', and quiet waits on. */
static void all_stopped_beyond_the_timeout(void)
{
    static const struct gravel_handler table[] = {{.name = "live", .function = live}};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = table, .n_handlers = 1);
    const unsigned stop_ms = 2 * TIMEOUT_MS * patience();
    set_timeout(TIMEOUT_MS);
    struct gravel *gravel = open_default(&bindings);
    OK(gravel_barrier(gravel));
    pid_t me = getpid(), child = fork();
    MUST(child >= 0);
    if (child == 0) {
        usleep(150000);
        kill(me, SIGSTOP);
        usleep(1000 * stop_ms);
        kill(me, SIGCONT);
        _exit(0);
    }
    double begin = seconds_now();
    OK(gravel_am(gravel, 0, NULL, 0, ((uint32_t)rank + 1) % gravel_n_nodes(gravel)));
    OK(gravel_quiet(gravel));
    MUST(seconds_now() - begin > 1e-3 * stop_ms); /* the stop came within it */
    OK(gravel_barrier(gravel));
    OK(gravel_close(gravel));
    as_expected();
}

/* A node that comes back after the others have given it up learns that, in each call. */
static void stopped_beyond_the_timeout(void)
{
    set_timeout(TIMEOUT_MS);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    if (rank != 1)
        expect_death(gravel, kernel, "node 1 ");
    stop_myself(4 * TIMEOUT_MS * patience());
    double begin = seconds_now();
    int code;
    while ((code = gravel_barrier(gravel)) == 0)
        ;
    expect(code, GRAVEL_EPEER, "");
    MUST(is_within(begin, LIMIT_S));
    MUST(gravel_close(gravel) == GRAVEL_EPEER);
    as_expected();
    _exit(0);
}

/* ---- the run --------------------------------------------------------------------------------- */

static const struct mode modes[] = {
    MODE(killed_while_sending),
    MODE(killed_while_idle),
    MODE(killed_in_a_flow),
    MODE(killed_while_accumulating),
    MODE(first_node_killed),
    MODE(left_without_closing),
    MODE(exits_without_closing),
    MODE(killed_while_closing),
    MODE(one_fails_by_a_stuck_ticket),
    MODE(one_asserts),
    MODE(one_waits_behind_an_answer),
    MODE(one_aborts),
    MODE(one_aborts_and_exits),
    MODE(another_thread_aborts),
    MODE(stopped_for_half_the_timeout),
    MODE(all_stopped_beyond_the_timeout),
    MODE(stopped_beyond_the_timeout),
    MODE(two_killed_at_once),
    MODE(killed_while_others_open),
    MODE(one_never_opens),
    MODE(one_never_initialises),
};

int main(int argc, char **argv)
{
    run_mode(modes, sizeof modes / sizeof *modes, argc, argv);
    return 0;
}
