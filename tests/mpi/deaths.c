/* SPDX-License-Identifier: MIT */
/*
 * Jobs of which a node dies or leaves. Every node that lives must end in time, with that node's number in its error text;
 * it prints "as expected" then.
 *
 * usage: mpirun ... deaths MODE      see the table at the end; fault.sh counts the nodes that print
 *
 * Path: fault.sh -> mpirun -> this -> survivor.c
 */
#include "survivor.h"

#include <gravel/accumulator.h>
#include <gravel/flow.h>

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void killed_while_sending(void)
{
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
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
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
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
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
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
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
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
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
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
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    if (rank == 1 || rank == 2)
        raise(SIGKILL);
    expect_death(gravel, kernel, " has been silent");
}

/* Leaves without gravel_close. */
static void left_without_closing(void)
{
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
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
    set_limit("GRAVEL_TIMEOUT", 20 * TIMEOUT_MS);
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
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
    struct gravel *gravel = open_default(NULL);
    OK(gravel_barrier(gravel));
    if (rank == 1)
        raise(SIGKILL);
    expect(gravel_close(gravel), GRAVEL_EPEER, "node 1 ");
    as_expected();
    _exit(0);
}

/* ---- the run --------------------------------------------------------------------------------- */

static const struct mode modes[] = {
    MODE(killed_while_sending),      MODE(killed_while_idle),    MODE(killed_in_a_flow),
    MODE(killed_while_accumulating), MODE(first_node_killed),    MODE(left_without_closing),
    MODE(exits_without_closing),     MODE(killed_while_closing), MODE(two_killed_at_once),
};

int main(int argc, char **argv)
{
    run_mode(modes, sizeof modes / sizeof *modes, argc, argv);
    return 0;
}
