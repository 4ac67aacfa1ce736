/* SPDX-License-Identifier: MIT */
/*
 * Counters that a barrier sums and zeroes: exact round after round, whatever adds to them (messages of all nodes,
 * the own node's kernels, chains of handlers that still run when all nodes wait), and however late a node is.
 *
 * usage: test_barrier_sum [NODES]   ranks of a job, or so many loop-back nodes, of which node 0 alone launches
 *
 * Path: mpirun -> this -> lib/network/collective.c, lib/memory/memory.c
 */
#include "bodies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 200u
#define FEW 64u     /* work-items of most rounds */
#define MANY 16384u /* and of every tenth */
#define MOST 32u    /* counters of one call */

enum counter { BY_MESSAGES, BY_KERNEL, BY_HANDLERS, N_COUNTERS };

static struct gravel *gravel;
static uint32_t node, n_nodes, n_processes;
static uint64_t counters; /* heap offset of uint [N_COUNTERS] */

/* Adds one here and one at the next node, which a message there may have to wait for, and goes on so often. */
static int chain(struct gravel *here, void *user, uint32_t source,
                 const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)user, (void)source;
    const uint32_t own = gravel_node(here), next = (own + 1) % n_nodes;
    const uint64_t counter = counters + 4 * BY_HANDLERS, less = args[0] - 1;
    int code = gravel_update(here, GRAVEL_INC, GRAVEL_UINT, counter, NULL, own);
    if (!code)
        code = gravel_update(here, GRAVEL_INC, GRAVEL_UINT, counter, NULL, next);
    return code || args[0] == 0 ? code : gravel_am(here, 0, &less, 1, next);
}

/* ---- exact sums -------------------------------------------------------------------------------- */

static uint32_t n_items(uint32_t round)
{
    return round % 10 ? FEW : MANY;
}

static uint64_t chain_length(uint32_t round)
{
    return mix(round) % 9;
}

static cl_kernel adding_kernel(void)
{
    const uint64_t arguments[3] = {counters};
    return body_kernel(gravel,
                       BODY("gravel_inc_uint_wg(g, a, 0, (i + b) % gravel_n_nodes(g));"
                            "atomic_add((volatile global uint *)gravel_local(g, a + 4),"
                            "           (uint)(i % 7 + b % 5));"),
                       arguments);
}

static void launch(cl_kernel kernel, uint32_t round)
{
    const size_t global_size = n_items(round), local_size = 64;
    const cl_ulong b = round;
    clSetKernelArg(kernel, 2, sizeof b, &b);
    OK(gravel_launch(gravel, kernel, 1, &global_size, &local_size, 0, NULL, NULL));
}

static void expect_counter(uint32_t round, enum counter counter, const char *of, uint64_t value,
                           uint64_t due)
{
    if (value != due)
        die(__FILE__, __LINE__,
            "node %u, round %u: counter %d %s is %" PRIu64 ", and %" PRIu64 " is due", node, round,
            (int)counter, of, value, due);
}

static void expect_round(uint32_t round, const uint64_t *own, const uint64_t *sums)
{
    uint64_t to_me = 0, by_me = 0;
    for (uint32_t i = 0; i < n_items(round); i++) {
        to_me += (i + round) % n_nodes == node;
        by_me += i % 7 + round % 5;
    }
    expect_counter(round, BY_MESSAGES, "here", own[BY_MESSAGES], to_me * n_processes);
    expect_counter(round, BY_KERNEL, "here", own[BY_KERNEL], by_me);
    expect_counter(round, BY_MESSAGES, "in all", sums[BY_MESSAGES],
                   (uint64_t)n_items(round) * n_processes);
    expect_counter(round, BY_KERNEL, "in all", sums[BY_KERNEL], by_me * n_processes);
    expect_counter(round, BY_HANDLERS, "in all", sums[BY_HANDLERS], 2 * (chain_length(round) + 1));
}

/* Nodes come late by turns: to the call, when others have sent and wait, and from it, when others add again. */
static void sums_are_exact_round_after_round(void)
{
    cl_kernel kernel = adding_kernel();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t own[N_COUNTERS], sums[N_COUNTERS], length = chain_length(round);
        if (mix(round * 64 + node) % 5 == 0)
            usleep(1000);
        launch(kernel, round);
        if (node == round % n_processes)
            OK(gravel_am(gravel, 0, &length, 1, (node + 1) % n_nodes));
        if (mix(round * 64 + node + 1000003u) % 5 == 0)
            usleep(1000);
        OK(gravel_barrier_sum(gravel, counters, N_COUNTERS, own, sums));
        expect_round(round, own, sums);
        if (round % 16 == 0)
            MUST(word32(gravel, node, counters + 4 * BY_KERNEL) == 0);
    }
    clReleaseKernel(kernel);
}

/* ---- what it takes, and what it leaves ----------------------------------------------------------- */

static uint32_t n_local(void)
{
    return n_processes == 1 ? n_nodes : 1;
}

static void put_counter(uint64_t offset, uint32_t value)
{
    for (uint32_t to = n_local() > 1 ? 0 : node, n = 0; n < n_local(); n++, to++)
        OK(gravel_update(gravel, GRAVEL_PUT, GRAVEL_UINT, offset, &value, to));
}

/* As many as there may be, not at a multiple of 8, and each as large as it gets. */
static void counters_alone_are_zeroed_and_sums_carry(void)
{
    uint64_t words = alloc_or_die(gravel, 4 * (MOST + 3)), own[MOST], sums[MOST];
    for (uint32_t i = 0; i < MOST + 3; i++)
        put_counter(words + 4 * i, UINT32_MAX - i);
    OK(gravel_barrier_sum(gravel, words + 4, MOST, own, sums));
    for (uint32_t i = 0; i < MOST; i++)
        MUST(own[i] == UINT32_MAX - (i + 1) && sums[i] == n_nodes * own[i]);
    for (uint32_t i = 0; i < MOST + 3; i++)
        MUST(word32(gravel, node, words + 4 * i) == (i == 0 || i > MOST ? UINT32_MAX - i : 0));
    OK(gravel_barrier_sum(gravel, words + 4, MOST, NULL, sums));
    for (uint32_t i = 0; i < MOST; i++)
        MUST(sums[i] == 0);
    OK(gravel_free(gravel, words));
}

static bool is_checked(void)
{
    struct gravel_config config;
    OK(gravel_config_load(&config, sizeof config));
    return config.check;
}

/* The nodes that are told of a refusal get the sums nevertheless: no counter is lost. In checked mode node 0 is told
 * alone, for it sends nothing that it can refuse itself. The reduction is the last call before it, for a barrier that
 * has yet to return would report the refusal. */
static void sums_come_with_a_refusal(void)
{
    const uint32_t last_told = is_checked() ? 0 : 1;
    uint64_t word = alloc_or_die(gravel, 64), own = 0, sum = 0;
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &sum, 1));
    if (node == 0) {
        const uint64_t arguments[3] = {word};
        cl_kernel kernel = body_kernel(
            gravel, BODY("gravel_inc_uint_wg(g, a, 77, 1 % gravel_n_nodes(g));"), arguments);
        const size_t size = 64;
        OK(gravel_launch(gravel, kernel, 1, &size, &size, 0, NULL, NULL));
        clReleaseKernel(kernel);
    }
    put_counter(word, 3);
    int code = gravel_barrier_sum(gravel, word, 1, &own, &sum);
    MUST(node <= last_told ? code == GRAVEL_ERANGE && strstr(gravel_last_error(), "index 77 ")
                           : !code);
    MUST(own == 3 && sum == 3 * n_nodes);
    OK(gravel_free(gravel, word));
}

/* ---- the run ----------------------------------------------------------------------------------- */

static const struct step steps[] = {
    STEP(sums_are_exact_round_after_round),
    STEP(counters_alone_are_zeroed_and_sums_carry),
    STEP(sums_come_with_a_refusal),
};

int main(int argc, char **argv)
{
    const struct gravel_handler handlers[] = {{.name = "chain", .n_args = 1, .function = chain}};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 1);
    watch(100, "opening");
    if (argc > 1) {
        struct gravel_config config = loopback_config((uint32_t)atoi(argv[1]));
        int code = gravel_open(&gravel, &config, &bindings);
        skip_if_refused(code);
        OK(code);
    } else {
        gravel = open_default(&bindings);
    }
    node = gravel_node(gravel);
    n_nodes = gravel_n_nodes(gravel);
    n_processes = argc > 1 ? 1 : n_nodes;
    counters = alloc_or_die(gravel, 4 * N_COUNTERS);
    run_steps(gravel, steps, sizeof steps / sizeof *steps);
    OK(gravel_close(gravel));
    return 0;
}
